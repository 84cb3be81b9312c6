package bench

import (
	"cmp"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weirnet/weir/bench"
	"github.com/weirnet/weir/bench/tenants"
	"github.com/weirnet/weir/cli/command"
)

func newHypervisor() *cobra.Command {
	c := &bench.Hypervisor{}
	total, noDelay := 0, true
	cmd := &cobra.Command{
		Use:   "hypervisor",
		Short: "What a hypervisor costs tenants' controllers, beside a relay and nothing at all",
		Long: `Tenants' controllers and emulated switches exchange messages: without anything between them (bare),
over a process that copies bytes (relay), over an instance of this binary that has been told of the
tenants (weir), and over another hypervisor if one is given, in each run one after the other. The report has latencies of all tenants and of each, how alike they were (Jain's index), the
CPU use of what stands between, and the ratios of each run. With --rate, messages are meant for their
times whether others were answered or not, all that are due in a millisecond for its beginning, and
latency counts from then; without it, as many as --outstanding wait at any time, and what counts is how
many come through. There is no result if the generator was late, a message was lost, came twice or came
to another tenant: the report says why, and the exit code is 1.

Another hypervisor has to give each tenant the packets of a VLAN, 100 for the first, 101 for the next, at
all ports, and to connect each to its controller, the first at --controllers, the next at the next port.`,
		Example: `  weir bench hypervisor --rate 40000
  weir bench hypervisor --message packet-out --tenants 20 --total-rate 60000 --tcp-nodelay=false
  weir bench hypervisor --message flow-mod --outstanding 1
  weir bench hypervisor --message reaction --tenants 4 --rate 1000 --attack 10000 --attack-limit 1000
  weir bench hypervisor --openflow-version 1.0 --hypervisor 127.0.0.1:6633 --controllers 127.0.0.1:10000`,
	}
	f := scenario(cmd, c, func(f *pflag.FlagSet) (bench.Scenario, error) {
		c.Nagle = !noDelay
		err := cmp.Or(exclusive(f, "rate", "outstanding"), exclusive(f, "total-rate", "outstanding"),
			exclusive(f, "rate", "total-rate"), command.Positive(f))
		switch {
		case err != nil:
			return nil, err
		case c.Cut < 0:
			return nil, fmt.Errorf("--cut %v given, want 0s or more", c.Cut)
		case c.Cut == 0 && f.Changed("cut"):
			c.Cut = -1
		}
		if total > 0 {
			if c.Rate = total / max(c.Tenants, 1); c.Rate*c.Tenants != total {
				return nil, fmt.Errorf("--total-rate %d and --tenants %d given, want as many messages of each", total, c.Tenants)
			}
		}
		return c, nil
	})
	f.Var(command.Enum(&c.Kind, tenants.Kinds()...), "message",
		"what is sent and waited for; flow-mod is one with a barrier, whose answer is waited for (default packet-in)")
	command.VersionFlag(f, &c.Version, "that controllers and switches speak")
	f.IntVar(&c.Tenants, "tenants", 1, fmt.Sprintf("tenants, %d at most", tenants.MaxTenants))
	f.IntVar(&c.Switches, "switches", 1, "switches, each shared by all tenants")
	f.IntVar(&c.Rate, "rate", 0, "messages a second of each tenant, whether answers come or not, instead of --outstanding")
	f.IntVar(&total, "total-rate", 0, "the same, of all tenants together")
	f.IntVar(&c.Outstanding, "outstanding", 0, "messages of each tenant that wait for answers (default 256)")
	f.BoolVar(&noDelay, "tcp-nodelay", true, "connections of controllers, switches and the relay have TCP_NODELAY")
	f.StringVar(&c.Address, "hypervisor", "", "where another hypervisor takes switches, HOST:PORT; needs --controllers")
	f.BoolVar(&c.NoWeir, "no-weir", false, "leave out Weir")
	f.IntVar(&c.PID, "hypervisor-pid", 0, "its process id, to read its CPU use")
	f.StringVar(&c.Controllers, "controllers", "",
		"HOST:PORT where the first tenant's controller listens for it, each other one at the next port")
	f.DurationVar(&c.Duration, "duration", 3*time.Second, "of one run")
	f.DurationVar(&c.Warmup, "warmup", time.Second, "load before the first run, which does not count")
	f.DurationVar(&c.Cut, "cut", 0, "load before and after each run that does not count (default a tenth of --duration)")
	f.DurationVar(&c.Settle, "settle", time.Minute, "how long it may take until messages of all tenants come through")
	f.DurationVar(&c.LateLimit, "late-limit", time.Millisecond, "at a set rate: how late one message in a hundred may be sent")
	f.IntVar(&c.Attack, "attack", 0,
		"messages a second of one more tenant, which waits for nothing, to Weir and, beside that, to a sink")
	f.IntVar(&c.AttackLimit, "attack-limit", 0, "messages a second that Weir reads of that tenant (default all)")
	programFlag(f, &c.Program)
	return cmd
}
