package node_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/session"
)

// patience is how long a test waits for what must come: reached only by a test that fails.
const patience = 30 * time.Second

// poll is how often a condition that rings no bell is looked at again.
const poll = 5 * time.Millisecond

// bell wakes those who wait for something to have happened.
type bell struct {
	mu   sync.Mutex
	next chan struct{}
}

func (b *bell) heard() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}

// logs is what an instance logged, to be shown where a test fails.
type logs struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// instance is a running instance, its API, and all that its switches were told.
type instance struct {
	t       testing.TB
	cfg     node.Config
	at      node.Addresses
	api     *client.Client
	log     logs
	bell    bell
	journal *journal
	end     context.CancelFunc
	ended   chan error
}

// config is that of a test: addresses of the system's choice, a directory of its own, discovery in
// a hurry.
func config(t testing.TB) node.Config {
	cfg := node.Defaults()
	cfg.Peer.Listen = "none"
	cfg.OpenFlow.Listen, cfg.API.Listen, cfg.DataDir = "127.0.0.1:0", "127.0.0.1:0", t.TempDir()
	cfg.Discovery.LLDPPeriod = 100 * time.Millisecond
	cfg.Version = "test"
	return cfg
}

// running is how many instances of the test run.
var running atomic.Int32

// start runs an instance until the test ends.
func start(t testing.TB, change ...func(*node.Config)) *instance {
	t.Helper()
	i := &instance{t: t, cfg: config(t), ended: make(chan error, 1)}
	i.journal = &journal{bell: &i.bell}
	i.cfg.Log = slog.New(slog.NewTextHandler(&i.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	for _, f := range change {
		f(&i.cfg)
	}
	ready := make(chan node.Addresses, 1)
	i.cfg.Ready = func(at node.Addresses) { ready <- at }
	var ctx context.Context
	ctx, i.end = context.WithCancel(context.Background())
	go func() {
		running.Add(1)
		err := node.Run(ctx, i.cfg)
		if running.Add(-1) == 0 && err == nil {
			err = stillRunning()
		}
		i.ended <- err
	}()
	select {
	case i.at = <-ready:
	case err := <-i.ended:
		t.Fatalf("the instance did not start: %v", err)
	}
	i.api = i.client(i.token(rest.AdminTokenFile))
	t.Cleanup(func() {
		if err := i.stop(); err != nil {
			t.Errorf("the instance ended with: %v", err)
		}
		if running.Load() > 0 {
			return // another instance of the test
		}
		if left := ownGoroutines(); len(left) > 0 {
			t.Errorf("%d goroutines are left, the first:\n%s", len(left), left[0])
		}
		if t.Failed() {
			t.Logf("the instance logged:\n%s", tail(i.log.String(), 40))
		}
	})
	return i
}

// stop ends the instance and returns what Run returned, the first time.
func (i *instance) stop() error {
	i.end()
	defer i.api.Close()
	select {
	case err, first := <-i.ended:
		if first {
			close(i.ended)
		}
		return err
	case <-time.After(patience):
		return errors.New("Run does not return")
	}
}

// stopWith stops the instance and waits until the sessions of an emulated network have ended.
func (i *instance) stopWith(n *loadswitch.Network) {
	i.t.Helper()
	var sessions []*session.Session
	for _, sw := range n.Switches {
		sessions = append(sessions, sw.Session())
	}
	if err := i.stop(); err != nil {
		i.t.Fatal(err)
	}
	for _, s := range sessions {
		<-s.Done()
	}
}

func (i *instance) token(file string) string {
	b, err := os.ReadFile(filepath.Join(i.cfg.DataDir, file))
	if err != nil {
		i.t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

func (i *instance) client(token string) *client.Client {
	c, err := client.New(client.Config{Address: i.at.API, Token: token})
	if err != nil {
		i.t.Fatal(err)
	}
	return c
}

// await waits until ok is true; it is asked again whenever a switch was told something.
func (i *instance) await(what string, ok func() bool) {
	i.t.Helper()
	late := time.After(patience)
	for {
		heard := i.bell.heard()
		if ok() {
			return
		}
		select {
		case <-heard:
		case <-time.After(poll):
		case <-late:
			i.t.Fatalf("waited in vain for %s", what)
		}
	}
}

// gone waits for the end of a session.
func (i *instance) gone(s *session.Session) {
	i.t.Helper()
	select {
	case <-s.Done():
	case <-time.After(patience):
		i.t.Fatal("the session goes on")
	}
}

// tail is the last lines of a text.
func tail(s string, lines int) string {
	all := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// must is a value that the API gave; an error fails the test.
func must[T any](i *instance) func(*T, error) *T {
	return func(v *T, err error) *T {
		i.t.Helper()
		if err != nil {
			i.t.Fatal(err)
		}
		return v
	}
}

func (i *instance) switches() []client.Switch {
	i.t.Helper()
	return must[client.Page[client.Switch]](i)(i.api.Switches(i.t.Context())).Items
}

func (i *instance) links() []client.Link {
	i.t.Helper()
	return must[client.Page[client.Link]](i)(i.api.Links(i.t.Context())).Items
}

func (i *instance) hosts() []client.Host {
	i.t.Helper()
	return must[client.Page[client.Host]](i)(i.api.Hosts(i.t.Context())).Items
}

func (i *instance) flows(dpid string) []client.Flow {
	i.t.Helper()
	return must[client.Page[client.Flow]](i)(i.api.Flows(i.t.Context(), dpid)).Items
}

// connected is how many switches are.
func (i *instance) connected() int {
	n := 0
	for _, sw := range i.switches() {
		if sw.Connected {
			n++
		}
	}
	return n
}

// stillRunning is an error if code of package node runs at this moment.
func stillRunning() error {
	buf := make([]byte, 4<<20)
	for _, stack := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		body, _, _ := strings.Cut(stack, "\ncreated by ")
		if strings.Contains(body, "github.com/weirnet/weir/node.") {
			return errors.New("Run has returned, and this still runs:\n" + stack)
		}
	}
	return nil
}

// ownGoroutines are the stacks of goroutines that run code of ours other than the tests'. They are
// given the time to end that the scheduler needs.
func ownGoroutines() []string {
	var left []string
	for late := time.Now().Add(patience / 10); time.Now().Before(late); runtime.Gosched() {
		buf := make([]byte, 4<<20)
		left = left[:0]
		for _, stack := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			ours := strings.Contains(stack, "github.com/weirnet/weir/")
			tests := strings.Contains(stack, "weir/node_test.") || strings.Contains(stack, "testing.tRunner")
			if ours && !tests {
				left = append(left, stack)
			}
		}
		if len(left) == 0 {
			return nil
		}
	}
	return left
}
