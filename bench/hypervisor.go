package bench

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/bench/tenants"
)

// Hypervisor is what it costs tenants' controllers that a hypervisor stands between them and the switches: the same
// messages between the same ends over it, over a relay that copies bytes, and over nothing, in each run one after
// the other. Weir itself is measured, and another hypervisor if one is given. The zero value of a field means its
// default.
type Hypervisor struct {
	tenants.Config
	// Address is where another hypervisor that runs takes switches, which has been told of the tenants: each has the
	// packets of its VLAN, and the controller that Config.Controllers says. Empty: there is none.
	Address  string
	NoWeir   bool          // leaves out Weir
	PID      int           // of that hypervisor, whose CPU time is read; 0: not known
	Duration time.Duration // of one run; default 3 s
	// Cut is for how long there is load before and after each run that does not count; default a tenth of Duration,
	// negative none.
	Cut time.Duration
	// Attack, if not 0, has one more tenant, whose controller sends so many messages a second, as far as they are taken, and
	// waits for nothing (tenants.Attack). Beside that the same messages go to a sink, and there is no relay and no bare path.
	Attack int
	// AttackLimit is how many messages a second that tenant may send; 0: as many as it likes.
	AttackLimit int
	Program     string // the weir binary of instance and relay; default this one
	Options
}

// Check fills in defaults and finds what is wrong with a configuration, before anything is started.
func (c *Hypervisor) Check() error {
	c.Duration = cmp.Or(c.Duration, 3*time.Second)
	c.Cut = max(cmp.Or(c.Cut, c.Duration/10), 0)
	if c.Duration <= 0 {
		return fmt.Errorf("runs of %v given, want longer ones", c.Duration)
	}
	if c.Address != "" {
		_, port, err := net.SplitHostPort(c.Address)
		if n, bad := net.LookupPort("tcp", port); err != nil || bad != nil || n < 1 {
			return fmt.Errorf("hypervisor %q given, want HOST:PORT", c.Address)
		}
		if c.Controllers == "" {
			return errors.New("a hypervisor that runs given, and no address of controllers that it knows")
		}
	} else if c.PID != 0 {
		return errors.New("the process id of a hypervisor given, and not its address")
	}
	switch {
	case c.Attack < 0 || c.AttackLimit < 0:
		return errors.New("less than no messages given, of the tenant that attacks")
	case c.Attack == 0 && c.AttackLimit > 0:
		return errors.New("a limit of a tenant that attacks given, and no attack")
	case c.Attack > 0 && (c.Address != "" || c.NoWeir):
		return errors.New("an attack given, which is made on Weir alone")
	case c.Attack > 0 && c.Tenants == tenants.MaxTenants:
		return fmt.Errorf("%d tenants and an attack given, want one tenant less", c.Tenants)
	}
	return cmp.Or(c.Options.check(5), c.Config.Check())
}

// The subjects beside the hypervisor.
const (
	relayed   = "relay"
	untouched = target.Bare
	sunk      = "sink" // Weir too, with the messages of an attack sent elsewhere
)

func (c *Hypervisor) plan(r *report.Report) (list []participant) {
	r.Scenario, r.Title = "hypervisor", c.title()
	l := &r.Load
	l.OpenFlow, l.Topology, l.Switches = c.Version.String(), fmt.Sprintf("single:%d", c.Switches), c.Switches
	l.Tenants, l.Rate, l.Outstanding = c.Tenants, c.Rate*c.Tenants, c.Outstanding
	l.Seconds, l.Cut = c.Duration.Seconds(), c.Cut.Seconds()
	names := []string{relayed, untouched}
	if c.Address != "" {
		names = slices.Insert(names, 0, c.Address)
	}
	if !c.NoWeir {
		names = slices.Insert(names, 0, report.Weir)
	}
	if c.Attack > 0 {
		names = []string{report.Weir, sunk}
	}
	all := &comparison{}
	for _, name := range names {
		s := &stand{c: c, name: name, report: r, subject: subject{r.Add(name)}, all: all,
			perTenant: make([]tenantSpreads, c.Tenants)}
		s.latency = s.result.Distribution("latency", "from when a message was meant to be sent to when "+c.Kind.Until())
		if c.Rate > 0 {
			s.lateness = s.result.Distribution("lateness", "from when a message was meant to be sent to when it was")
		}
		all.stands = append(all.stands, s)
		list = append(list, s)
	}
	return list
}

// title says what is measured.
func (c *Hypervisor) title() string {
	how := fmt.Sprintf("%s outstanding of each", report.Thousands(c.Outstanding))
	if c.Rate > 0 {
		how = fmt.Sprintf("%s/s of each", report.Thousands(c.Rate))
	}
	delay := "TCP_NODELAY"
	if c.Nagle {
		delay = "no TCP_NODELAY"
	}
	title := fmt.Sprintf("hypervisor: %s, %s, OpenFlow %s, %s, %s, %s", c.Kind.Messages(),
		report.Plural(c.Tenants, "tenant", "tenants"), c.Version, report.Plural(c.Switches, "switch", "switches"), how, delay)
	if c.Attack > 0 {
		title += fmt.Sprintf(", beside one that sends %s messages/s", report.Thousands(c.Attack))
	}
	if c.AttackLimit > 0 {
		title += fmt.Sprintf(", and may send %s", report.Thousands(c.AttackLimit))
	}
	return title
}

