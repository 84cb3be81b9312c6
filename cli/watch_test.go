package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/api"
	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/netview"
)

// TestWatch: a watch begins with what there is, goes on with what changes, and ends without an
// error.
func TestWatch(t *testing.T) {
	for _, c := range []struct {
		args   string
		before []string // prefixes of lines
		change func(*netview.FactsTx)
		after  []string
	}{
		{"links", []string{"OP ", "put     s1/2  s2/2  yes  confirmed", "put     s2/2  s1/2  yes"},
			func(tx *netview.FactsTx) { putLinks(tx, false) },
			[]string{"put     s1/2  s2/2  no ", "put     s2/2  s1/2  no "}},
		{"switches 1 -o json", []string{`{"dpid":"0000000000000001",`},
			func(tx *netview.FactsTx) { putSwitch(tx, 3); tx.DeleteSwitch(1) }, []string{`{"dpid":"0000000000000001",`}},
		{"switches -o yaml", []string{"---", `dpid: "0000000000000001"`}, nil, nil},
		{"switch 3", []string{"OP "}, func(tx *netview.FactsTx) { putSwitch(tx, 3) }, []string{"put     0000000000000003  s3"}},
	} {
		t.Run(c.args, func(t *testing.T) {
			v := netview.New(netview.Limits{})
			facts := v.Facts()
			fill(v, facts)
			stack := rest.StackConfig{Access: rest.Access{Open: true}}
			srv := httptest.NewServer(api.New(api.Config{View: v, StackConfig: stack}))
			defer srv.Close()
			ctx, cancel := context.WithCancel(t.Context())
			r, w := io.Pipe()
			done := make(chan int)
			go func() {
				done <- run(ctx, append([]string{"get", "--watch", "--api", srv.URL}, strings.Fields(c.args)...), nil, w, w)
			}()
			lines := bufio.NewScanner(r)
			want(t, lines, c.before)
			if c.change != nil {
				facts.Update(c.change)
				want(t, lines, c.after)
			}
			go io.Copy(io.Discard, r)
			cancel()
			if code := <-done; code != command.ExitDone {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

func want(t *testing.T, lines *bufio.Scanner, prefixes []string) {
	t.Helper()
	for _, p := range prefixes {
		if lines.Scan(); !strings.HasPrefix(lines.Text(), p) {
			t.Fatalf("got line  %s\nwant begin %s", lines.Text(), p)
		}
	}
}

// TestEveryCommandHasAnExample walks the commands, so that a new one cannot be forgotten.
func TestEveryCommandHasAnExample(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Example == "" || c.Short == "" {
			t.Errorf("%s: help without example or summary", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot())
}

// TestWatchAfterReset: of a snapshot in the middle of a stream only the differences are printed.
func TestWatchAfterReset(t *testing.T) {
	var out strings.Builder
	w := &watcher[client.App]{kind: appResource, out: &out, f: command.FormatJSON, shown: map[string]client.App{},
		json: map[string]string{}}
	a, b := client.App{Name: "a", Enabled: true}, client.App{Name: "b"}
	err := w.begin([]client.App{a, b})
	w.reset()
	b.State = "running"
	err = errors.Join(err, w.put(b), w.put(client.App{Name: "c"}), w.synced())
	w.reset()
	err = errors.Join(err, w.put(b), w.put(client.App{Name: "c"}), w.synced()) // the same again
	var got []string
	for line := range strings.Lines(out.String()) {
		var row struct{ Name, State, Op, Shown string }
		err = errors.Join(err, json.Unmarshal([]byte(line), &row))
		got = append(got, strings.TrimSpace(row.Op+" "+row.Name+" "+row.State))
	}
	if want := "put a, put b, put b running, put c, delete a"; strings.Join(got, ", ") != want || err != nil {
		t.Errorf("%v\ngot  %s\nwant %s", err, strings.Join(got, ", "), want)
	}
}
