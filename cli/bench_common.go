package cli

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/bench"
)

// What scenarios have in common.

func versionFlag(f *pflag.FlagSet, version *string, usage string) {
	f.Var(newEnumFlag(version, "1.0|1.3"), "openflow-version", usage)
}

func runsFlag(f *pflag.FlagSet, n *int, otherwise int) {
	f.IntVar(n, "runs", otherwise, "runs; the report has their median")
}

func programFlag(f *pflag.FlagSet, program *string) {
	f.StringVar(program, "program", "",
		"weir binary of the instances, to compare two binaries with one generator (default this one)")
}

func seedFlag(f *pflag.FlagSet, seed *uint64, usage string) { f.Uint64Var(seed, "seed", 1, usage) }

func selfCheckFlag(f *pflag.FlagSet, without *bool) {
	f.BoolVar(without, "no-self-check", false, "leave out the null instance, which shows what the generator itself can do")
}

// run measures a scenario, when its flags can be meant, and shows the report.
func (o *reportFiles) run(cmd *cobra.Command, s bench.Scenario) error {
	with := s.With()
	with.Build = fmt.Sprintf("weir %s, commit %s", Version, commit())
	with.Command = "weir " + strings.Join(os.Args[1:], " ")
	with.Note = func(format string, args ...any) { fmt.Fprintf(cmd.ErrOrStderr(), format+"\n", args...) }
	if err := cmp.Or(positive(cmd.Flags()), s.Check(), o.check()); err != nil {
		return err
	}
	r, err := bench.Run(cmd.Context(), s)
	if err != nil {
		return runtimeError(err)
	}
	return o.show(cmd, r)
}

// intents measures a scenario of intents.
func (o *reportFiles) intents(cmd *cobra.Command, c *bench.Setup, s bench.Scenario) error {
	if c.Controller != "" {
		c.Token = client.FindToken(c.Token, "")
	}
	return o.run(cmd, s)
}
