package bench

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weirnet/weir/bench"
	"github.com/weirnet/weir/bench/paths"
)

func newPaths() *cobra.Command {
	c, churn := &bench.Paths{}, &bench.Churn{Scenario: "sustained"}
	sustained := false
	var forms []string
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
	}
	f := checkedScenario(cmd, c, &c.Setup, func(f *pflag.FlagSet) (_ bench.Scenario, err error) {
		if err = only(f, sustained); err != nil {
			return nil, err
		}
		if c.Forms, err = formsOf(forms); err != nil || !sustained {
			return c, err
		}
		churn.Setup = c.Setup
		switch len(c.Forms) {
		case 0:
		case 1:
			churn.Form = c.Forms[0]
		default:
			err = fmt.Errorf("%d forms given, want one with --sustained", len(c.Forms))
		}
		return churn, err
	})
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

// formOf reads the name of a form.
func formOf(name string) (paths.Form, error) {
	_, err := formsOf([]string{name})
	return paths.Form(name), err
}
