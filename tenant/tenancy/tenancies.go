package tenancy

import (
	"context"
	"crypto/tls"
	"log/slog"
	"maps"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/ruleset/object"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/stats"
	"github.com/weirnet/weir/tenant"
	"github.com/weirnet/weir/tenant/connect"
	"github.com/weirnet/weir/tenant/shares"
	"github.com/weirnet/weir/tenant/vswitch"
)

// Config is what Tenancies work with.
type Config struct {
	View   *netview.View
	Domain uint16
	// Orders orders rules from flowsync. It may call Outcomes.
	Orders func([]ruleset.Order)
	// Count has a switch be asked for the counters of tenants' entries, of groups or of meters, without waiting. Counted takes
	// what comes of it.
	Count func(netview.DPID, stats.Kind)
	// Held has a function be called with the groups and meters that have owners and that a switch has, without waiting; it
	// returns false if nobody knows.
	Held func(netview.DPID, func([]object.Held)) bool
	// Counters returns what is known of a switch's counters, nil if nothing is.
	Counters func(netview.DPID) *stats.Switch
	// DropHost has Weir forget a host, without waiting.
	DropHost func(netview.HostID)
	// Own reports whether a discovery frame is one of Weir's own.
	Own func(frame []byte) bool
	// Sessions is what is said of sessions with controllers.
	Sessions session.Config
	// TLS returns with what Weir connects to a controller that speaks TLS, as it is now.
	TLS func() (*tls.Config, error)
	Log *slog.Logger
	Now func() time.Time
}

// Patience is how long controllers stay connected to a virtual switch whose physical switch is away.
const Patience = 3 * time.Second

// Tenancies are the tenants of an instance at work. Its methods may be called from any goroutine.
type Tenancies struct {
	loop.Part
	cfg      Config
	sessions *session.Dialer
	began    time.Time
	dialing  context.Context // ended by the part's end
	stop     context.CancelFunc
	dialers  sync.WaitGroup

	wanted atomic.Pointer[tenant.Tenants] // the definitions that Set was given last

	// What follows is the part's.
	now      *tenant.Tenants // the definitions that are in force
	reserved *netview.Reservations
	seen     netview.Revision
	begun    bool

	mu        sync.Mutex // guards the maps of tenants and of their switches; the part alone changes these
	tenancies map[string]*tenancy

	shares   *shares.Shares // the tenants' turns at the processors
	saver    saver
	refused  refusals
	owners   atomic.Pointer[owners]
	physical sync.Map // netview.DPID -> *physical
	probes   probes
}

// owners is what packets are judged by. It does not change.
type owners struct {
	frames *vswitch.Frames      // of tenants with a space
	whole  []*tenant.Definition // those without, which have all at their ports
	spaces bool                 // some tenant has one
}

// physical is a physical switch with the virtual ones on it.
type physical struct {
	dpid    netview.DPID
	part    atomic.Pointer[part]                // of its session; nil without
	leaving atomic.Pointer[[]*virtual]          // that have been withdrawn, and whose rows others may not have yet
	virtual atomic.Pointer[map[uint16]*virtual] // by the tenant's number; a new map with each change, by the part
}

// of returns the virtual switch of a tenant; nil if it has none there.
func (p *physical) of(tenant uint16) *virtual {
	if all := p.virtual.Load(); all != nil {
		return (*all)[tenant]
	}
	return nil
}

// set sets the virtual switch of a tenant; nil: it has none there.
func (p *physical) set(tenant uint16, v *virtual) {
	next := make(map[uint16]*virtual)
	if all := p.virtual.Load(); all != nil {
		maps.Copy(next, *all)
	}
	if delete(next, tenant); v != nil {
		next[tenant] = v
	}
	p.virtual.Store(&next)
}

// leave keeps a virtual switch that has been withdrawn until all of its is gone, and forgets those of which that is so.
func (p *physical) leave(v *virtual) {
	kept := []*virtual{v}
	if before := p.leaving.Load(); before != nil {
		for _, other := range *before {
			if _, _, _, waiting := other.sw.Counts(); waiting > 0 {
				kept = append(kept, other)
			}
		}
	}
	p.leaving.Store(&kept)
}

