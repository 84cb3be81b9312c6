package emu

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/session/pipe"
)

// patience is how long a test waits for what must come, on a machine with other things to do.
const patience = 60 * time.Second

func patient(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// await waits until something is so.
func await(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after %v not yet: %s", patience, what)
		}
	}
}

// parse reads a topology.
func parse(t testing.TB, spec string) *topo.Topology {
	t.Helper()
	top, err := topo.Parse(spec, 1)
	if err != nil {
		t.Fatal(err)
	}
	return top
}

// control is a controller inside the process.
type control struct {
	server *session.Server
	ln     *pipe.Listener
}

// serve runs a controller until the test ends.
func serve(t testing.TB, h session.Handler, cfg session.Config) *control {
	c := &control{session.NewServer(cfg, h), pipe.Listen("controller")}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = c.server.Serve(c.ln)
	}()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_ = c.server.Close(ctx)
		<-done
	})
	return c
}

// dialTo gives each switch a pipe to the controller of a name.
func dialTo(controllers map[string]*control) dialer {
	return func(ctx context.Context, name string) (net.Conn, error) { return controllers[name].ln.Dial(ctx) }
}

// dialer makes connections, as Config.Dial.
type dialer = func(ctx context.Context, name string) (net.Conn, error)

// pick has each controller dialled in its own way.
func pick(how map[string]dialer) dialer {
	return func(ctx context.Context, name string) (net.Conn, error) { return how[name](ctx, name) }
}

// start runs a network until the test ends.
func start(t testing.TB, cfg Config) *Network {
	t.Helper()
	n, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeNetwork(t, n) })
	return n
}

func closeNetwork(t testing.TB, n *Network) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := n.Close(ctx); err != nil {
		t.Errorf("closing the network: %v", err)
	}
}

// joined runs a network whose switches all connect to one controller, and waits until they are.
func joined(t testing.TB, spec string, h session.Handler, v openflow.Version, more func(*Config)) *Network {
	t.Helper()
	cfg := Config{Topology: parse(t, spec), Versions: []openflow.Version{v}, Controllers: []string{"c"},
		stack: newStation, Seed: 1,
		Dial: dialTo(map[string]*control{"c": serve(t, h, session.Config{})})}
	if more != nil {
		more(&cfg)
	}
	n := start(t, cfg)
	if err := n.AwaitConnected(patient(t)); err != nil {
		t.Fatal(err)
	}
	return n
}

// station is a host that keeps what it gets for it, and sends what it is told to.
type station struct {
	spec *topo.Host

	mu    sync.Mutex
	heard [][]byte
	times []time.Duration
}

func newStation(h *topo.Host, _ uint64) (stack, error) { return &station{spec: h}, nil }

func (s *station) Receive(frame []byte, now time.Duration, _ host.Output) {
	if [6]byte(frame[:6]) != s.spec.MAC {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard, s.times = append(s.heard, append([]byte(nil), frame...)), append(s.times, now)
}

func (s *station) Step(time.Duration, host.Output) (time.Duration, bool) { return 0, false }

func (s *station) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.heard)
}

func stationOf(h *Host) *station { return h.stack.(*station) }

// frameBetween is a frame of some bytes from one host to another.
func frameBetween(from, to *Host, size int) []byte {
	b := make([]byte, size)
	copy(b, to.spec.MAC[:])
	copy(b[6:], from.spec.MAC[:])
	b[12], b[13] = 0x88, 0xb5 // for local experiments
	return b
}

// speak has a host send a frame to another.
func speak(from, to *Host, size int) {
	from.do(func(_ stack, _ time.Duration, out host.Output) { out.Send(frameBetween(from, to, size)) })
}
