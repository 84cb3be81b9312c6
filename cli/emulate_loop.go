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
	"time"

	"github.com/weirnet/weir/api"
	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/emu"
	emuapi "github.com/weirnet/weir/emu/api"
	"github.com/weirnet/weir/emu/desk"
	"github.com/weirnet/weir/up"
)

// emulateClosing is how long the network may take to end.
const emulateClosing = 1500 * time.Millisecond

// emulation is a network while weir emulate runs it.
type emulation struct {
	*emulateFlags
	out  io.Writer
	net  *emu.Network
	desk *desk.Desk
	told []string   // lines about what has come up, for introduce
	said sync.Mutex // one line at a time
}

// run runs the network until ctx ends. The goroutines: the API, the schedule, and the caller's, which tells how many are connected.
func (f *emulateFlags) run(ctx context.Context, out io.Writer) error {
	if err := f.loadTLS(); err != nil {
		return err
	}
	e := &emulation{emulateFlags: f, out: out}
	if err := e.make(); err != nil {
		return err
	}
	defer e.desk.Close()
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
	e.introduce()
	e.desk.Add(f.events)
	running.Go(func() { e.desk.Run(ctx) })
	e.watch(ctx)
	return e.end(context.Cause(ctx))
}

// make makes the network and its desk.
func (e *emulation) make() (err error) {
	cfg := emu.Config{Topology: e.topology, Versions: e.versions(), Controllers: e.controllers, Seed: e.seed, Silent: e.silent,
		Profile: e.profile, LocalPort: e.localPort}
	if e.switchTLS != nil {
		cfg.TLS = func(uint64) *tls.Config { return e.switchTLS }
	}
	if e.net, err = emu.New(cfg); err != nil {
		return err
	}
	e.desk = desk.New(desk.Config{Network: e.net, CaptureDir: e.captureDir, Note: func(line string) { e.say("event: %s", line) }})
	for _, line := range profileLines(e.net) {
		e.told = append(e.told, fmt.Sprintf("  profile   %s", line))
	}
	return e.attach()
}

// capture begins the captures that were asked for.
func (e *emulation) capture() error {
	for _, c := range e.captures {
		at, file, _ := strings.Cut(c, "=")
		file, err := filepath.Abs(file)
		if err == nil {
			_, err = e.desk.Capture(at, file, true)
		}
		if err != nil {
			return fmt.Errorf("--pcap=%s: %w", c, err)
		}
	}
	return nil
}

// introduce says what has come up: nothing is said before all of it has.
func (e *emulation) introduce() {
	t := e.net.Totals()
	e.say("weir %s: network %s: %s, %s, %s", Version, e.topology.Name, up.Counted(t.Switches, "switch", "switches"),
		up.Counted(t.Links, "link", "links"), up.Counted(t.Hosts, "host", "hosts"))
	for _, line := range e.told {
		e.say("%s", line)
	}
}

// attach joins devices to ports.
func (e *emulation) attach() error {
	for _, s := range e.devices {
		a, err := e.desk.Attach(s)
		if err != nil {
			return errors.Join(fmt.Errorf("--attach: %w", err), e.desk.Close())
		}
		e.told = append(e.told, fmt.Sprintf("  device    %s", a))
	}
	return nil
}

func (e *emulation) say(format string, args ...any) {
	e.said.Lock()
	defer e.said.Unlock()
	fmt.Fprintf(e.out, format+"\n", args...)
}

// listen makes the API.
func (e *emulation) listen() (*emuapi.Server, net.Listener, error) {
	access := api.Access{Open: e.auth == "none", Listen: e.api, Names: e.apiHosts}
	if !access.Open {
		var err error
		if access.Tokens, err = api.LoadTokens(e.dataDir); err != nil {
			return nil, nil, err
		}
	}
	l, err := net.Listen("tcp", e.api)
	if err != nil {
		return nil, nil, fmt.Errorf("API: %w", err)
	}
	scheme, token := "http", ""
	if e.apiTLS != nil {
		scheme = "https"
	}
	if !access.Open {
		e.told = append(e.told, fmt.Sprintf("  tokens    %s (--data-dir; they stay there)", e.dataDir))
		token = fmt.Sprintf("-H \"Authorization: Bearer $(cat %s)\" ", filepath.Join(e.dataDir, client.TokenFile))
	}
	e.told = append(e.told, fmt.Sprintf("  API       %s://%s\n  call it   curl %s%s://%s/v1/links", scheme, l.Addr(), token, scheme, l.Addr()))
	return emuapi.New(emuapi.Config{Desk: e.desk, Version: Version, Access: access, TLS: e.apiTLS}), l, nil
}

// watch tells how many switches are connected, and why not all are, whenever that has changed, at most once a second.
func (e *emulation) watch(ctx context.Context) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	begun, next := time.Now(), time.Now().Add(time.Second)
	f := fidelityWatch{say: e.say}
	for last, all := "", false; ; {
		t := e.net.Totals()
		switch now := time.Now(); {
		case !all && t.Connected == t.Switches && len(e.controllers) > 0:
			all, last = true, e.connected(&t)
			e.say("%s after %.2f s", last, now.Sub(begun).Seconds())
		case now.After(next):
			next = now.Add(time.Second)
			if line := e.connected(&t); line != last {
				last = line
				e.say("%s", line)
			}
		}
		f.look(e.net, time.Now())
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// connected says how many switches are connected, and why others are not.
func (e *emulation) connected(t *emu.Totals) string {
	line := fmt.Sprintf("%d of %d switches connected", t.Connected, t.Switches)
	if controller, reason := e.net.Trouble(); t.Connected < t.On && reason != "" {
		line += fmt.Sprintf("; controller %s: %s", controller, reason)
	}
	return line
}

// end takes the network down.
func (e *emulation) end(cause error) error {
	ctx, cancel := context.WithTimeout(context.Background(), emulateClosing)
	defer cancel()
	t, f := e.net.Totals(), e.net.Fidelity()
	err := e.net.Close(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = nil // connections were cut rather than ended
	}
	if !errors.Is(cause, context.Canceled) && cause != nil {
		err = errors.Join(cause, err)
	}
	e.say("network ended: %d packet-hops, %d packet-ins, %d flow-mods, %d frames lost", t.PacketHops, t.PacketIns, t.FlowMods, t.Drops.Total())
	if line := f.End(); line != "" {
		e.say("%s", line)
	}
	return errors.Join(err, e.desk.Close())
}