// New returns tenancies without tenants.
func New(cfg Config) *Tenancies {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	s := &Tenancies{cfg: cfg, sessions: session.NewDialer(cfg.Sessions), began: cfg.Now(), now: tenant.New(),
		tenancies: make(map[string]*tenancy), reserved: cfg.View.Reservations()}
	s.shares = shares.New(runtime.GOMAXPROCS(0), s.elapsed)
	s.dialing, s.stop = context.WithCancel(context.Background())
	s.owners.Store(&owners{})
	s.saver = saver{log: cfg.Log.Warn, now: cfg.Now, rows: make(map[uint16]*vswitch.Rows),
		waiting: make(map[*connect.Switch]time.Time)}
	s.saver.part = loop.Part{Name: "tables of tenants", Bell: loop.NewBell(), Turn: s.saver.turn}
	s.Part = loop.Part{
		Name: "tenancies", Bell: loop.NewBell(), Turn: s.turn, End: s.end,
		Changed: func() <-chan struct{} { return cfg.View.Changed(s.seen) },
		Behind:  func() bool { return cfg.View.Snapshot().Revision() != s.seen },
	}
	return s
}

// Set gives it the definitions that are to be in force, which nobody changes any more.
func (s *Tenancies) Set(all *tenant.Tenants) {
	s.wanted.Store(all)
	s.Bell.Ring()
}

// Begin brings the definitions into force before the part runs, so that their rules are ordered before switches are served.
func (s *Tenancies) Begin() { s.turn() }

// end closes the connections to controllers, and writes what has changed last. The rules stay in the switches.
func (s *Tenancies) end() {
	s.stop()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.sessions.Close(ctx) // what a controller does not read in time is lost
	s.dialers.Wait()
	s.shares.Close()
	var all []*connect.Switch
	for _, t := range s.tenancies {
		for _, v := range t.virtual {
			all = append(all, v.sw)
		}
	}
	ctx, cancel = context.WithTimeout(context.Background(), finishLimit)
	defer cancel()
	s.saver.finish(ctx, all)
}

// finishLimit is how long the end waits for the journal.
const finishLimit = 2 * time.Second

// elapsed is the time since the tenancies were made: the clock of virtual switches.
func (s *Tenancies) elapsed() time.Duration { return s.cfg.Now().Sub(s.began) }

// at returns what is known of a physical switch.
func (s *Tenancies) at(dpid netview.DPID) *physical {
	if p, ok := s.physical.Load(dpid); ok {
		return p.(*physical)
	}
	p, _ := s.physical.LoadOrStore(dpid, &physical{dpid: dpid})
	return p.(*physical)
}

// Outcomes takes outcomes of rules of tenants.
func (s *Tenancies) Outcomes(list []ruleset.Outcome) {
	for from := 0; from < len(list); {
		to := from + 1
		at, of := placeOf(&list[from])
		for to < len(list) {
			if a, o := placeOf(&list[to]); a != at || o != of {
				break
			}
			to++
		}
		if of != 0 {
			s.at(at).told(of, list[from:to])
		} else {
			s.unclassified(list[from:to])
		}
		from = to
	}
}

// placeOf returns the switch of a rule of a tenant's entry, and the tenant's number; 0 for what tells tenants' packets from
// others'.
func placeOf(o *ruleset.Outcome) (at netview.DPID, tenant uint16) {
	tenant, row := plan.TenantRow(o.Rules.Number)
	if row == 0 || o.Rules.Len() == 0 {
		return 0, 0
	}
	_, hop := o.Rules.At(0)
	return hop.DPID, tenant
}

// told gives outcomes to the tenant's virtual switches, those too that have been withdrawn. What is another's does nothing there.
func (p *physical) told(tenant uint16, list []ruleset.Outcome) {
	if v := p.of(tenant); v != nil {
		v.sw.Outcomes(list)
	}
	if leaving := p.leaving.Load(); leaving != nil {
		for _, v := range *leaving {
			if v.tenant == tenant {
				v.sw.Outcomes(list)
			}
		}
	}
}
