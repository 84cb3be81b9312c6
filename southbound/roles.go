package southbound

import (
	"cmp"
	"context"
	"errors"
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
	// Confirm asks the store whether this instance owns it still.
	Confirm(ctx context.Context) error
	// Raise makes the term a higher one than a generation that a switch knows, and returns it. An error is the store's, or says
	// that this instance does not own it any more.
	Raise(ctx context.Context, generation uint64) (uint64, error)
}

// granted is the role of this instance at a switch, in one session.
type granted struct {
	writes atomic.Bool // the switch takes what this instance writes, as far as is known
	lost   atomic.Bool // and has said that it does not
	asked  bool        // the switch knows roles: it refuses who is not its master
	open   bool        // the request in the handshake was not answered in time, or the switch knows a later generation
	later  bool        // the switch is known to know one; the reader's
	trial  *Output     // of OpenFlow 1.0, once something was not permitted; the reader's

	tries atomic.Int32 // how often it was asked again, which says how long to wait before the next time
}

// first is what is asked for in the handshake, before anything is written.
func (r *roles) first(uint64) (openflow.RoleRequest, bool) {
	terms := r.g.cfg.Terms
	if terms == nil {
		return openflow.RoleRequest{Role: openflow.RoleNoChange}, false
	}
	role := openflow.RoleMaster
	if r.g.Standby.stands() {
		role = openflow.RoleSlave
	}
	return openflow.RoleRequest{Role: role, Generation: terms.Term()}, true
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
	case session.IsStale(err):
		role.asked, role.open, role.later = true, true, true
	case errors.Is(err, session.ErrRole):
		role.asked = true
		r.loses(sw, err.Error()+": "+anotherMaster)
	case errors.Is(err, session.ErrTimeout) && sw.Version != openflow.V10: // it may know roles, and be slow
		role.asked, role.open = true, true
	default:
		role.writes.Store(true)
		r.g.cfg.Log.Info("the switch knows no roles: it takes what any controller writes", "dpid", sw.DPID, "error", err)
	}
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

// demoted takes the news that another controller is the master of a switch. It is called by the session's reader.
func (r *roles) demoted(sw *Switch) {
	if sw.role.writes.Swap(false) {
		r.loses(sw, "it refuses what this instance writes: "+anotherMaster)
		r.g.apply()
		r.reclaimLater(sw)
	}
}

// unknowing is how long after a take-over the instance that was replaced may not know it, at most, and ask switches for the role
// of master: it steps down before (store/owner). With OpenFlow 1.0, which has no generations, they make it their master.
const unknowing = 6 * time.Second

// reclaimLater has a switch without generations asked again soon, if whoever was replaced may have asked it, and for the last
// time when that one knows.
func (r *roles) reclaimLater(sw *Switch) {
	at := time.Unix(0, r.g.took.Load()).Add(unknowing)
	if sw.Version != openflow.V10 || r.g.took.Load() == 0 || !r.g.cfg.Now().Before(at) {
		return
	}
	if soon := r.g.cfg.Now().Add(retryAtFirst); soon.Before(at) {
		at = soon
	}
	r.mu.Lock()
	r.later = append(r.later, retry{sw, at, true})
	r.mu.Unlock()
	r.Bell.Ring()
}

// anotherMaster is why a switch does not take what this instance writes, and what to do.
const anotherMaster = "another controller is its master, and nothing is written to it: end that controller, and then start " +
	"this instance anew, or have the switch connect again; or, if both are to control it, give both openflow.role: equal, and " +
	"domains of their own, and have one of them forward (--disable-app forward at the other)"

// loses notes that a switch does not take what this instance writes. This instance does not take it back in this session: two
// that both did would write in turns. It is called by the session's reader, or while there is the session.
func (r *roles) loses(sw *Switch, why string) {
	sw.role.lost.Store(true)
	r.g.masters.Set("", sw.DPID)
	r.g.cfg.Alarms.Raise(netview.AlarmOtherMaster, sw.DPID.String(), why)
	r.g.cfg.Log.Error("this instance is not the master of a switch", "dpid", sw.DPID, "why", why)
}

// ends ends what loses has noted: with the session, or as the switch has made this instance its master after all.
func (r *roles) ends(sw *Switch) {
	if !sw.role.lost.Swap(false) {
		return
	}
	if r.g.cfg.View.Snapshot().Master(sw.DPID) == "" {
		r.g.masters.Set(r.g.cfg.Instance, sw.DPID)
	}
	r.g.cfg.Alarms.Clear(netview.AlarmOtherMaster, sw.DPID.String())
}

// roles ask switches for the role of master. Where the first request is refused as stale, or not answered, they ask the switch
// for the generation that it knows, have the term raised above it in the store, and ask again.
type roles struct {
	loop.Part
	g *Registry

	mu    sync.Mutex
	known []knownGeneration // that switches have told
	later []retry
}

// knownGeneration is what a switch has told.
type knownGeneration struct {
	sw         *Switch
	generation uint64
}

// retry is a switch that is asked again.
type retry struct {
	sw      *Switch
	at      time.Time
	reclaim bool // though it has another master
}

// How long the store is waited for; and how long after it, or a switch, did not answer that is asked again: twice as long each
// time, up to a bound.
const (
	raiseLimit   = 2 * time.Second
	retryAtFirst = time.Second
	retryAtMost  = time.Minute
	// triesAtOnce is how often a switch may refuse a term that was raised for it, in a session, before it is asked again later
	// only: each costs a transaction.
	triesAtOnce = 3
)

