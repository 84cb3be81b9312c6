package bench

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/bench"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/cli/command"
)

// scenario completes the command of a scenario, with the flags that all have: it measures s or, if
// there is a prepare, what that makes of its own flags.
func scenario(cmd *cobra.Command, s bench.Scenario, prepare func(*pflag.FlagSet) (bench.Scenario, error)) *pflag.FlagSet {
	f, out, with := cmd.Flags(), &command.ReportFiles{}, s.With()
	out.AddFlags(f)
	f.IntVar(&with.Runs, "runs", cmp.Or(with.Runs, 5), "runs; the report has their median")
	cmd.Args = command.WantNoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		if prepare != nil {
			if s, err = prepare(f); err != nil {
				return err
			}
		}
		return measure(cmd, out, s)
	}
	return f
}

// intentScenario completes the command of a scenario of intents, whose setup is c.
func intentScenario(
	cmd *cobra.Command, s bench.Scenario, c *bench.Setup, prepare func(*pflag.FlagSet) (bench.Scenario, error),
) *pflag.FlagSet {
	f := scenario(cmd, s, func(f *pflag.FlagSet) (bench.Scenario, error) {
		if c.Controller != "" {
			c.Token = client.FindToken(c.Token, "")
		}
		if prepare == nil {
			return s, nil
		}
		return prepare(f)
	})
	f.StringVar(&c.Topology, "topology", "wan:206",
		"of the emulated network: linear:N, ring:N, wan:N and others that weir emulate knows, without options")
	f.IntVar(&c.Hops, "hops", 6, "switches of each path")
	f.DurationVar(&c.Limit, "limit", 0, "how long anything may take that is waited for (default 2m0s)")
	seedFlag(f, &c.Seed, "of the topology and the ends of the paths")
	f.StringVar(&c.Controller, "controller", "",
		"OpenFlow address of an instance that runs, HOST:PORT, with --api; if none is given, one is started for each run")
	f.StringVar(&c.API, "api", "", "address of that instance's API, HOST:PORT or a URL")
	f.StringVar(&c.Token, "token", "", "token for that API (default $WEIR_TOKEN)")
	programFlag(f, &c.Program)
	f.StringVar(&c.Dir, "dir", "",
		"directory for the data of instances that are started, which is removed again (default: that of temporary files)")
	return f
}

// checkedScenario completes the command of a scenario of intents that the null instance is measured
// in too.
func checkedScenario(
	cmd *cobra.Command, s bench.Scenario, c *bench.Setup, prepare func(*pflag.FlagSet) (bench.Scenario, error),
) *pflag.FlagSet {
	f := intentScenario(cmd, s, c, prepare)
	selfCheckFlag(f, &c.NoSelfCheck)
	f.BoolVar(&c.PlainSwitches, "plain-switches", false,
		"measure once more with switches that decode every flow-mod, instead of reading those of paths from their bytes")
	return f
}

// formFlag is --form for scenarios with one form.
func formFlag(f *pflag.FlagSet, form *string) {
	f.StringVar(form, "form", string(paths.FormNDJSON), "how requests are written: "+strings.Join(paths.Forms(), ", "))
}

func programFlag(f *pflag.FlagSet, program *string) {
	f.StringVar(program, "program", "",
		"weir binary of the instances, to compare two binaries with one generator (default this one)")
}

func seedFlag(f *pflag.FlagSet, seed *uint64, usage string) { f.Uint64Var(seed, "seed", 1, usage) }

func selfCheckFlag(f *pflag.FlagSet, without *bool) {
	f.BoolVar(without, "no-self-check", false, "leave out the null instance, which shows what the generator itself can do")
}

// measure measures a scenario, when its flags can be meant, and shows the report.
func measure(cmd *cobra.Command, out *command.ReportFiles, s bench.Scenario) error {
	with := s.With()
	with.Build, with.Command, with.Note = command.Build(), command.Line(), command.Notes(cmd)
	if err := cmp.Or(command.Positive(cmd.Flags()), s.Check(), out.Check()); err != nil {
		return err
	}
	r, err := bench.Run(cmd.Context(), s)
	if err != nil {
		return command.RuntimeError(err)
	}
	return out.Show(cmd, r)
}

// exclusive refuses two flags that were both given and contradict each other.
func exclusive(f *pflag.FlagSet, one, other string) error {
	if f.Changed(one) && f.Changed(other) {
		return fmt.Errorf("--%s and --%s given, want one of them", one, other)
	}
	return nil
}
