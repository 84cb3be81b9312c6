package southbound

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// Terms number the owners of a store, as owner.Terms does. Switches compare them (generation_id of OpenFlow 1.3, 6.3.5).
type Terms interface {
	Term() uint64
	// Raise makes the term a higher one than a generation that a switch knows, and returns it. An error is the store's, or says
	// that this instance does not own it any more.
	Raise(ctx context.Context, generation uint64) (uint64, error)
}

// granted is the role of this instance at a switch, in one session.
type granted struct {
	writes atomic.Bool // the switch takes what this instance writes, as far as is known
	asked  bool        // the switch knows roles: it refuses who is not its master
	stale  bool        // the first request was refused: the switch knows a later generation
	trial  *Output     // of OpenFlow 1.0, once something was not permitted; the reader's
}

// first is what is asked for in the handshake, before anything is written.
func (r *roles) first(uint64) (openflow.RoleRequest, bool) {
	terms := r.g.cfg.Terms
	if terms == nil {
		return openflow.RoleRequest{}, false
	}
	return openflow.RoleRequest{Role: openflow.RoleMaster, Generation: terms.Term()}, true
}

// take takes what became of the request in the handshake. A switch that knows no roles, as those of OpenFlow 1.0 without
// Nicira's extension, takes what anybody writes.
func (r *roles) take(sw *Switch, f *session.Features) {
	role := &sw.role
	switch err := f.RoleError; {
	case f.Asked.Role == openflow.RoleNoChange:
		role.writes.Store(true)
	case err == nil:
		role.asked = true
		role.writes.Store(true)
		r.regain(sw)
	case isStale(err):
		role.asked, role.stale = true, true
	case errors.Is(err, session.ErrRole):
		role.asked = true
		r.loses(sw, err.Error())
	default:
		role.asked = errors.Is(err, session.ErrTimeout) // it may know roles, and be slow
		role.writes.Store(true)
		r.regain(sw)
		r.g.cfg.Log.Info("the switch knows no roles: it takes what any controller writes", "dpid", sw.DPID, "error", err)
	}
}

// isStale reports whether a request for a role was refused for its generation.
func isStale(err error) bool {
	var peer *session.PeerError
	return errors.As(err, &peer) && peer.Msg.Code == openflow.RoleRequestFailedStale
}

// refusesSlave reports whether a switch that knows roles refuses what this instance has written, as it is not its master.
func (r *granted) refusesSlave(m *openflow.ErrorMsg) bool {
	return r.asked && m.Code == openflow.BadRequestIsSlave
}

// suspect takes that a switch has refused something. OpenFlow 1.0 has one error for what a slave writes and for all else that is
// not permitted: a packet without a way out, which is permitted to all but slaves, tells which it was.
func (r *roles) suspect(sw *Switch, m *openflow.ErrorMsg) {
	role := &sw.role
	if sw.Version != openflow.V10 || !role.asked || m.Code != openflow.BadRequestEPerm {
		return
	}
	if role.trial == nil {
		role.trial = sw.Output("roles", trial{r, sw})
	}
	nowhere := &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortController, Data: make([]byte, 60)}
	_ = role.trial.Send(0, 0, nowhere)
}

// trial hears what becomes of such a packet.
type trial struct {
	r  *roles
	sw *Switch
}

// Refused implements ErrorHandler.
func (t trial) Refused(r *Refusal) {
	if r.Error.Code == openflow.BadRequestEPerm {
		t.r.demoted(t.sw)
	}
}

// demoted takes the news that another controller is the master of a switch.
func (r *roles) demoted(sw *Switch) {
	if sw.role.writes.Swap(false) {
		r.loses(sw, "it refuses what this instance writes")
		r.g.apply()
	}
}

// loses notes that another controller is the master of a switch. This instance does not take it back in this session: two that
// both did would write in turns.
func (r *roles) loses(sw *Switch, how string) {
	g := r.g
	r.mu.Lock()
	r.lost[sw.DPID] = true
	r.mu.Unlock()
	g.masters.Set("", sw.DPID)
	text := "another controller is its master (" + how + "), and nothing is written to it: end that controller, and have " +
		"the switch connect again; or, if both are to control it, give both openflow.role: equal, and domains of their own"
	g.cfg.Alarms.Raise(netview.AlarmOtherMaster, sw.DPID.String(), text)
	g.cfg.Log.Error("another controller is the master of a switch", "dpid", sw.DPID, "how", how)
}

