package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weirnet/weir/bench"
	"github.com/weirnet/weir/bench/report"
)

// What scenarios have in common.

func versionFlag(f *pflag.FlagSet, version *string, usage string) {
	f.Var(newEnumFlag(version, "1.0|1.3"), "openflow-version", usage)
}

func runsFlag(f *pflag.FlagSet, n *int, otherwise int) {
	f.IntVar(n, "runs", otherwise, "runs, of which the median is told")
}

func programFlag(f *pflag.FlagSet, program *string) {
	f.StringVar(program, "program", "",
		"the weir binary that instances are started of, to compare two with one generator (default this one)")
}

func seedFlag(f *pflag.FlagSet, seed *uint64, usage string) { f.Uint64Var(seed, "seed", 1, usage) }

func selfCheckFlag(f *pflag.FlagSet, without *bool) {
	f.BoolVar(without, "no-self-check", false, "leave out the null instance, by which the generator checks itself")
}

// measured fills in who measures, by which command, and who is told what is being done.
func measured(cmd *cobra.Command, by, command *string, note *func(string, ...any)) {
	*by, *command = fmt.Sprintf("weir %s, commit %s", Version, commit()), "weir "+strings.Join(os.Args[1:], " ")
	*note = func(format string, args ...any) { fmt.Fprintf(cmd.ErrOrStderr(), format+"\n", args...) }
}

// run measures, and shows the report.
func (o *reportFiles) run(cmd *cobra.Command, measure func(context.Context) (*report.Report, error)) error {
	r, err := measure(cmd.Context())
	if err != nil {
		return runtimeError(err)
	}
	return o.show(cmd, r)
}

// intents measures a scenario of intents, when the flags that are named beside those of setupFlags,
// and all else, can be meant.
func (o *reportFiles) intents(cmd *cobra.Command, c *bench.Setup, check func() error,
	measure func(context.Context) (*report.Report, error), more ...string) error {
	setUp(cmd, c)
	if err := cmp.Or(positive(cmd.Flags(), append(more, setupPositive...)...), check(), o.check()); err != nil {
		return err
	}
	return o.run(cmd, measure)
}