// stand is a load with what stands between its ends.
type stand struct {
	subject
	c         *Hypervisor
	name      string
	report    *report.Report
	all       *comparison
	load      *tenants.Load
	attack    *tenants.Attack  // nil: there is none
	process   *target.Process  // nil: nothing is between them
	latency   report.Histogram // of all runs
	lateness  report.Histogram
	perTenant []tenantSpreads
	runs      []map[string]float64 // what is compared of each run
}

// tenantSpreads are the figures of a tenant in all runs, in the order of tenantColumns.
type tenantSpreads [6]report.Spread

var tenantColumns = [...]string{"mean", "p50", "p95", "p99", "max", "answered"}

// figures are those of a tenant in a run, the same in the same order.
func figures(x *tenants.Tenant) [len(tenantColumns)]float64 {
	return [...]float64{x.Mean, x.P50, x.P95, x.P99, x.Max, x.Rate}
}

// take adds the i-th run to the result.
func (s *stand) take(sm *tenants.Sample, i int) {
	x, h := s.result, sm.Latency
	at := func(q float64) float64 { return float64(h.ValueAtQuantile(q)) / 1e3 }
	compared := map[string]float64{"mean latency": h.Mean() / 1e3, "p50": at(50), "p99": at(99)}
	times := func() {
		x.Take("mean latency", "µs", h.Mean()/1e3)
		x.Take("p50", "µs", at(50))
		x.Take("p95", "µs", at(95))
		x.Take("p99", "µs", at(99))
		x.Take("max", "µs", float64(h.Max())/1e3)
	}
	what := s.c.Kind.Messages()
	if s.c.Rate > 0 || s.c.Outstanding == 1 {
		times()
		x.Take(what, "/s", sm.Rate())
	} else {
		compared = map[string]float64{what: sm.Rate()}
		x.Take(what, "/s", sm.Rate())
		times()
	}
	if s.c.Tenants > 1 {
		s.takeFairness(sm)
	}
	if s.c.Kind == tenants.FlowMod {
		x.Take("flow-mods that switches got, each", "", sm.FlowMods)
	}
	if s.process.Known() {
		x.Take("CPU, of a core", "%", 100*sm.Usage.Target.Seconds()/sm.Usage.Elapsed.Seconds())
	}
	x.Use("controllers, switches and generator", sm.Usage.Generator, sm.Work(), sm.Usage.GeneratorMemory)
	if s.process.Known() {
		x.Use(s.name, sm.Usage.Target, sm.Work(), sm.Usage.TargetMemory)
	}
	for n := range sm.Tenants {
		for f, v := range figures(&sm.Tenants[n]) {
			s.perTenant[n][f].Take(v)
		}
	}
	s.latency.Merge(h)
	if s.c.Rate > 0 {
		s.lateness.Merge(sm.Lateness)
	}
	s.runs = append(s.runs, compared)
	s.all.compare(i)
	s.c.Note("run %d of %d: %s: %s %s/s, mean latency %.1f µs, p99 %.1f µs", i+1, s.c.Runs, s.name, report.Thousands(sm.Rate()),
		what, h.Mean()/1e3, at(99))
}

// takeFairness adds how alike tenants were: at a rate by their times, else by how many messages were answered.
func (s *stand) takeFairness(sm *tenants.Sample) {
	var of []float64
	name := "mean latencies"
	for i := range sm.Tenants {
		if of = append(of, sm.Tenants[i].Mean); s.c.Rate == 0 {
			of[i], name = sm.Tenants[i].Rate, "rates"
		}
	}
	s.result.Take("Jain's index of tenants' "+name, "", tenants.Jain(of))
	s.result.Take("greatest ÷ least of tenants' "+name, "", slices.Max(of)/max(slices.Min(of), 1e-9))
}

// finish adds the table of tenants.
func (s *stand) finish() {
	t := &report.Table{Title: s.name + ": latencies and rates by tenant, medians of the runs",
		Head: append([]string{"tenant"}, tenantColumns[:]...)}
	for n := range s.perTenant {
		row := []string{fmt.Sprint(n + 1)}
		for f := range tenantColumns {
			v := s.perTenant[n][f].Median
			if tenantColumns[f] == "answered" {
				row = append(row, report.Thousands(v)+" /s")
			} else {
				row = append(row, report.FormatMicros(v))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	s.report.Tables = append(s.report.Tables, t)
}

// comparison puts the figures of a run beside those of the others in the same run.
type comparison struct {
	stands []*stand
	taken  float64 // messages a second that were taken of the attack of the last run of Weir
}

// compare adds the ratios of the i-th run, as soon as all that take part still have done it.
func (c *comparison) compare(i int) {
	var done []*stand
	for _, s := range c.stands {
		switch {
		case s.result.Refused != "":
		case len(s.runs) <= i:
			return
		default:
			done = append(done, s)
		}
	}
	for n, s := range done {
		for _, other := range done[n+1:] {
			for _, name := range []string{s.c.Kind.Messages(), "mean latency", "p50", "p99"} {
				if v, is := s.runs[i][name]; is && other.runs[i][name] > 0 {
					s.result.Take(name+" ÷ "+other.name, "×", v/other.runs[i][name])
				}
			}
		}
	}
}
