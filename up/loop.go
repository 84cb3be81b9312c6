package up

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/weirnet/weir/api"
	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/emu"
	emuapi "github.com/weirnet/weir/emu/api"
	"github.com/weirnet/weir/emu/attach"
	"github.com/weirnet/weir/emu/desk"
	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/session/pipe"
)

// Config says what is to run.
type Config struct {
	Node    node.Config // an empty DataDir is a new directory, removed at the end
	Network emu.Config  // Controllers and Dial are set by Run
	TCP     bool        // connect switches by TCP, not by pipes in the process
	Pace    Pace
	// EmulatorAPI is the address of the network's own interface, whose tokens are the instance's; empty for none.
	EmulatorAPI string
	// CaptureDir is the folder of captures that this interface asks for; empty: the working directory.
	CaptureDir string
	// Note is told what events of the topology's schedule did, a line each; nil: nobody is. It is called while others of these are.
	Note func(line string)
	// Attach are the machine's devices at ports of switches.
	Attach []attach.Spec
	// Intents are how many intents between two hosts the instance is asked for when everything has answered, at most one for each two;
	// their hosts talk when all are installed. Cuts is how often a link is cut then, or mended again; 0: none is.
	Intents int
	Cuts    time.Duration

	Ready    func(at node.Addresses, emulator string) // called once, when everything listens; emulator is the address of the network's interface
	Show     func(*State)                             // called once for each Pace.Show
	Complete func(*State)                             // called once, when everything has answered
	Wanted   func(*State)                             // called once, when all intents have been installed
}

// Pace is how often things happen. Zero fields mean their defaults.
type Pace struct {
	Show time.Duration // between two states; default 1 s
	Ask  time.Duration // between two questions of a host; default 1 s
}

// slots is in how many parts the hosts speak, one after the other, in each Pace.Ask.
const slots = 20

// A question that begins with a broadcast costs a hop at every switch. There are no new ones while more than busy frames are on
// their way, and no more at once than make broadcasts of so many hops; at least one.
const (
	busy      = 1000
	broadcast = 100_000
)

// hurry is how many slots have their turn at once until everybody has answered, where there are no more hosts than crowd: each of
// their first questions is a broadcast.
const (
	hurry = 5
	crowd = 2000
)

// patience is how long the instance may take to find what there is before hosts begin to speak.
const patience = 5 * time.Second

// closing is how long the network may take to end.
const closing = time.Second

// The goroutines: the instance's Run, and the caller's, which owns the talk and the watch. The network has its own.

// Run runs an instance and a network until the context ends, or one of them fails. The error is nil after an orderly end.
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
	return u.run(ctx)
}

type up struct {
	cfg   Config
	begun time.Time
	view  *netview.View
	net   *emu.Network
	pings []*host.Ping // the last of each host; nil before
	want  func()       // begins to ask for intents; nil: none are asked for
}

// run starts the instance, then the network, and ends both.
func (u *up) run(outer context.Context) error {
	ctx, stop := context.WithCancelCause(outer)
	defer stop(nil)
	pipes := pipe.Listen("pipe")
	ready := make(chan node.Addresses, 1)
	c := &u.cfg.Node
	c.View = func(v *netview.View) { u.view = v }
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
	c.Silent = true // they ask soon, at a pace
	if !u.cfg.TCP {
		c.Dial = func(ctx context.Context, _ string) (net.Conn, error) { return pipes.Dial(ctx) }
	}
	n, err := emu.New(c)
	if err != nil {
		return err
	}
	d := desk.New(desk.Config{Network: n, CaptureDir: u.cfg.CaptureDir, Note: u.cfg.Note})
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
		closing, cancel := context.WithTimeout(context.Background(), closing)
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
	w := &watch{topology: c.Topology.Name, api: scheme + at.API, network: n, view: u.view, talk: newTalk(c.Topology, c.Seed)}
	if u.cfg.Intents > 0 {
		if w.demand, err = u.demand(w, d); err != nil {
			return err
		}
		defer w.demand.api.Close()
		u.want = func() {
			running.Go(func() {
				if err := w.demand.run(ctx); err != nil && ctx.Err() == nil {
					stop(err)
				}
			})
		}
	}
	u.watch(ctx, w)
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// emulatorAPI makes the network's own interface. The instance has made the tokens.
func (u *up) emulatorAPI(d *desk.Desk) (*emuapi.Server, net.Listener, error) {
	access := api.Access{Open: u.cfg.Node.Auth == "none", Listen: u.cfg.EmulatorAPI, Names: u.cfg.Node.APIHosts}
	if err := api.CheckExposure(api.Exposure{Listen: access.Listen, Open: access.Open, Insecure: u.cfg.Node.Insecure, NoTLS: true}); err != nil {
		return nil, nil, err
	}
	var err error
	if access.Tokens, err = api.LoadTokens(u.cfg.Node.DataDir); err != nil {
		return nil, nil, err
	}
	l, err := net.Listen("tcp", u.cfg.EmulatorAPI)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot listen for the emulator's API: %w: choose another address with --emulator-api", err)
	}
	return emuapi.New(emuapi.Config{Desk: d, Version: u.cfg.Node.Version, Access: access, Log: u.cfg.Node.Log}), l, nil
}

