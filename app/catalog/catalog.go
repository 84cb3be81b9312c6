package catalog

import (
	"fmt"
	"log/slog"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/app"
	"github.com/weirnet/weir/app/broadcast"
	"github.com/weirnet/weir/app/failmode"
	"github.com/weirnet/weir/app/forward"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/discovery"
	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/southbound"
	"github.com/weirnet/weir/stats"
	"github.com/weirnet/weir/topology"
)

// Engines are what the applications of an instance stand on.
type Engines struct {
	Config    *config.Config // whole
	View      *netview.View
	Maps      *topology.Source // of the view
	Alarms    *alarm.Board
	Discovery *discovery.Discovery
	Log       *slog.Logger
	Now       func() time.Time
	// Generation is a number of this run of the instance, see forward.Config; Seed see stats.Config.
	Generation uint16
	Seed       uint64
}

// Apps are the applications of an instance.
type Apps struct {
	Broadcast *broadcast.Broadcast // nil: disabled
	Forward   *forward.Forward     // nil: disabled
	Stats     *stats.Loop

	failModes *failmode.Watch // nil: disabled
	engines   Engines
	list      []*running
}

// inline is an application that the readers of sessions call.
type inline struct {
	app    southbound.App
	part   *loop.Part // nil: none of its own
	early  bool       // Parts has its part in front
	counts func() map[string]uint64
}

// running is an application in an instance.
type running struct {
	listed
	inline
	disabled string                  // why it does not run, as the API says it; empty: it does
	host     *app.Host               // of one that is not inline
	contain  *southbound.Containment // of an inline one that is not vital
	failed   atomic.Pointer[string]  // why an inline one was ended
	settings any                     // what it was given last
}

// all are the applications that there are, disabled ones too: those of every instance, and others.
func all(extra []app.Spec) []listed {
	list := slices.Clone(builtin)
	for _, s := range extra {
		list = append(list, listed{Spec: s})
	}
	return list
}

// disabled reports whether an application is, or the one that it is disabled with.
func (l *listed) disabled(names []string) bool {
	return slices.Contains(names, l.Name) || l.with != "" && slices.Contains(names, l.with)
}

// Schema is what a configuration may say of the applications of an instance that has some besides those
// of every instance.
func Schema(extra []app.Spec) (list []config.App) {
	for _, l := range all(extra) {
		list = append(list, l.schema())
	}
	return list
}

func (l *listed) schema() config.App {
	return config.App{Name: l.Name, Required: l.required, Settings: l.Settings}
}

