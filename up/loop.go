package up

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/emu"
	emuapi "github.com/weirnet/weir/emu/api"
	"github.com/weirnet/weir/emu/attach"
	"github.com/weirnet/weir/emu/control"
	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/session/pipe"
	"github.com/weirnet/weir/tenant/tenancy"
)

// Config describes the instance and the network.
type Config struct {
	Node    node.Config // an empty DataDir is a new directory, removed at the end
	Network emu.Config  // Controllers and Dial are set by Run
	TCP     bool        // connect switches by TCP, not by pipes in the process
	// Cluster, if set, is the instances in place of one in this process: processes. Of Node only DataDir, Version, Log and
	// API are looked at then.
	Cluster *Cluster
	Pace    Pace
	// EmulatorAPI is the address of the network's own API, which accepts the instance's tokens;
	// empty for none.
	EmulatorAPI string
	// CaptureDir is the directory of captures that are asked for over EmulatorAPI; empty: the
	// working directory.
	CaptureDir string
	// Note, if not nil, is called with a line for each event of the topology's schedule,
	// concurrently with the functions below.
	Note func(line string)
	// Attach lists network devices of this machine to attach to ports of switches.
	Attach []attach.Spec
	// Intents is the number of host-to-host intents that are asked for when everything has
	// answered, at most one for each pair of hosts; their hosts ping each other when all are
	// installed. Cuts is the time between a cut of a link and its restoration, and until the next
	// cut; 0: none is cut.
	Intents int
	Cuts    time.Duration

	// called once, when all servers listen; emulator is the address of the network's API
	Ready     func(at node.Addresses, emulator string)
	Show      func(*State) // called once for each Pace.Show
	Complete  func(*State) // called once, when everything has answered
	Installed func(*State) // called once, when all intents are installed
}

// Pace holds periods. Zero fields mean their defaults.
type Pace struct {
	Show time.Duration // between two States; default 1 s
	Ping time.Duration // between two pings of a host; default 1 s
}

// pingSlots is the number of groups of hosts that ping one after the other within Pace.Ping.
const pingSlots = 20

// A ping to a new partner begins with a broadcast, which costs a hop at every switch. There are no
// new ones while more than maxInFlight frames are in flight, and at once only as many as take
// maxBroadcastHops hops, at least one.
const (
	maxInFlight      = 1000
	maxBroadcastHops = 100_000
)

// startSlots is the number of slots that ping at once until every host has answered, in networks of
// at most startSlotsMaxHosts hosts: the first ping of each is a broadcast.
const (
	startSlots         = 5
	startSlotsMaxHosts = 2000
)

// discoveryTimeout bounds the wait for discovery to settle before hosts begin to ping.
const discoveryTimeout = 5 * time.Second

// closeTimeout bounds the end of the network.
const closeTimeout = time.Second

// The goroutines: the instance's Run, and the caller's, which owns the pinger and the monitor. The
// network has its own.

// Run runs an instance and a network until the context ends, or one of them fails. The error is nil
// after an orderly end.
func Run(ctx context.Context, cfg Config) error {
	begun := time.Now()
	if cfg.Node.DataDir == "" {
		dir, err := os.MkdirTemp("", "weir-up-")
		if err != nil {
			return fmt.Errorf("no directory for the instance: %w", err)
		}
		defer os.RemoveAll(dir)
		cfg.Node.DataDir = dir
	}
	u := &up{cfg: cfg, begun: begun}
	if cfg.Cluster != nil {
		return u.runCluster(ctx)
	}
	return u.run(ctx)
}

type up struct {
	cfg   Config
	begun time.Time
	view  *netview.View
	crew  *crew // of a cluster; nil: the instance is in this process
	net   *emu.Network
	pings []*host.Ping // the last of each host; nil before
	// tenants are those of the instance.
	tenants *tenancy.Tenancies
	// startIntents starts the workload; nil: no intents are asked for
	startIntents func()
}

