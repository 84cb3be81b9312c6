package up

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
)

// waiting is how long a test waits for what takes a second or two.
const waiting = time.Minute

// runUntil runs a network until all of it has answered, and then until f returns.
func runUntil(t *testing.T, cfg Config, word string, f func(at node.Addresses, emulator string, s *State)) {
	t.Helper()
	ctx, end := context.WithTimeout(t.Context(), waiting)
	defer end()
	cfg.Network.Topology = topology(t, word)
	defaults := node.Defaults()
	defaults.API.Listen, defaults.OpenFlow.Listen = "127.0.0.1:0", "127.0.0.1:0"
	defaults.API.Auth, defaults.DataDir = "none", cfg.Node.DataDir
	cfg.Node = defaults
	cfg.EmulatorAPI = "127.0.0.1:0"
	cfg.Pace = Pace{Show: 50 * time.Millisecond, Ping: 200 * time.Millisecond}
	var at node.Addresses
	emulator := ""
	var last *State
	whole := false
	cfg.Ready = func(a node.Addresses, e string) { at, emulator = a, e }
	cfg.Show = func(s *State) { last = s }
	cfg.Complete = func(s *State) {
		whole = true
		f(at, emulator, s)
		end()
	}
	if err := Run(ctx, cfg); err != nil {
		t.Fatal(err)
	}
	if !whole {
		t.Fatalf("not all have answered: %+v", last)
	}
}

// All of a network with loops is there, by pipes and by TCP, with either version; and the API knows
// it.
func TestRun(t *testing.T) {
	for name, cfg := range map[string]Config{"pipes": {}, "TCP": {TCP: true}} {
		for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
			t.Run(name+" "+v.String(), func(t *testing.T) {
				cfg.Network.Versions = []openflow.Version{v}
				runUntil(t, cfg, "ring:4,hosts=2", func(at node.Addresses, emulator string, s *State) {
					if s.Switches != (Progress{4, 4}) || s.Links != (Progress{4, 4}) || s.Hosts != (Progress{8, 8}) ||
						s.Answered == 0 || s.Flows == 0 {
						t.Errorf("%+v", s)
					}
					c, err := client.New(client.Config{Address: at.API})
					if err != nil {
						t.Fatal(err)
					}
					defer c.Close()
					p, err := c.Switches(t.Context())
					if err != nil || len(p.Items) != 4 {
						t.Fatalf("%v, %v", p, err)
					}
					if piped := strings.HasPrefix(p.Items[0].Address, "pipe:"); piped == cfg.TCP {
						t.Errorf("connected from %q", p.Items[0].Address)
					}
					if got := p.Items[0].OpenFlow; got != v.String() {
						t.Errorf("a switch speaks %s, want %s", got, v)
					}
					answer, err := http.Get("http://" + emulator + "/v1/links")
					if err != nil {
						t.Fatal(err)
					}
					defer answer.Body.Close()
					var links struct{ Items []struct{ ID string } }
					if err := json.NewDecoder(answer.Body).Decode(&links); err != nil || len(links.Items) != 4+8 {
						t.Errorf("the emulator's API has %d links, want 4 and 8 of hosts: %v", len(links.Items), err)
					}
				})
			})
		}
	}
}

// Intents that the instance is asked for are installed, hosts talk over them, and links are cut and
// mended.
func TestIntents(t *testing.T) {
	ctx, end := context.WithTimeout(t.Context(), waiting)
	defer end()
	defaults := node.Defaults()
	defaults.API.Listen, defaults.OpenFlow.Listen = "127.0.0.1:0", "127.0.0.1:0"
	defaults.API.Auth, defaults.DataDir = "none", t.TempDir()
	cfg := Config{Node: defaults, Intents: 20, Cuts: 300 * time.Millisecond,
		Pace: Pace{Show: 50 * time.Millisecond, Ping: 200 * time.Millisecond}}
	cfg.Network.Topology, cfg.Network.Versions = topology(t, "torus:3x3"), []openflow.Version{openflow.V13}
	all := 0
	var last *State
	done := false
	cfg.Installed = func(s *State) { all = s.Intents.EverInstalled }
	cfg.Show = func(s *State) {
		last = s
		if w := &s.Intents; w.Cuts >= 2 && w.Reroutes > 0 && w.Sent > 500 && w.States[stateInstalled] == 20 {
			done = true
			end()
		}
	}
	if err := Run(ctx, cfg); err != nil {
		t.Fatal(err)
	}
	if !done || all != 20 {
		t.Fatalf("%d intents were installed, then %+v", all, last)
	}
	if w := &last.Intents; w.Lost > 2*uint64(w.Reroutes) { // of a path that a cut moves: what is in flight, both ways
		t.Errorf("%d of %d packets over intents were lost by %d cuts, which moved %d paths", w.Lost, w.Sent, w.Cuts, w.Reroutes)
	}
}

// A directory that nobody asked for is gone at the end; one that was asked for stays.
func TestNothingIsLeft(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	runUntil(t, Config{}, "linear:2", func(node.Addresses, string, *State) {
		if dirs, err := filepath.Glob(filepath.Join(os.TempDir(), "weir-up-*")); err != nil || len(dirs) != 1 {
			t.Errorf("while it runs: %v, %v", dirs, err)
		}
	})
	if dirs, err := filepath.Glob(filepath.Join(os.TempDir(), "weir-up-*")); err != nil || len(dirs) != 0 {
		t.Errorf("left: %v, %v", dirs, err)
	}
	asked := Config{}
	asked.Node.DataDir = t.TempDir()
	runUntil(t, asked, "linear:2", func(node.Addresses, string, *State) {})
	if _, err := os.Stat(filepath.Join(asked.Node.DataDir, client.TokenFile)); err != nil {
		t.Error(err)
	}
}

// What keeps the instance from starting ends all, and is said.
func TestNoStart(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	cfg := Config{Node: node.Defaults()}
	cfg.Network.Topology = topology(t, "linear:2")
	cfg.Node.DataDir, cfg.Node.API.Listen, cfg.Node.OpenFlow.Listen = t.TempDir(), "127.0.0.1:0", taken.Addr().String()
	if err := Run(t.Context(), cfg); err == nil {
		t.Error("started at an address that is taken")
	}
	cfg.Node.Name = ""
	var bad *node.ConfigError
	if err := Run(t.Context(), cfg); !errors.As(err, &bad) {
		t.Errorf("without a name: %v", err)
	}
}
