package cli

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/cluster/local"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/up"
)

// upTopology is the network of weir up and make run.
const upTopology = "wan:206"

// linePeriod is the time between two lines where there is no terminal.
const linePeriod = 10 * time.Second

// upFlags are the flags of weir up.
type upFlags struct {
	node    node.Config
	version openflow.Version
	seed    uint64
	tcp     bool
	plain   bool
	log     string
	// emulator is the address of the network's own API.
	emulator string
	captures string // folder of captures that its API asks for
	level    string
	attached []string
	profile  string
	intents  int
	cuts     time.Duration

	instances int
	peer      string
	killEvery time.Duration
}

func newUp() *cobra.Command {
	f := upFlags{node: node.Defaults(), level: "warn"}
	f.node.Peer.Listen = "none"
	f.node.DataDir = ""
	cmd := &cobra.Command{
		Use:   "up [TOPOLOGY]",
		Short: "Start an instance and an emulated network in one process",
		Long: `Start an instance and an emulated network in one process, without root: switches that speak OpenFlow to the instance, links,
and hosts that ping each other and change partners. On a terminal a page shows the state, elsewhere a line does,
every ` + linePeriod.String() + `; and once, when every switch is connected, every link found and every host has answered, how long that took. Events of a
schedule in a YAML file are shown when they happen.

TOPOLOGY is ` + strings.Join(topo.Forms(), ", ") + `, or a YAML or GraphML file; ` + upTopology + ` if none is given. ,hosts=H sets the number of
hosts of each switch.

Switches connect to the instance by pipes inside the process, or by TCP with --tcp. The instance is like that of weir node: other
switches may connect to it, and weir get, weir path and all other commands work on it.

With --instances 3 there is a cluster of three, each a process of its own, at ports that are ` + strconv.Itoa(local.PortStep) + ` apart (docs/cluster.md). The switches connect to
all of them. The number of one, typed on the terminal, kills it, as kill -9 does, and starts it again the next time; k does that with
the owner. Where there is no terminal the same are read from the standard input, a line each. --kill-every kills the owner
by itself. What is lost meanwhile is counted.`,
		Example: `  weir up
  weir up fattree:4,hosts=2
  weir up examples/two-sites.yaml
  weir up --intents 1000 --cuts 2s
  weir up --intents 0                     no intents, and no cuts
  weir up --instances 3 wan:50 --intents 100
  weir up ring:8 --openflow-version 1.0 --tcp`,
		Args: command.WantArgs(0, 1, "at most one TOPOLOGY, such as linear:4"),
		RunE: func(cmd *cobra.Command, args []string) error {
			spec := upTopology
			if len(args) > 0 {
				spec = args[0]
			}
			if spec != upTopology {
				f.withoutDemo(cmd.Flags())
			}
			return f.run(cmd, spec)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&f.node.DataDir, "data-dir", "",
		"directory of tokens, the store and what was learned; a temporary one if none is given")
	fs.StringVar(&f.node.Store, "store", f.node.Store, storeUsage)
	fs.StringVar(&f.node.OpenFlow.Listen, "openflow", f.node.OpenFlow.Listen,
		"address that other switches may connect to, HOST:PORT")
	fs.StringVar(&f.node.API.Listen, "api", f.node.API.Listen, "address of the API, HOST:PORT")
	fs.StringVar(&f.emulator, "emulator-api", "127.0.0.1:8182",
		"address of the emulated network's own API, which cuts links and the like (docs/emulator.md); empty for none")
	fs.StringVar(&f.node.API.Auth, "auth", f.node.API.Auth,
		"who may use the API: those with a token, or (none, on loopback only) everybody")
	fs.BoolVar(&f.node.API.Insecure, "insecure", false, "allow both APIs off loopback without TLS")
	fs.StringSliceVar(&f.node.API.Hosts, "api-host", nil, "further host names of the APIs")
	fs.StringVar(&f.captures, "capture-dir", ".", "folder of captures that are asked for over the emulated network's API")
	command.VersionFlag(fs, &f.version, "that the switches speak")
	fs.Uint64Var(&f.seed, "seed", 1, "of the mesh, and of all random events")
	fs.StringArrayVar(&f.attached, "attach", nil, attachUsage)
	fs.StringVar(&f.profile, "profile", "", command.ProfileUsage)
	fs.IntVar(&f.intents, "intents", 300,
		"number of intents between pairs of hosts; 0: none. 0 where a TOPOLOGY is given, unless said")
	fs.DurationVar(&f.cuts, "cuts", 5*time.Second,
		"time between a cut of a link and its restoration, when all intents are installed; 0: no cuts. 0 where a TOPOLOGY is given, unless said")
	fs.BoolVar(&f.tcp, "tcp", false, "connect switches by TCP, not by pipes in the process")
	fs.IntVar(&f.instances, "instances", 1, "of a cluster, 1 to 7; more than 1 are processes of their own, and imply --tcp")
	fs.StringVar(&f.peer, "peer", "127.0.0.1:9876", "with --instances: address that instances connect to each other by, HOST:PORT, of the first")
	fs.DurationVar(&f.killEvery, "kill-every", 0,
		"time between two kills of the owner, which is started again half of it later; 0: it is killed by hand only")
	fs.BoolVar(&f.plain, "plain", false, "lines instead of a page, on a terminal too")
	fs.StringVar(&f.log, "log", "", "file that the instance logs to; standard error if none is given and there is no page")
	fs.StringVar(&f.level, "log-level", f.level, "what is logged: debug, info, warn or error")
	return cmd
}

// withoutDemo turns intents and cuts off where their flags are not given.
func (f *upFlags) withoutDemo(given *pflag.FlagSet) {
	if !given.Changed("intents") {
		f.intents = 0
	}
	if !given.Changed("cuts") {
		f.cuts = 0
	}
}

// run is the command.
func (f *upFlags) run(cmd *cobra.Command, spec string) error {
	if f.intents < 0 || f.cuts < 0 {
		return fmt.Errorf("--intents %d and --cuts %v given, want none below 0", f.intents, f.cuts)
	}
	if err := f.checkExposure(); err != nil {
		return err
	}
	if err := f.checkInstances(cmd.Flags()); err != nil {
		return err
	}
	topology, err := topo.Load(spec, f.seed)
	if err != nil {
		return err
	}
	devices, err := readAttached(f.attached)
	if err != nil {
		return err
	}
	behaves, err := command.ReadProfile(f.profile)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	page := screenOf(out)
	if f.plain {
		page = nil
	}
	logTo, err := f.logger(cmd.ErrOrStderr(), page != nil)
	if err != nil {
		return err
	}
	cfg := up.Config{Node: f.node, TCP: f.tcp, Attach: devices}
	cfg.Network.Profile = behaves
	cfg.Node.Log, cfg.Node.Version, cfg.Node.Commit = logTo, command.Version, command.Commit()
	cfg.Network.Topology, cfg.Network.Seed, cfg.Network.Versions = topology, f.seed, []openflow.Version{f.version}
	if cfg.Node.DataDir == "" {
		if cfg.Node.DataDir, err = os.MkdirTemp("", "weir-up-"); err != nil {
			return command.RuntimeError(err)
		}
		defer os.RemoveAll(cfg.Node.DataDir)
	}
	// A closed terminal or pipe ends it as an interrupt does: nothing is left behind. The signal SIGPIPE does not say that: it
	// comes for connections too whose other ends are gone.
	ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGHUP)
	defer stop()
	signal.Ignore(syscall.SIGPIPE)
	defer signal.Reset(syscall.SIGPIPE)
	out = &heard{out, stop}
	s := &upDisplay{out: out, page: page}
	if len(topology.Links) > 0 {
		s.link = topology.Links[0].ID
	}
	cfg.EmulatorAPI, cfg.CaptureDir, cfg.Note = f.emulator, f.captures, s.event
	dir := cfg.Node.DataDir
	if f.instances > 1 {
		restore, err := f.cluster(cmd, &cfg, s)
		if err != nil {
			return command.RuntimeError(err)
		}
		defer restore()
		dir = filepath.Join(dir, "a")
	}
	cfg.Ready = func(at node.Addresses, emulator string) { s.ready(at, emulator, dir) }
	cfg.Show, cfg.Complete, cfg.Installed = s.show, s.complete, s.installed
	cfg.Intents, cfg.Cuts = f.intents, f.cuts
	err = up.Run(ctx, cfg)
	if s.fidelity != "" {
		fmt.Fprintln(out, s.fidelity)
	}
	if s.survived != "" {
		fmt.Fprintln(out, s.survived)
	}
	return nodeError(err)
}

// heard is an output that calls ended when nobody reads it any more.
type heard struct {
	io.Writer
	ended func()
}

// Write implements io.Writer.
func (h *heard) Write(b []byte) (int, error) {
	n, err := h.Writer.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		h.ended()
	}
	return n, err
}

// checkExposure refuses unprotected APIs off loopback.
func (f *upFlags) checkExposure() error {
	for _, one := range []struct{ flag, address string }{{"api", f.node.API.Listen}, {"emulator-api", f.emulator}} {
		if one.address == "" {
			continue
		}
		if err := rest.CheckExposure(rest.Exposure{Listen: one.address, Insecure: f.node.API.Insecure,
			Open: f.node.API.Auth == "none", NoTLS: true}); err != nil {
			return fmt.Errorf("--%s=%s given: %w", one.flag, one.address, err)
		}
	}
	return nil
}

// logger makes the log of the instance.
func (f *upFlags) logger(stderr io.Writer, page bool) (*slog.Logger, error) {
	if f.log != "" {
		file, err := os.OpenFile(f.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return nil, fmt.Errorf("--log=%s: %w", f.log, err)
		}
		stderr = file
	} else if page {
		stderr = io.Discard
	}
	return newLogger(stderr, f.level)
}