var name = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// Check finds what is wrong with applications besides those of every instance, and with the names of
// those that --disable-app disables.
func Check(extra []app.Spec, disable []string) error {
	required := map[string]bool{}
	var names []string
	for _, l := range all(extra) {
		if _, twice := required[l.Name]; twice || !name.MatchString(l.Name) {
			return fmt.Errorf("application %q: want a name of its own, of lower-case letters, digits and -", l.Name)
		}
		if required[l.Name] = l.required; !l.required {
			names = append(names, l.Name)
		}
		schema := l.schema()
		if err := schema.Check(); err != nil {
			return fmt.Errorf("application %s: %w", l.Name, err)
		}
	}
	for _, name := range disable {
		if needed, ok := required[name]; needed {
			return fmt.Errorf("--disable-app=%s: others need it; these may be disabled: %s", name, strings.Join(names, ", "))
		} else if !ok {
			return fmt.Errorf("--disable-app=%s: there is no such application; there are: %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}

// New makes the applications that are not disabled. Where tenants alone are served, an instance's own list is not made
// either: whom its applications answer is not known.
func New(e Engines, extra []app.Spec) *Apps {
	a := &Apps{engines: e}
	for _, l := range all(extra) {
		r := &running{listed: l}
		switch {
		case l.disabled(e.Config.Apps.Disable):
			r.disabled = "disabled"
		case e.Config.Role == config.RoleHypervisor && !l.tenants:
			r.disabled = "disabled: the instance serves tenants alone (role hypervisor)"
		}
		a.list = append(a.list, r)
		switch {
		case r.disabled != "":
		case l.inline != nil:
			if r.inline = l.inline(a); !l.vital {
				a.contain(r)
			}
		default:
			a.begin(r)
		}
	}
	return a
}

// begin makes an application that has a host.
func (a *Apps) begin(r *running) {
	e := &a.engines
	schema := r.schema()
	r.settings = schema.Of(e.Config)
	r.host = app.New(r.Spec, e.View, e.Alarms, app.Env{Settings: r.settings, Log: e.Log, Now: e.Now})
	r.inline = inline{app: r.host.InSessions(), part: &r.host.Part, counts: r.host.Counts}
}

// contain has a panic of an application end it, and not the instance.
func (a *Apps) contain(r *running) {
	e := &a.engines
	r.contain = southbound.NewContainment(func(why any, stack []byte) {
		text := fmt.Sprint("it panicked: ", why)
		r.failed.Store(&text)
		e.Log.Error("the application has panicked, and is not called again", "app", r.Name, "panic", why, "stack", string(stack))
		e.Alarms.Raise(netview.AlarmAppFailed, r.Name, text+": it is not called again; the log has more; start the instance again")
	})
	r.app = r.contain.App(r.app)
	if r.part != nil {
		r.contain.Part(r.part)
	}
}

// Configure gives the applications what has changed of their settings.
func (a *Apps) Configure(c *config.Config) {
	for _, r := range a.list {
		if r.host == nil {
			continue
		}
		schema := r.schema()
		if now := schema.Of(c); !reflect.DeepEqual(now, r.settings) {
			r.settings = now
			r.host.Configure(now)
		}
	}
}

// InSessions are the applications' parts in switches' sessions.
func (a *Apps) InSessions() (list []southbound.App) {
	for _, r := range a.list {
		if r.app != nil {
			list = append(list, r.app)
		}
	}
	return list
}

// Parts are the parts of applications that have one, in the order in which they start, and what watches
// over those that may hang. It is asked once, when the engines know what is remembered.
func (a *Apps) Parts() []*loop.Part {
	list := []*loop.Part{&a.Stats.Part}
	if a.Forward != nil {
		list = append(list, &a.Forward.Follow(a.engines.Maps, a.engines.Now).Part)
	}
	if a.Broadcast != nil {
		a.Broadcast.Follow(a.engines.Maps)
		list = append(list, &a.Broadcast.Part)
	}
	var hosts []*app.Host
	for _, r := range a.list {
		if r.part != nil && !r.early {
			list = append(list, r.part)
		}
		if r.host != nil {
			hosts = append(hosts, r.host)
		}
	}
	if len(hosts) > 0 {
		list = append(list, app.Watch(a.engines.Now, hosts))
	}
	return list
}

// Hosts reports whether a part is that of an application that may hang without harm to others.
func (a *Apps) Hosts(p *loop.Part) bool {
	return slices.ContainsFunc(a.list, func(r *running) bool { return r.host != nil && r.part == p })
}

// Listed is told of a switch that was read for the first time in a session: whether it holds firm entries
// of ours.
func (a *Apps) Listed(dpid netview.DPID, holds bool) {
	a.failMode(func(w *failmode.Watch) { w.Listed(dpid, holds) })
}

// Forget is told of a deleted switch.
func (a *Apps) Forget(dpid netview.DPID) { a.failMode(func(w *failmode.Watch) { w.Forget(dpid) }) }

// failMode calls the watch for fail modes, if there is one.
func (a *Apps) failMode(call func(*failmode.Watch)) {
	i := slices.IndexFunc(a.list, func(r *running) bool { return r.Name == failmode.Owner })
	if a.failModes != nil {
		a.list[i].contain.Do(func() { call(a.failModes) })
	}
}
