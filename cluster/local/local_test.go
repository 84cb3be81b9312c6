package local_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli"
	"github.com/weirnet/weir/cluster/local"
)

// TestMain is weir too: the instances of these tests are processes of the test's own binary.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "node" {
		os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// TestKilledAndStartedAgain: one that was killed is missed by nobody, and comes back with what it had; at the end none is
// left.
func TestKilledAndStartedAgain(t *testing.T) {
	ctx := t.Context()
	c, err := local.Start(ctx, &local.Config{Instances: 3, Dir: t.TempDir(), Args: []string{"--log-level=warn"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	owner := c.Owner(ctx)
	if owner != c.Instances[0] || c.Leader(ctx) == nil || len(c.OpenFlow()) != 3 {
		t.Fatalf("%+v is the owner", owner)
	}
	one := c.Instances[2]
	if one == c.Leader(ctx) {
		one = c.Instances[1]
	}
	await(t, c, one.Name, "standby")
	if page, err := one.Client().Alarms(ctx, false); err != nil || len(page.Items) != 0 {
		t.Errorf("alarms of one that stands by as it is to: %+v, %v", page, err)
	}
	pid := one.PID()
	one.Kill()
	if one.Running() || one.PID() != 0 || len(c.Living()) != 2 || c.Owner(ctx) != owner {
		t.Fatalf("after the kill %d live", len(c.Living()))
	}
	if m := await(t, c, one.Name, "away"); m.Address == "" { // its row, which has its address, lasts for seconds
		t.Errorf("only its lease told of the death: %+v", m)
	}
	if err := one.Start(ctx); err != nil {
		t.Fatal(err)
	}
	if err := one.Begin(); err == nil || !strings.Contains(err.Error(), "runs already") {
		t.Errorf("started twice: %v", err)
	}
	list, err := c.Members(ctx)
	if err != nil || len(list) != 3 || one.PID() == pid {
		t.Fatalf("%+v, %v", list, err)
	}
	var pids []int
	for _, one := range c.Instances {
		pids = append(pids, one.PID())
	}
	c.Close()
	for _, pid := range pids {
		if syscall.Kill(pid, 0) != syscall.ESRCH {
			t.Errorf("process %d is left", pid)
		}
	}
}

// TestOneOfManyWaits: an instance whose cluster lacks more than half of its members lives, says what it waits for, and
// serves when another one comes. Directories may have any name.
func TestOneOfManyWaits(t *testing.T) {
	ctx := t.Context()
	c, err := local.Start(ctx, &local.Config{Instances: 3, Dir: filepath.Join(t.TempDir(), "[a]"),
		Args: []string{"--log-level=warn"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, one := range c.Instances {
		one.Kill()
	}
	first := c.Instances[1]
	if err := first.Begin(); err != nil {
		t.Fatal(err)
	}
	for first.Self(ctx) == nil {
		if !first.Running() {
			t.Fatal("it has ended")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if m := first.Self(ctx); m.State != "waiting" || m.Peer != first.Peer {
		t.Errorf("it says of itself %+v", m)
	}
	for path, want := range map[string]string{
		"/healthz": "200 OK ok", "/readyz": "503 Service Unavailable the store does not serve yet: it waits for more than half of " +
			"the members with a vote: itself and member a (" + c.Instances[0].Peer + "), member c (" + c.Instances[2].Peer + ")",
	} {
		r, err := http.Get("http://" + first.API + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if got := r.Status + " " + strings.TrimSpace(string(body)); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", path, got, err, want)
		}
	}
	if _, err := first.Client().Switches(ctx); err == nil || !strings.Contains(err.Error(), "it waits for") {
		t.Errorf("its switches: %v", err)
	}
	if err := c.Instances[0].Start(ctx); err != nil {
		t.Fatal(err)
	}
	if err := first.Await(ctx); err != nil {
		t.Error(err)
	}
}

// await returns an instance as the owner lists it once it has a state.
func await(t *testing.T, c *local.Cluster, name, state string) client.Member {
	t.Helper()
	for {
		list, err := c.Members(t.Context())
		at := slices.IndexFunc(list, func(m client.Member) bool { return m.Name == name })
		if err != nil || at < 0 {
			t.Fatalf("%s: %+v, %v", name, list, err)
		}
		if list[at].State == state {
			return list[at]
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestStartFails: what an instance says last is told, and none is left.
func TestStartFails(t *testing.T) {
	_, err := local.Start(t.Context(), &local.Config{Instances: 1, Dir: t.TempDir(), Args: []string{"--nonsense"}})
	if err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("%v", err)
	}
	for want, cfg := range map[string]local.Config{
		"1 to 7":              {Instances: 8},
		"missing port":        {Instances: 1, API: "here"},
		"a port from 1 to":    {Instances: 3, Peer: "127.0.0.1:65530"},
		"address of OpenFlow": {Instances: 1, OpenFlow: "127.0.0.1:of"},
	} {
		if _, err := local.Start(t.Context(), &cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
}