// leapMost is how far above the term a generation is at most for which the term is raised. Switches compare two by the sign of
// their difference: a term that is half of all numbers above what others know would be below it, and any switch may claim any
// number. One that knows a generation farther away gets a term of its own, which is in no store.
const leapMost = 1 << 40

func (r *roles) init(g *Registry) {
	r.g = g
	r.Part = loop.Part{Name: "roles at switches", Bell: loop.NewBell(), Turn: r.turn}
}

// configure has a switch send whole packets.
func (r *roles) configure(s *session.Session) {
	whole := cmp.Or(r.g.cfg.Session.MissSendLen, openflow.ControllerNoCut)
	_, _ = s.Send(&openflow.SetConfig{MissSendLen: whole}) // where it fails the session ends
}

// resolve asks a switch for the generation that it knows. The answer comes to the session's reader.
func (r *roles) resolve(sw *Switch) {
	if sw.role.lost.Load() {
		return
	}
	err := sw.Session.Request(&openflow.RoleRequest{Role: openflow.RoleNoChange}, func(m openflow.Message, err error) {
		reply, ok := m.(*openflow.RoleReply)
		switch {
		case errors.Is(err, session.ErrTimeout) && !sw.role.later: // nothing says that it knows roles
			sw.role.writes.Store(true)
			r.g.apply()
			r.again(sw, err)
		case err != nil || !ok:
			r.again(sw, err)
		default:
			if int64(reply.Generation-r.g.cfg.Terms.Term()) > 0 {
				sw.role.later = true
				sw.role.writes.Store(false)
				r.g.apply()
			}
			r.mu.Lock()
			r.known = append(r.known, knownGeneration{sw, reply.Generation})
			r.mu.Unlock()
			r.Bell.Ring()
		}
	})
	if err != nil {
		r.again(sw, err)
	}
}

// again has a switch asked later, as it, or the store, has not answered.
func (r *roles) again(sw *Switch, why error) {
	if errors.Is(why, session.ErrClosed) {
		return
	}
	n := sw.role.tries.Add(1)
	pause := min(retryAtFirst<<min(n-1, 10), retryAtMost)
	r.g.cfg.Log.Warn("the switch has not made this instance its master: it is asked again", "dpid", sw.DPID, "why", why, "in", pause)
	r.mu.Lock()
	r.later = append(r.later, retry{sw: sw, at: r.g.cfg.Now().Add(pause)})
	r.mu.Unlock()
	r.Bell.Ring()
}

// turn raises the term above what switches have told, and asks them again.
func (r *roles) turn() (next time.Time) {
	now := r.g.cfg.Now()
	r.mu.Lock()
	list, later := r.known, r.later
	r.known, r.later = nil, nil
	for _, l := range later {
		if now.Before(l.at) {
			r.later = append(r.later, l)
			if next.IsZero() || l.at.Before(next) {
				next = l.at
			}
		}
	}
	r.mu.Unlock()
	for _, l := range later {
		switch {
		case now.Before(l.at):
		case l.reclaim:
			r.request(l.sw, r.g.cfg.Terms.Term())
		default:
			r.resolve(l.sw)
		}
	}
	var failed error // of the store: the others need not wait for it too
	for _, k := range list {
		if failed == nil {
			ctx, cancel := context.WithTimeout(context.Background(), raiseLimit)
			var term uint64
			if term, failed = r.above(ctx, k.generation); failed == nil {
				r.ask(k.sw, term)
			}
			cancel()
		}
		if failed != nil {
			r.again(k.sw, failed)
		}
	}
	return next
}

// above returns a term above a generation, which is in the store, or is this switch's alone if it is far away.
func (r *roles) above(ctx context.Context, generation uint64) (term uint64, err error) {
	terms := r.g.cfg.Terms
	if int64(generation-terms.Term()) < leapMost {
		return terms.Raise(ctx, generation)
	}
	return generation + 1, terms.Confirm(ctx)
}

// ask asks a switch for the role in a term that was raised for it. The answer comes to the session's reader.
func (r *roles) ask(sw *Switch, term uint64) {
	if !sw.role.lost.Load() {
		r.request(sw, term)
	}
}

// request is ask, of a switch that may have another master.
func (r *roles) request(sw *Switch, term uint64) {
	request := &openflow.RoleRequest{Role: openflow.RoleMaster, Generation: term}
	err := sw.Session.Request(request, func(m openflow.Message, err error) {
		reply, ok := m.(*openflow.RoleReply)
		switch {
		case err == nil && ok && reply.Role == openflow.RoleMaster:
			r.g.cfg.Log.Info("this instance is the master of a switch, in a term above what it knew", "dpid", sw.DPID, "term", term)
			r.configure(sw.Session) // which was left out of the handshake
			sw.role.writes.Store(true)
			r.ends(sw) // what it refused in between was written before
			r.g.apply()
		case session.IsStale(err) && sw.role.tries.Add(1) < triesAtOnce: // another was faster
			r.resolve(sw)
		case err == nil:
			sw.role.writes.Store(false)
			r.loses(sw, "it answers the request for the role of master with another one: "+anotherMaster)
			r.g.apply()
		default:
			r.again(sw, err)
		}
	})
	if err != nil {
		r.again(sw, err)
	}
}
