package cli

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/bench"
	"github.com/weirnet/weir/bench/paths"
)

func newBenchIntents() *cobra.Command {
	c := bench.Churn{Restart: true}
	stay := false
	form := string(paths.FormNDJSON)
	var out reportFiles
	cmd := &cobra.Command{
		Use:   "intents",
		Short: "What many intents take of an instance while some come and go, and how it comes back with them",
		Long: `An instance of this binary is started with its store on the disk, and a network of emulated switches connected by TCP. Intents are
installed until many are active; then they are installed and withdrawn for a time, at a --rate or as fast as the instance keeps up with. Then it is killed
(kill -9) and started again. Taken are rates, its memory and by how much that grows, the files of its store, and, of the restart, the times until its API is
ready and all switches are compared, and how many entries it writes. Every path is followed through the switches' entries before and after.`,
		Example: `  weir bench intents --runs 1
  weir bench intents --active 100000 --rate 20000 --duration 10m --runs 1`,
		Args: wantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			forms, err := formsOf([]string{form})
			if err != nil {
				return err
			}
			c.Form, c.Restart = forms[0], c.Controller == "" && !stay
			return out.intents(cmd, &c.Setup, &c)
		},
	}
	f := cmd.Flags()
	f.IntVar(&c.Active, "active", 1_000_000, "intents that are active")
	f.IntVar(&c.Rate, "rate", 0, "installs and withdrawals a second together (default as many as are kept up with)")
	f.DurationVar(&c.Duration, "duration", time.Minute, "of installing and withdrawing in each run")
	f.BoolVar(&stay, "no-restart", false, "do not kill the instance at the end")
	f.StringVar(&form, "form", form, "how requests are written: "+strings.Join(paths.Forms(), ", "))
	checkedFlags(f, &c.Setup, &out)
	return cmd
}

func newBenchLatency() *cobra.Command {
	c := bench.Latency{}
	var out reportFiles
	cmd := &cobra.Command{
		Use:   "intent-latency",
		Short: "How long a single intent takes over the REST interface until switches have it",
		Long: `An instance of this binary is started as often as there are runs, with its store on the disk, and a network of emulated switches
connected by TCP. Intents are asked for one after the other, by turns with an answer when they are durable and one when they are installed. Taken are the times
from the first byte of the request to the first and the last flow-mod that a switch received, and to the end of the answer.`,
		Example: "  weir bench intent-latency --count 5000",
		Args:    wantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return out.intents(cmd, &c.Setup, &c)
		},
	}
	f := cmd.Flags()
	f.IntVar(&c.Flows, "flows", 1000, "paths that are installed before")
	f.IntVar(&c.Count, "count", 2000, "intents of each run, half of them with an answer when they are durable")
	checkedFlags(f, &c.Setup, &out)
	return cmd
}

func newBenchReroute() *cobra.Command {
	c := bench.Reroute{}
	var out reportFiles
	cmd := &cobra.Command{
		Use:   "reroute",
		Short: "How fast paths leave a link that has failed",
		Long: `An instance of this binary is started as often as there are runs, with its store on the disk, and a network of emulated switches
connected by TCP. Paths are installed; then a link loses its carrier that about so many of them take as should move, drawn by the seed; and another, when all
paths have left it and it is back. Taken are the times from when the port-status message is about to leave the switch to the first and the last flow-mod that a
switch received for paths that had to move. Every path is followed through the switches' entries before and after.`,
		Example: "  weir bench reroute --cuts 20",
		Args:    wantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return out.intents(cmd, &c.Setup, &c)
		},
	}
	f := cmd.Flags()
	f.IntVar(&c.Flows, "flows", 16_000, "paths that are installed")
	f.IntVar(&c.Move, "move", 1000, "of them, about how many take the link that fails")
	f.IntVar(&c.Cuts, "cuts", 10, "of each run, each of another link")
	checkedFlags(f, &c.Setup, &out)
	return cmd
}