// run starts the instance, then the network, and ends both.
func (u *up) run(outer context.Context) error {
	ctx, stop := context.WithCancelCause(outer)
	defer stop(nil)
	pipes := pipe.Listen("pipe")
	ready := make(chan node.Addresses, 1)
	c := &u.cfg.Node
	c.View = func(v *netview.View) { u.view = v }
	c.Tenants = func(t *tenancy.Tenancies) { u.tenants = t }
	c.Ready = func(at node.Addresses) { ready <- at }
	if !u.cfg.TCP {
		c.Pipes = pipes
	}
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() {
		if err := node.Run(ctx, *c); err != nil {
			stop(err)
		}
	})
	select {
	case <-ctx.Done():
	case at := <-ready:
		if err := u.network(ctx, at, pipes); err != nil {
			stop(err)
		}
	}
	stop(nil)
	running.Wait()
	if cause := context.Cause(ctx); outer.Err() == nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// network runs the network beside the instance until the context ends.
func (u *up) network(ctx context.Context, at node.Addresses, pipes *pipe.Listener) error {
	c := u.cfg.Network
	c.Controllers = []string{at.OpenFlow}
	if u.crew != nil {
		c.Controllers = u.crew.cluster.OpenFlow()
	}
	c.Silent = true // they are pinged soon, at a limited rate
	if !u.cfg.TCP && u.crew == nil {
		c.Dial = func(ctx context.Context, _ string) (net.Conn, error) { return pipes.Dial(ctx) }
	}
	n, err := emu.New(c)
	if err != nil {
		return err
	}
	d := control.New(control.Config{Network: n, CaptureDir: u.cfg.CaptureDir, Note: u.cfg.Note})
	defer d.Close()
	for _, s := range u.cfg.Attach {
		if _, err := d.Attach(s); err != nil {
			return fmt.Errorf("--attach: %w", err)
		}
	}
	var running sync.WaitGroup
	defer running.Wait()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	emulator := ""
	if u.cfg.EmulatorAPI != "" {
		server, l, err := u.emulatorAPI(d)
		if err != nil {
			return err
		}
		emulator = l.Addr().String()
		running.Go(func() {
			if err := server.Serve(ctx, l); err != nil {
				stop(fmt.Errorf("the emulator's API: %w", err))
			}
		})
	}
	if u.cfg.Ready != nil {
		u.cfg.Ready(at, emulator)
	}
	if err := n.Start(ctx); err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		_ = n.Close(closing)
	}()
	d.Add(c.Topology.Schedule)
	running.Go(func() { d.Run(ctx) })
	u.net, u.pings = n, make([]*host.Ping, len(n.Hosts()))
	scheme := "http://"
	if at.APITLS {
		scheme = "https://"
	}
	w := &monitor{topology: c.Topology.Name, api: scheme + at.API, network: n, pinger: newPinger(c.Topology, c.Seed)}
	if u.crew != nil {
		w.seen, w.crew = u.crew, u.crew
		u.crew.allLinks = 2 * len(c.Topology.Links)
		running.Go(func() { u.crew.run(ctx) })
	} else {
		w.seen = ownView{u.view, u.tenants.Count}
	}
	if u.cfg.Intents > 0 {
		if w.workload, err = u.newWorkload(w, d); err != nil {
			return err
		}
		u.startIntents = func() {
			running.Go(func() {
				if err := w.workload.run(ctx); err != nil && ctx.Err() == nil {
					stop(err)
				}
			})
		}
	}
	u.loop(ctx, w)
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// emulatorAPI makes the network's own API. The instance has made the tokens.
func (u *up) emulatorAPI(d *control.Operator) (*emuapi.Server, net.Listener, error) {
	access := rest.Access{Open: u.cfg.Node.API.Auth == "none", Listen: u.cfg.EmulatorAPI, Names: u.cfg.Node.API.Hosts}
	if err := rest.CheckExposure(rest.Exposure{Listen: access.Listen, Open: access.Open,
		Insecure: u.cfg.Node.API.Insecure, NoTLS: true}); err != nil {
		return nil, nil, err
	}
	var err error
	dir := u.cfg.Node.DataDir
	if u.crew != nil {
		dir = u.crew.cluster.Instances[0].Dir
	}
	if access.Tokens, err = rest.LoadTokens(dir); err != nil {
		return nil, nil, err
	}
	l, err := net.Listen("tcp", u.cfg.EmulatorAPI)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot listen for the emulator's API: %w: choose another address with --emulator-api", err)
	}
	return emuapi.New(emuapi.Config{Operator: d,
		StackConfig: rest.StackConfig{Version: u.cfg.Node.Version, Access: access, Log: u.cfg.Node.Log}}), l, nil
}

