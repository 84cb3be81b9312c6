package node_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/app"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
)

// An instance that is told to end does, with switches, half-open connections and watchers at it:
// sessions are closed, nothing listens any more, no goroutine is left (start looks), and the
// directory is free for the next one.
func TestAnOrderlyEnd(t *testing.T) {
	i := start(t)
	n := i.emulate("ring:4", openflow.V13)
	watched := i.watch("switch")
	i.dial(77, openflow.V13, 1) // says nothing
	silent, err := net.Dial("tcp", i.at.API)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	i.await("the events", func() bool { return len(watched()["switch"]) == 4 })
	sw := n.Switches[0].Session()
	if err := i.stop(); err != nil {
		t.Errorf("Run returned %v", err)
	}
	i.gone(sw)
	for _, address := range []string{i.at.OpenFlow, i.at.API} {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			t.Errorf("%s still listens", address)
		}
	}
	if strings.Contains(i.log.String(), "level=WARN") || strings.Contains(i.log.String(), "level=ERROR") {
		t.Errorf("an orderly end is no reason to warn:\n%s", tail(i.log.String(), 20))
	}
	if err := n.Close(context.Background()); err != nil {
		t.Error(err)
	}
	token := i.token(rest.AdminTokenFile)
	second := start(t, func(c *node.Config) { c.DataDir = i.cfg.DataDir })
	if second.token(rest.AdminTokenFile) != token {
		t.Error("the next start made a new token")
	}
}

// However the context ends, an orderly end is no error.
func TestAnEndHasNoError(t *testing.T) {
	ends := map[string]func() (context.Context, func()){
		"cancelled": func() (context.Context, func()) { return context.WithCancel(t.Context()) },
		"with a cause": func() (context.Context, func()) {
			ctx, cancel := context.WithCancelCause(t.Context())
			return ctx, func() { cancel(errors.New("told to")) }
		},
		"deadline": func() (context.Context, func()) {
			return context.WithDeadline(t.Context(), time.Now().Add(50*time.Millisecond))
		},
		"ended before": func() (context.Context, func()) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return ctx, cancel
		},
	}
	for name, make := range ends {
		ctx, end := make()
		cfg := config(t)
		cfg.Ready = func(node.Addresses) {
			if name != "deadline" {
				end()
			}
		}
		if err := node.Run(ctx, cfg); err != nil {
			t.Errorf("%s: Run returned %v", name, err)
		}
		end()
	}
	if left := ownGoroutines(); len(left) > 0 {
		t.Errorf("%d goroutines are left:\n%s", len(left), left[0])
	}
}

// refusedRun runs an instance that must not start and returns its error.
func refusedRun(t *testing.T, change func(*node.Config)) error {
	t.Helper()
	cfg := config(t)
	change(&cfg)
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	cfg.Ready = func(node.Addresses) {
		t.Error("the instance started")
		stop()
	}
	err := node.Run(ctx, cfg)
	if err == nil {
		t.Error("Run returned nil")
		return errors.New("no error")
	}
	return err
}

// wantError wants words in an error's one line, and that it is or is not one of configuration.
func wantError(t *testing.T, what string, err error, configuration bool, words ...string) {
	t.Helper()
	var bad *node.ConfigError
	if errors.As(err, &bad) != configuration {
		t.Errorf("%s: %v is a %T, want of configuration: %v", what, err, err, configuration)
	}
	for _, w := range append(words, "") {
		if !strings.Contains(err.Error(), w) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the error is %q, want %q in it, in one line", what, err, w)
		}
	}
}

// A directory is one process's.
func TestOneInstanceADirectory(t *testing.T) {
	i := start(t)
	err := refusedRun(t, func(c *node.Config) { c.DataDir = i.cfg.DataDir })
	wantError(t, "same directory", err, false, i.cfg.DataDir, "in use", "--data-dir")
	if n := len(i.switches()); n != 0 {
		t.Errorf("%d switches", n)
	}
}

