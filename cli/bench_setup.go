package cli

import (
	"github.com/spf13/pflag"

	"github.com/weirnet/weir/bench"
)

// setupFlags are the flags of all scenarios of intents.
func setupFlags(f *pflag.FlagSet, c *bench.Setup, out *reportFiles) {
	f.StringVar(&c.Topology, "topology", "wan:206",
		"of the emulated network: linear:N, ring:N, wan:N and others that weir emulate knows, without options")
	f.IntVar(&c.Hops, "hops", 6, "switches of each path")
	runsFlag(f, &c.Runs, 5)
	f.DurationVar(&c.Limit, "limit", 0, "how long anything may take that is waited for (default 2m0s)")
	seedFlag(f, &c.Seed, "of the topology and the ends of the paths")
	f.StringVar(&c.Controller, "controller", "",
		"OpenFlow address of an instance that runs, HOST:PORT, with --api; if none is given, one is started for each run")
	f.StringVar(&c.API, "api", "", "address of that instance's API, HOST:PORT or a URL")
	f.StringVar(&c.Token, "token", "", "token for that API (default $WEIR_TOKEN)")
	programFlag(f, &c.Program)
	f.StringVar(&c.Dir, "dir", "",
		"directory for the data of instances that are started, which is removed again (default: that of temporary files)")
	out.flags(f)
}

// checkedFlags are setupFlags of a scenario that the null instance is measured in too.
func checkedFlags(f *pflag.FlagSet, c *bench.Setup, out *reportFiles) {
	selfCheckFlag(f, &c.NoSelfCheck)
	f.BoolVar(&c.PlainSwitches, "plain-switches", false,
		"measure once more with switches that decode every flow-mod, instead of reading those of paths from their bytes")
	setupFlags(f, c, out)
}