// newWorkload makes the client of the instance's API that asks for intents.
func (u *up) newWorkload(w *monitor, d *control.Operator) (*workload, error) {
	var find func(context.Context) *client.Client
	if u.crew != nil {
		find = u.crew.ownerClient
	} else {
		c, err := client.New(client.Config{Address: w.api, Token: client.FindToken("", u.cfg.Node.DataDir)})
		if err != nil {
			return nil, err
		}
		find = func(context.Context) *client.Client { return c }
	}
	n := u.cfg.Network
	list := newDemoIntents(w.pinger, u.cfg.Intents, n.Seed)
	note := u.cfg.Note
	if note == nil {
		note = func(string) {}
	}
	return &workload{find: find, moves: u.crew != nil, operator: d, topo: n.Topology, list: list, cutEvery: u.cfg.Cuts,
		seed: n.Seed, note: note, states: newIntentStates(list)}, nil
}

// loop sends the pings and shows the State until the context ends.
func (u *up) loop(ctx context.Context, w *monitor) {
	ask := time.NewTicker(cmp.Or(u.cfg.Pace.Ping, time.Second) / pingSlots)
	defer ask.Stop()
	show := time.NewTicker(cmp.Or(u.cfg.Pace.Show, time.Second))
	defer show.Stop()
	complete, installed := false, false
	for slot := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-ask.C:
			if w.seen.settled() || time.Since(u.begun) > discoveryTimeout {
				slot = u.pingSlots(w, slot)
			}
			if t := w.network.Totals(); w.answered == 0 && w.complete(&t) {
				w.answered = time.Since(u.begun)
			}
		case <-show.C:
			if s := w.state(time.Since(u.begun)); u.cfg.Show != nil {
				u.cfg.Show(s)
			}
		}
		if w.answered != 0 && !complete {
			complete = true
			if u.crew != nil && u.startIntents == nil {
				u.crew.answered()
			}
			if u.cfg.Complete != nil {
				u.cfg.Complete(w.state(time.Since(u.begun)))
			}
			if u.startIntents != nil {
				u.startIntents()
			}
		}
		if complete && !installed && w.workload != nil && w.workload.allInstalled() {
			installed = true
			if u.crew != nil {
				u.crew.answered()
			}
			if u.cfg.Installed != nil {
				u.cfg.Installed(w.state(time.Since(u.begun)))
			}
		}
	}
}

// pingSlots has the hosts of the next slot ping, and returns the slot after it. At the start it
// takes several slots, and collects answers without waiting for the slot of the host.
func (u *up) pingSlots(w *monitor, slot int) int {
	turns := 1
	w.pinger.broadcasts = 0
	if t := w.network.Totals(); t.Frames < maxInFlight {
		w.pinger.broadcasts = max(maxBroadcastHops/max(t.Switches, 1), 1)
	}
	if hosts := len(u.pings); w.answered == 0 && hosts <= startSlotsMaxHosts {
		turns = startSlots
		for i := range hosts {
			u.collect(w, i, false)
		}
	}
	for range turns {
		for i := slot; i < len(u.pings); i += pingSlots {
			u.ping(w, i)
		}
		slot = (slot + 1) % pingSlots
	}
	return slot
}

// collect takes the answer to a host's last ping; late ends the wait for it.
func (u *up) collect(w *monitor, i int, late bool) {
	if u.pings[i] == nil {
		return
	}
	w.network.Hosts()[i].Do(func(*host.Host, time.Duration, host.Output) {
		switch r := u.pings[i].Report(); {
		case r.Received > 0:
			w.pinger.noteReply(i, r.RTT.Min)
		case !late && !r.Done:
			return
		default:
			w.pinger.noteLost()
		}
		u.pings[i] = nil
	})
}

// ping has a host send its next ping.
func (u *up) ping(w *monitor, i int) {
	u.collect(w, i, w.answered != 0)
	if u.pings[i] != nil {
		return
	}
	to, ok := w.pinger.nextPing(i)
	if !ok {
		return
	}
	w.network.Hosts()[i].Do(func(s *host.Host, now time.Duration, _ host.Output) {
		u.pings[i], _ = s.Ping(host.PingSpec{Dst: to, Count: 1, Timeout: cmp.Or(u.cfg.Pace.Ping, time.Second) * 9 / 10}, now)
	})
}
