package bench

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weirnet/weir/bench"
)

func newFailover() *cobra.Command {
	c := &bench.Failover{Options: bench.Options{Runs: 10}}
	var kill []string
	cmd := &cobra.Command{
		Use:   "failover",
		Short: "Kill instances of a cluster under load, and see what switches, packets and requests notice",
		Long: `Start a cluster of instances on loopback, and an emulated network whose switches connect to all of them. Pairs of hosts ping each
other over intents; more intents are offered at a set rate, by a request each, whether those before are answered or not. Then
instances are killed by SIGKILL, one after the other, and started again with what they have on the disk:

  owner       decides for the network, and is the master of its switches
  leader      leads the store, and is not the owner
  bystander   neither
  handover    the owner, which is ended by SIGTERM
  stopped     the owner, which is stopped by SIGSTOP, and goes on when another one has its place

Times are from the signal. Who is the master of a switch, and whose writes it accepts, is seen at the switches. There is no
result if a packet on an installed path is lost, a switch accepts a write of an instance that is not its master, an accepted
intent is missing, an entry that a barrier had confirmed to a tenant is missing and no restart was announced, or the intents
were offered late.`,
		Example: `  weir bench failover
  weir bench failover --kill owner,handover --kills 30 --tenant 100
  weir bench failover --instances 5 --topology wan:206,hosts=2 --rate 500`,
	}
	f := scenario(cmd, c, func(*pflag.FlagSet) (bench.Scenario, error) {
		c.Kill = nil
		for _, v := range kill {
			c.Kill = append(c.Kill, bench.Victim(v))
		}
		return c, nil
	})
	f.Lookup("runs").Usage = "how often each is killed; the report has the median"
	f.IntVar(&c.Runs, "kills", 10, "the same as --runs")
	f.StringSliceVar(&kill, "kill", []string{"owner", "leader", "bystander"}, "who is killed: owner, leader, bystander, handover, stopped")
	f.IntVar(&c.Instances, "instances", 3, "of the cluster, 3 to 7")
	f.StringVar(&c.Topology, "topology", "wan:100,hosts=2", "as weir emulate reads it")
	f.DurationVar(&c.Interval, "interval", 100*time.Millisecond, "between two pings of a host over an intent")
	f.IntVar(&c.Rate, "rate", 100, "intents offered a second")
	f.IntVar(&c.Tenant, "tenant", 0, "flow entries a second that a tenant's controller adds, each with a barrier; 0: no tenant")
	f.DurationVar(&c.Before, "before", 2*time.Second, "load before each kill, and after what is waited for")
	f.IntVar(&c.Intents, "intents", 0, "that are there from the beginning, beside those over which hosts ping each other")
	f.DurationVar(&c.LateLimit, "late-limit", 20*time.Millisecond, "by which one offered intent in a hundred may be late")
	f.DurationVar(&c.Limit, "limit", 2*time.Minute, "how long anything may take that is waited for")
	programFlag(f, &c.Program)
	seedFlag(f, &c.Seed, "of the topology")
	f.StringVar(&c.Dir, "dir", "", "directory for the data of instances, which is removed again (default: that of temporary files)")
	return cmd
}