// An address that is taken is named with its flag, and what was opened before is closed again.
func TestAddressesInUse(t *testing.T) {
	i := start(t)
	err := refusedRun(t, func(c *node.Config) { c.OpenFlow.Listen = i.at.OpenFlow })
	wantError(t, "OpenFlow", err, false, i.at.OpenFlow, "--openflow", "address already in use")
	free := freeAddress(t)
	err = refusedRun(t, func(c *node.Config) { c.OpenFlow.Listen, c.API.Listen = free, i.at.API })
	wantError(t, "API", err, false, i.at.API, "--api", "address already in use")
	l, err := net.Listen("tcp", free)
	if err != nil {
		t.Fatalf("the port for switches stays open: %v", err)
	}
	l.Close()
	err = refusedRun(t, func(c *node.Config) { c.OpenFlow.Listen = "203.0.113.7:6653" })
	wantError(t, "not ours", err, false, "203.0.113.7:6653", "--openflow")
}

// freeAddress is one that nobody listens on.
func freeAddress(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// What is wrong with a configuration is said with its flag, before anything is opened or made.
func TestWrongConfigurations(t *testing.T) {
	for _, c := range []struct {
		words  string
		change func(*node.Config)
	}{
		{"--openflow=nonsense 127.0.0.1:6653", func(c *node.Config) { c.OpenFlow.Listen = "nonsense" }},
		{"--openflow=127.0.0.1:66536 127.0.0.1:6653", func(c *node.Config) { c.OpenFlow.Listen = "127.0.0.1:66536" }},
		{"--openflow=127.0.0.1:openflow", func(c *node.Config) { c.OpenFlow.Listen = "127.0.0.1:openflow" }},
		{"--api=[::1 127.0.0.1:8181", func(c *node.Config) { c.API.Listen = "[::1" }},
		{"--api=127.0.0.1:-1", func(c *node.Config) { c.API.Listen = "127.0.0.1:-1" }},
		{"--auth=password token none", func(c *node.Config) { c.API.Auth = "password" }},
		{"--api-tls-cert --api-tls-key both", func(c *node.Config) { c.API.TLSCert = "cert.pem" }},
		{"--api-tls-cert --api-tls-key both", func(c *node.Config) { c.API.TLSKey = "key.pem" }},
		{"--name", func(c *node.Config) { c.Name = "" }},
		{"--domain=0 4095", func(c *node.Config) { c.Domain = 0 }},
		{"--domain=4096 4095", func(c *node.Config) { c.Domain = 4096 }},
		{"--forward-unknown=drop controller flood", func(c *node.Config) { c.Forward.Unknown = "drop" }},
		{"--forward-unknown=flood broadcast apps.disable controller", func(c *node.Config) {
			c.Forward.Unknown, c.Apps.Disable = "flood", []string{"broadcast"}
		}},
		{"--lldp-period=99ms 100ms 1m", func(c *node.Config) { c.Discovery.LLDPPeriod = 99 * time.Millisecond }},
		{"--lldp-period=1m1s", func(c *node.Config) { c.Discovery.LLDPPeriod = 61 * time.Second }},
		{"--lldp-period=-1s", func(c *node.Config) { c.Discovery.LLDPPeriod = -time.Second }},
		{"--role=satellite controller hypervisor", func(c *node.Config) { c.Role = "satellite" }},
		{"--role= controller hypervisor", func(c *node.Config) { c.Role = "" }},
		{"--disable-app=firewall forward", func(c *node.Config) { c.Apps.Disable = []string{"forward", "firewall"} }},
		{"--disable-app=stats need forward", func(c *node.Config) { c.Apps.Disable = []string{"stats"} }},
		{"application \"guard\" own", func(c *node.Config) { c.Extra = []app.Spec{{Name: "guard"}} }},
		{"application \"Mine\" lower-case", func(c *node.Config) { c.Extra = []app.Spec{{Name: "Mine"}} }},
		{"--store=…@127.0.0.1:2379 without password", func(c *node.Config) { c.Store = "http://root:hunter2@127.0.0.1:2379" }},
		{"--auth=none loopback", func(c *node.Config) { c.API.Auth, c.API.Listen = "none", "0.0.0.0:0" }},
		{"--insecure", func(c *node.Config) { c.API.Listen = "0.0.0.0:0" }},
		{"--insecure", func(c *node.Config) { c.API.Listen = ":0" }},
		{"--auth=none", func(c *node.Config) { c.API.Auth, c.API.Listen, c.API.Insecure = "none", "[::]:0", true }},
	} {
		dir := filepath.Join(t.TempDir(), "data")
		err := refusedRun(t, func(cfg *node.Config) { c.change(cfg); cfg.DataDir = dir })
		wantError(t, c.words, err, true, strings.Fields(c.words)...)
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("a password is shown: %v", err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the data directory was made before the configuration was looked at", c.words)
		}
	}
}

// Nothing is no configuration.
func TestAnEmptyConfiguration(t *testing.T) {
	wantError(t, "the zero value", refusedRun(t, func(c *node.Config) { *c = node.Config{Ready: c.Ready} }), true)
	wantError(t, "no directory", refusedRun(t, func(c *node.Config) { c.DataDir = "" }), true, "--data-dir")
}

// What is wrong with files is found at run time.
func TestWrongFiles(t *testing.T) {
	write := func(name string, mode fs.FileMode, size int) func(*node.Config) {
		return func(c *node.Config) {
			if err := os.WriteFile(filepath.Join(c.DataDir, name), make([]byte, size), mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		words  string
		change func(*node.Config)
	}{
		{"no-cert.pem --api-tls-cert --api-tls-key",
			func(c *node.Config) { c.API.TLSCert, c.API.TLSKey = "no-cert.pem", "no-key.pem" }},
		{"no-peer.pem --peer-tls-cert", func(c *node.Config) {
			c.Peer.Listen = "127.0.0.1:0"
			c.Peer.TLSCert, c.Peer.TLSKey, c.Peer.TLSCA = "no-peer.pem", "no-key.pem", "no-ca.pem"
		}},
		{"cluster-key 31 32", write("cluster-key", 0o600, 31)},
		{"token chmod 600", write("token", 0o644, 40)},
		{"token-viewer 16", write("token-viewer", 0o600, 0)},
		{"data directory file", func(c *node.Config) {
			write("file", 0o600, 1)(c)
			c.DataDir = filepath.Join(c.DataDir, "file")
		}},
	} {
		wantError(t, c.words, refusedRun(t, c.change), false, strings.Fields(c.words)...)
	}
}

// Secrets are the owner's.
func TestModesOfTheDataDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "data")
	i := start(t, func(c *node.Config) { c.DataDir = dir })
	for path, want := range map[string]fs.FileMode{
		".": 0o700 | fs.ModeDir, "lock": 0o600, "store": 0o700 | fs.ModeDir, "token": 0o600,
		"token-operator": 0o600, "token-viewer": 0o600,
		"audit.log": 0o600,
	} {
		info, err := os.Stat(filepath.Join(dir, path))
		if err != nil || info.Mode() != want {
			t.Errorf("%s has mode %v, want %v (%v)", path, info.Mode(), want, err)
		}
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(left) != 6 {
		t.Errorf("the directory has %v", left)
	}
	if len(i.token("token")) < 40 || i.token("token") == i.token("token-viewer") ||
		strings.Contains(i.log.String(), i.token("token")) {
		t.Error("the admin token is short, the viewer's, or in the log")
	}
	if _, err := i.client("wrong").Switches(t.Context()); err == nil || !strings.Contains(fmt.Sprint(err), "token") {
		t.Errorf("a wrong token: %v", err)
	}
}
