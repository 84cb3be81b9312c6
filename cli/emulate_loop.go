package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/emu"
	emuapi "github.com/weirnet/weir/emu/api"
	"github.com/weirnet/weir/emu/control"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/up"
)

// emulateCloseTimeout bounds the end of the network.
const emulateCloseTimeout = 1500 * time.Millisecond

// emulation is a network while weir emulate runs it.
type emulation struct {
	*emulateFlags
	out      io.Writer
	net      *emu.Network
	operator *control.Operator
	intro    []string   // lines for printIntro
	printing sync.Mutex // guards out
}

// run runs the network until ctx ends. The goroutines: the API, the schedule, and the caller's,
// which prints how many switches are connected.
func (f *emulateFlags) run(ctx context.Context, out io.Writer) error {
	if err := f.loadTLS(); err != nil {
		return err
	}
	e := &emulation{emulateFlags: f, out: out}
	if err := e.make(); err != nil {
		return err
	}
	defer e.operator.Close()
	var running sync.WaitGroup
	defer running.Wait()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if f.api != "" {
		server, l, err := e.listen()
		if err != nil {
			return err
		}
		running.Go(func() {
			if err := server.Serve(ctx, l); err != nil {
				stop(fmt.Errorf("API: %w", err))
			}
		})
	}
	if err := e.capture(); err != nil {
		return err
	}
	if err := e.net.Start(ctx); err != nil {
		return err
	}
	e.printIntro()
	e.operator.Add(f.events)
	running.Go(func() { e.operator.Run(ctx) })
	e.watch(ctx)
	return e.end(context.Cause(ctx))
}

// make makes the network and its control.
func (e *emulation) make() (err error) {
	cfg := emu.Config{Topology: e.topology, Versions: []openflow.Version{e.version}, Controllers: e.controllers,
		Seed: e.seed, Silent: e.silent, Profile: e.profile, LocalPort: e.localPort}
	if e.switchTLS != nil {
		cfg.TLS = func(uint64) *tls.Config { return e.switchTLS }
	}
	if e.net, err = emu.New(cfg); err != nil {
		return err
	}
	e.operator = control.New(control.Config{Network: e.net, CaptureDir: e.captureDir,
		Note: func(line string) { e.println("event: %s", line) }})
	for _, line := range profileLines(e.net) {
		e.intro = append(e.intro, fmt.Sprintf("  profile   %s", line))
	}
	return e.attach()
}

// capture starts the captures of --pcap.
func (e *emulation) capture() error {
	for _, c := range e.captures {
		at, file, _ := strings.Cut(c, "=")
		file, err := filepath.Abs(file)
		if err == nil {
			_, err = e.operator.Capture(at, file, false)
		}
		if err != nil {
			return fmt.Errorf("--pcap=%s: %w", c, err)
		}
	}
	return nil
}

// printIntro prints what was started, after all of it is.
func (e *emulation) printIntro() {
	t := e.net.Totals()
	e.println("weir %s: network %s: %s, %s, %s", command.Version, e.topology.Name, up.Counted(t.Switches, "switch", "switches"),
		up.Counted(t.Links, "link", "links"), up.Counted(t.Hosts, "host", "hosts"))
	for _, line := range e.intro {
		e.println("%s", line)
	}
}

// attach connects devices of this machine to ports.
func (e *emulation) attach() error {
	for _, s := range e.devices {
		a, err := e.operator.Attach(s)
		if err != nil {
			return errors.Join(fmt.Errorf("--attach: %w", err), e.operator.Close())
		}
		e.intro = append(e.intro, fmt.Sprintf("  device    %s", a))
	}
	return nil
}

func (e *emulation) println(format string, args ...any) {
	e.printing.Lock()
	defer e.printing.Unlock()
	fmt.Fprintf(e.out, format+"\n", args...)
}

// listen makes the API.
func (e *emulation) listen() (*emuapi.Server, net.Listener, error) {
	access := rest.Access{Open: e.auth == "none", Listen: e.api, Names: e.apiHosts}
	if !access.Open {
		var err error
		if access.Tokens, err = rest.LoadTokens(e.dataDir); err != nil {
			return nil, nil, err
		}
	}
	l, err := net.Listen("tcp", e.api)
	if err != nil {
		return nil, nil, listenError(e.api, err)
	}
	url, token := curlTarget(l.Addr().String(), e.apiTLS != nil, access.Open, e.dataDir)
	if !access.Open {
		e.intro = append(e.intro, fmt.Sprintf("  tokens    %s (--data-dir; they stay there)", e.dataDir))
	}
	e.intro = append(e.intro, fmt.Sprintf("  API       %s\n  call it   curl %s%s/v1/links", url, token, url))
	return emuapi.New(emuapi.Config{Operator: e.operator,
		StackConfig: rest.StackConfig{Version: command.Version, Access: access, TLS: e.apiTLS}}), l, nil
}

// listenError adds what to do about an address that is not available.
func listenError(address string, err error) error {
	if op := new(net.OpError); errors.As(err, &op) {
		err = op.Err // without the address, which is said
	}
	taken := ""
	if errors.Is(err, syscall.EADDRINUSE) {
		taken = " (is another emulated network running?)"
	}
	return fmt.Errorf("cannot listen for the API on %s: %w%s: give another address with --api", address, err, taken)
}

// watch prints how many switches are connected, and why not all are, whenever that has changed, at
// most once a second.
func (e *emulation) watch(ctx context.Context) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	begun, next := time.Now(), time.Now().Add(time.Second)
	f := fidelityReporter{printf: e.println}
	for last, announced, before := "", false, false; ; {
		t := e.net.Totals()
		all := t.Connected == t.Switches && len(e.controllers) > 0 && !e.refused()
		first := all && before && !announced // twice in a row: a refused switch is connected for a moment
		before = all
		switch now := time.Now(); {
		case first:
			announced, last = true, e.connected(&t)
			e.println("%s after %.2f s", last, now.Sub(begun).Seconds())
		case now.After(next):
			next = now.Add(time.Second)
			if line := e.connected(&t); line != last {
				last = line
				e.println("%s", line)
			}
		}
		f.check(e.net, time.Now())
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// connected formats how many switches are connected, and why others are not.
func (e *emulation) connected(t *emu.Totals) string {
	line := fmt.Sprintf("%d of %d switches connected", t.Connected, t.Switches)
	if controller, reason := e.net.Trouble(); reason != "" && (t.Connected < t.On || e.refused()) {
		line += fmt.Sprintf("; controller %s: %s", controller, reason)
	}
	return line
}

// refused reports whether a controller has refused a switch and not accepted it since.
func (e *emulation) refused() bool {
	_, reason := e.net.Trouble()
	return strings.HasPrefix(reason, emu.Refused)
}

// end closes the network and prints its totals.
func (e *emulation) end(cause error) error {
	ctx, cancel := context.WithTimeout(context.Background(), emulateCloseTimeout)
	defer cancel()
	t, f := e.net.Totals(), e.net.Fidelity()
	err := e.net.Close(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = nil // connections were closed without their end of stream
	}
	if !errors.Is(cause, context.Canceled) && cause != nil {
		err = errors.Join(cause, err)
	}
	e.println("network ended: %d packet-hops, %d packet-ins, %d flow-mods, %d frames lost", t.PacketHops, t.PacketIns,
		t.FlowMods, t.Drops.Total())
	if line := f.Summary(); line != "" {
		e.println("%s", line)
	}
	return errors.Join(err, e.operator.Close())
}
