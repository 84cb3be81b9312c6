package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/bench"
	"github.com/weirnet/weir/bench/paths"
)

func newBenchPaths() *cobra.Command {
	c := bench.Paths{}
	churn := bench.Churn{}
	sustained := false
	var forms []string
	var out reportFiles
	cmd := &cobra.Command{
		Use:   "paths",
		Short: "Time from a request for many paths to the flow-mods at the switches",
		Long: `Each run starts an instance of this binary, with its store on the disk, and connects emulated
switches over TCP. Paths for packets with two IPv4 addresses are installed; then --burst more are
requested at once, and withdrawn again. The report has the time from the first byte of the request
to the first and the last flow-mod at a switch, and to the end of the answer. Every path is followed
through the switches' entries: there is no result if one does not lead to its end over --hops
switches.

With --sustained, paths are installed and withdrawn for --duration while --active are there: as many
as the instance keeps up with, or at a --rate.`,
		Example: `  weir bench paths
  weir bench paths --form ndjson,protobuf --runs 10
  weir bench paths --sustained --form protobuf --runs 1
  weir bench paths --sustained --rate 100000`,
		Args: wantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f := cmd.Flags()
			err := only(f, sustained)
			if err != nil {
				return err
			}
			if c.Forms, err = formsOf(forms); err != nil {
				return err
			}
			if sustained {
				churn.Setup, churn.Scenario = c.Setup, "sustained"
				return benchSustained(cmd, &churn, c.Forms, &out)
			}
			return out.intents(cmd, &c.Setup, &c)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&forms, "form", nil, "how requests are written: "+strings.Join(paths.Forms(), ", ")+
		" (default all; with --sustained ndjson)")
	f.IntVar(&c.Flows, "flows", 15_000, "paths that are installed before")
	f.IntVar(&c.Burst, "burst", 1000, "paths that are asked for at once")
	f.IntVar(&c.Bursts, "bursts", 5, "of them in each run")
	f.BoolVar(&sustained, "sustained", false, "install and withdraw for a time instead")
	f.IntVar(&churn.Active, "active", 200_000, "with --sustained: paths that are active")
	f.IntVar(&churn.Rate, "rate", 0,
		"with --sustained: installs and withdrawals a second together (default as many as are kept up with)")
	f.DurationVar(&churn.Duration, "duration", time.Minute, "with --sustained: of each run")
	checkedFlags(f, &c.Setup, &out)
	return cmd
}

// only refuses flags of the other way to measure.
func only(f interface{ Changed(string) bool }, sustained bool) error {
	names, with := []string{"active", "rate", "duration"}, "with"
	if sustained {
		names, with = []string{"flows", "burst", "bursts"}, "without"
	}
	for _, name := range names {
		if f.Changed(name) {
			return fmt.Errorf("--%s given, want it %s --sustained only", name, with)
		}
	}
	return nil
}

// formsOf reads names of forms.
func formsOf(names []string) (forms []paths.Form, err error) {
	for _, name := range names {
		if !slices.Contains(paths.Forms(), name) {
			return nil, fmt.Errorf("--form %s given, want %s", name, strings.Join(paths.Forms(), ", "))
		}
		if !slices.Contains(forms, paths.Form(name)) {
			forms = append(forms, paths.Form(name))
		}
	}
	return forms, nil
}

// benchSustained installs and withdraws for a time, in one form.
func benchSustained(cmd *cobra.Command, c *bench.Churn, forms []paths.Form, out *reportFiles) error {
	if len(forms) > 1 {
		return fmt.Errorf("%d forms given, want one with --sustained", len(forms))
	}
	if len(forms) == 1 {
		c.Form = forms[0]
	}
	return out.intents(cmd, &c.Setup, c)
}
