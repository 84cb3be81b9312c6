package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
)

// lab is a running instance with a configuration file and three switches in a ring.
type lab struct {
	reload chan os.Signal
	end    func()
}

// TestNodeScripts runs testdata/node/*.txt against an instance at $API whose data directory is
// $DATA and whose configuration file is weir.yaml. The command hup has it read that file again, and
// returns when it has; tokenfrom has a variable hold the token of a file.
func TestNodeScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/node", RequireExplicitExec: true, UpdateScripts: os.Getenv("REWRITE") != "",
		Setup: func(e *testscript.Env) error {
			l, at, err := startLab(e)
			if err != nil {
				return err
			}
			e.Defer(l.end)
			e.Setenv("API", at.API)
			e.Setenv("DATA", filepath.Join(e.WorkDir, "data"))
			e.Setenv("WEIR_TOKEN", "")
			e.Values["lab"] = l
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"usage": usage,
			"tokenfrom": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Setenv(args[1], strings.TrimSpace(ts.ReadFile(args[0])))
			},
			"hup": func(ts *testscript.TestScript, _ bool, _ []string) {
				l := ts.Value("lab").(*lab)
				l.reload <- syscall.SIGHUP
				l.reload <- syscall.SIGHUP // taken when the first is done
			},
		},
	})
}

func startLab(e *testscript.Env) (*lab, node.Addresses, error) {
	l := &lab{reload: make(chan os.Signal)}
	path := filepath.Join(e.WorkDir, "weir.yaml")
	if _, err := os.Stat(path); err != nil {
		if err := os.WriteFile(path, []byte("switches: {1: {name: one}}\n"), 0o644); err != nil {
			return nil, node.Addresses{}, err
		}
	}
	ready := make(chan node.Addresses, 1)
	cfg := node.Defaults()
	cfg.Peer.Listen = "none"
	cfg.OpenFlow.Listen, cfg.API.Listen = "127.0.0.1:0", "127.0.0.1:0"
	cfg.DataDir, cfg.ConfigFile = filepath.Join(e.WorkDir, "data"), path
	cfg.Discovery.LLDPPeriod, cfg.Reload, cfg.Ready = 100*time.Millisecond, l.reload, func(at node.Addresses) { ready <- at }
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- node.Run(ctx, cfg) }()
	l.end = func() { cancel(); <-done }
	select {
	case at := <-ready:
		n, err := ring(ctx, cfg.DataDir, at)
		if err != nil {
			l.end()
			return nil, at, err
		}
		stop := l.end
		l.end = func() { n.Close(context.Background()); stop() }
		return l, at, nil
	case err := <-done:
		cancel()
		return nil, node.Addresses{}, err
	}
}

// ring connects three switches in a ring, and waits for its links.
func ring(ctx context.Context, dir string, at node.Addresses) (*loadswitch.Network, error) {
	top, err := loadswitch.ParseTopology("ring:3", 1)
	if err != nil {
		return nil, err
	}
	n := loadswitch.New(top, loadswitch.Config{Version: openflow.V13, Hosts: 1})
	if err := n.Connect(ctx, at.OpenFlow); err != nil {
		return nil, err
	}
	c, err := client.New(client.Config{Address: at.API, Token: client.FindToken("", dir)})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	for {
		links, err := c.Links(ctx)
		if err != nil {
			return nil, err
		}
		up := 0
		for _, l := range links.Items {
			if l.Up {
				up++
			}
		}
		if up == 6 {
			return n, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestDrainWarnings wants what remains at a drained object named on standard error.
func TestDrainWarnings(t *testing.T) {
	none, two := 0, 2
	for _, c := range []struct {
		bound *int
		want  string
	}{
		{nil, ""}, {&none, ""},
		{&two, "weir: warning: switch 0000000000000001 (one) is not free: 2 pairs have no other path and would lose their connection\n"},
	} {
		var out strings.Builder
		warnBound(&out, &client.Drain{Kind: "switch", Object: "0000000000000001", Name: "one", Bound: c.bound})
		if out.String() != c.want {
			t.Errorf("%q, want %q", &out, c.want)
		}
	}
	four := 4
	var out strings.Builder
	warnBound(&out, &client.Drain{Kind: "port", Object: "0000000000000001/2", Bound: &four,
		Intents: &client.DrainIntents{Ends: 2, NoOther: 1, First: []string{"a", "b"}}})
	if want := "weir: warning: port 0000000000000001/2 is not free: 1 pair has no other path, 2 intents come in or go out there, 1 intent has no other path" +
		" and would lose their connection\nweir: intents that remain: a, b, … (weir intent show ID; replace or withdraw them)\n"; out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
}