// regain ends what loses has noted.
func (r *roles) regain(sw *Switch) {
	g := r.g
	r.mu.Lock()
	was := r.lost[sw.DPID]
	delete(r.lost, sw.DPID)
	r.mu.Unlock()
	if was {
		g.masters.Set(g.cfg.Instance, sw.DPID)
	}
	g.cfg.Alarms.Clear(netview.AlarmOtherMaster, sw.DPID.String())
}

// roles ask switches for the role of master. Where the first request is refused as stale, they ask the switch for the generation
// that it knows, have the term raised above it in the store, and ask again.
type roles struct {
	loop.Part
	g *Registry

	mu    sync.Mutex
	known []knownGeneration // that switches have told
	later []retry
	lost  map[netview.DPID]bool // switches that have made another controller their master
}

// knownGeneration is what a switch has told.
type knownGeneration struct {
	sw         *Switch
	generation uint64
}

// retry is a switch whose term could not be raised.
type retry struct {
	knownGeneration
	at time.Time
}

// How long the store is waited for, and how long after it did not answer it is asked again.
const (
	raiseLimit = 2 * time.Second
	raiseRetry = time.Second
)

// farthest is how far above the term a generation may be: switches compare two by the sign of their difference, so that one that
// is half of all numbers above would be below what other switches know.
const farthest = 1 << 62

func (r *roles) init(g *Registry) {
	r.g, r.lost = g, make(map[netview.DPID]bool)
	r.Part = loop.Part{Name: "roles at switches", Bell: loop.NewBell(), Turn: r.turn}
}

// resolve asks a switch for the generation that it knows. It is called by the session's reader, as are the answers.
func (r *roles) resolve(sw *Switch) {
	err := sw.Session.Request(&openflow.RoleRequest{Role: openflow.RoleNoChange}, func(m openflow.Message, err error) {
		if reply, ok := m.(*openflow.RoleReply); err == nil && ok {
			r.mu.Lock()
			r.known = append(r.known, knownGeneration{sw, reply.Generation})
			r.mu.Unlock()
			r.Bell.Ring()
			return
		}
		r.failed(sw, err)
	})
	if err != nil {
		r.failed(sw, err)
	}
}

// failed takes that a switch does not give the role, and does not say why in a way that could be resolved.
func (r *roles) failed(sw *Switch, err error) {
	if !errors.Is(err, session.ErrClosed) {
		r.loses(sw, fmt.Sprint(err))
	}
}

// turn raises the term above what switches have told, and asks them again.
func (r *roles) turn() (next time.Time) {
	now := r.g.cfg.Now()
	r.mu.Lock()
	list, later := r.known, r.later
	r.known, r.later = nil, nil
	r.mu.Unlock()
	for _, l := range later {
		if now.Before(l.at) {
			next = r.retry(l, next)
		} else {
			list = append(list, l.knownGeneration)
		}
	}
	for _, k := range list {
		if int64(k.generation-r.g.cfg.Terms.Term()) >= farthest {
			r.failed(k.sw, fmt.Errorf("it knows the generation_id %#x, too far from this instance's to be reached", k.generation))
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), raiseLimit)
		term, err := r.g.cfg.Terms.Raise(ctx, k.generation)
		cancel()
		if err != nil { // of the store, or this instance is to step down
			r.g.cfg.Log.Warn("the term cannot be raised above what a switch knows", "dpid", k.sw.DPID, "error", err)
			next = r.retry(retry{k, now.Add(raiseRetry)}, next)
			continue
		}
		r.ask(k.sw, term)
	}
	return next
}

// retry keeps a switch for later, and returns when the next turn is due.
func (r *roles) retry(l retry, next time.Time) time.Time {
	select {
	case <-l.sw.Session.Done():
		return next
	default:
	}
	r.mu.Lock()
	r.later = append(r.later, l)
	r.mu.Unlock()
	if next.IsZero() || l.at.Before(next) {
		return l.at
	}
	return next
}

// ask asks a switch for the role in a term that was raised for it.
func (r *roles) ask(sw *Switch, term uint64) {
	request := &openflow.RoleRequest{Role: openflow.RoleMaster, Generation: term}
	err := sw.Session.Request(request, func(m openflow.Message, err error) {
		reply, ok := m.(*openflow.RoleReply)
		switch {
		case err == nil && ok && reply.Role == openflow.RoleMaster:
			r.g.cfg.Log.Info("this instance is the master of a switch that knew a later term", "dpid", sw.DPID, "term", term)
			sw.role.writes.Store(true)
			r.regain(sw)
			r.g.apply()
		case isStale(err): // another was faster
			r.resolve(sw)
		default:
			r.failed(sw, err)
		}
	})
	if err != nil {
		r.failed(sw, err)
	}
}