// demand is what asks the instance for intents.
func (u *up) demand(w *watch, d *desk.Desk) (*demand, error) {
	c, err := client.New(client.Config{Address: w.api, Token: client.FindToken("", u.cfg.Node.DataDir)})
	if err != nil {
		return nil, err
	}
	n := u.cfg.Network
	list := newWants(w.talk, u.cfg.Intents, n.Seed)
	note := u.cfg.Note
	if note == nil {
		note = func(string) {}
	}
	return &demand{api: c, desk: d, topo: n.Topology, list: list, every: u.cfg.Cuts, seed: n.Seed, note: note, asked: newAsked(list)}, nil
}

// watch has the hosts talk, and shows what is.
func (u *up) watch(ctx context.Context, w *watch) {
	ask := time.NewTicker(or(u.cfg.Pace.Ask, time.Second) / slots)
	defer ask.Stop()
	show := time.NewTicker(or(u.cfg.Pace.Show, time.Second))
	defer show.Stop()
	told, wanted := false, false
	for slot := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-ask.C:
			if w.view.Snapshot().Settled() || time.Since(u.begun) > patience {
				slot = u.turn(w, slot)
			}
			if t := w.network.Totals(); w.answered == 0 && w.complete(&t) {
				w.answered = time.Since(u.begun)
			}
		case <-show.C:
			if s := w.state(time.Since(u.begun)); u.cfg.Show != nil {
				u.cfg.Show(s)
			}
		}
		if w.answered != 0 && !told {
			told = true
			if u.cfg.Complete != nil {
				u.cfg.Complete(w.state(time.Since(u.begun)))
			}
			if u.want != nil {
				u.want()
			}
		}
		if told && !wanted && w.demand != nil && w.demand.whole() {
			wanted = true
			if u.cfg.Wanted != nil {
				u.cfg.Wanted(w.state(time.Since(u.begun)))
			}
		}
	}
}

// turn has the next slot's hosts speak, and returns the one after it. In a hurry it is several slots' turn, and answers are not
// waited for until the turn of who asked.
func (u *up) turn(w *watch, slot int) int {
	turns := 1
	w.talk.fresh = 0
	if t := w.network.Totals(); t.Frames < busy {
		w.talk.fresh = max(broadcast/max(t.Switches, 1), 1)
	}
	if hosts := len(u.pings); w.answered == 0 && hosts <= crowd {
		turns = hurry
		for i := range hosts {
			u.listen(w, i, false)
		}
	}
	for range turns {
		for i := slot; i < len(u.pings); i += slots {
			u.speak(w, i)
		}
		slot = (slot + 1) % slots
	}
	return slot
}

// listen looks for the answer to a host's last question; late says that it is not waited for any longer.
func (u *up) listen(w *watch, i int, late bool) {
	if u.pings[i] == nil {
		return
	}
	w.network.Hosts()[i].Do(func(*host.Host, time.Duration, host.Output) {
		switch r := u.pings[i].Report(); {
		case r.Received > 0:
			w.talk.hear(i, r.RTT.Min)
		case !late && !r.Done:
			return
		default:
			w.talk.miss()
		}
		u.pings[i] = nil
	})
}

// speak has a host ask.
func (u *up) speak(w *watch, i int) {
	u.listen(w, i, w.answered != 0)
	if u.pings[i] != nil {
		return
	}
	to, ok := w.talk.ask(i)
	if !ok {
		return
	}
	w.network.Hosts()[i].Do(func(s *host.Host, now time.Duration, _ host.Output) {
		u.pings[i], _ = s.Ping(host.PingSpec{Dst: to, Count: 1, Timeout: or(u.cfg.Pace.Ask, time.Second) * 9 / 10}, now)
	})
}

func or(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}
