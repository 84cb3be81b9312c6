package cli

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/cli/command"
)

// instance is weir node under test, in this process.
type instance struct {
	api, dir string
	end      func() int // ends it and returns its exit code
}

func startNode(t *testing.T, args ...string) *instance {
	t.Helper()
	i := &instance{dir: filepath.Join(t.TempDir(), "data")}
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	done := make(chan int, 1)
	var errs bytes.Buffer
	go func() {
		done <- run(ctx, append([]string{"node", "--data-dir", i.dir, "--openflow", "127.0.0.1:0", "--api",
			"127.0.0.1:0"}, args...), nil, w, &errs)
		w.Close()
	}()
	i.end = func() int { cancel(); return <-done }
	for lines := bufio.NewScanner(r); i.api == ""; {
		if !lines.Scan() {
			t.Fatalf("weir node ended: %s", &errs)
		}
		if f := strings.Fields(lines.Text()); f[0] == "API" {
			i.api = f[1]
		}
	}
	go io.Copy(io.Discard, r)
	return i
}

// do runs a command and returns its exit code and what it wrote.
func do(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), args, nil, &o, &e)
	return code, o.String(), e.String()
}

// TestNode: what an instance says at its start is enough to ask it; a second one in its directory
// or at its address is refused.
func TestNode(t *testing.T) {
	t.Setenv("WEIR_TOKEN", "")
	i := startNode(t, "--name", "here")
	code, out, errs := do(t, "get", "members", "--api", i.api, "--data-dir", i.dir)
	if code != command.ExitDone || !strings.Contains(out, "\nhere  ") {
		t.Errorf("get members: %d %s%s", code, out, errs)
	}
	if code, _, errs := do(t, "get", "members", "--api", i.api, "--data-dir", t.TempDir()); code != command.ExitRuntime ||
		!strings.Contains(errs, "no token") {
		t.Errorf("without a token: %d %s", code, errs)
	}
	viewer, err := os.ReadFile(filepath.Join(i.dir, "token-viewer"))
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(string(viewer))
	if code, _, errs := do(t, "get", "switches", "--api", i.api, "--token", token); code != command.ExitDone {
		t.Errorf("viewer: %d %s", code, errs)
	}
	for what, args := range map[string][]string{
		"the directory": {"--data-dir", i.dir, "--openflow", "127.0.0.1:0", "--api", "127.0.0.1:0"},
		"the address":   {"--data-dir", t.TempDir(), "--openflow", "127.0.0.1:0", "--api", strings.TrimPrefix(i.api, "http://")},
	} {
		code, out, errs := do(t, append([]string{"node"}, args...)...)
		if code != command.ExitRuntime || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "in use") || out != "" {
			t.Errorf("a second instance with %s of the first: %d %s%s", what, code, out, errs)
		}
	}
	if code := i.end(); code != command.ExitDone {
		t.Errorf("told to end: exit code %d", code)
	}
	if _, err := net.Dial("tcp", strings.TrimPrefix(i.api, "http://")); err == nil {
		t.Error("still listening after its end")
	}
}

func TestNodeWithoutTokens(t *testing.T) {
	i := startNode(t, "--auth", "none")
	if code, _, errs := do(t, "get", "switches", "--api", i.api, "--data-dir", t.TempDir()); code != command.ExitDone {
		t.Errorf("get switches: %d %s", code, errs)
	}
	i.end()
}

// TestNodeWithBadCertificate: found at run time.
func TestNodeWithBadCertificate(t *testing.T) {
	dir := t.TempDir()
	pem := filepath.Join(dir, "bad.pem")
	os.WriteFile(pem, []byte("nothing"), 0o600)
	code, _, errs := do(t, "node", "--data-dir", dir, "--openflow", "127.0.0.1:0", "--api", "127.0.0.1:0",
		"--api-tls-cert", pem, "--api-tls-key", pem)
	if code != command.ExitRuntime || !strings.Contains(errs, pem) || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

// TestTokensOverRestarts: a token that was made is valid after a restart, and one that was revoked is not.
func TestTokensOverRestarts(t *testing.T) {
	t.Setenv("WEIR_TOKEN", "")
	dir := filepath.Join(t.TempDir(), "data")
	i := startNode(t, "--data-dir", dir)
	add := func(name string) string {
		code, out, errs := do(t, "token", "add", name, "--role", "viewer", "--api", i.api, "--data-dir", dir)
		if code != command.ExitDone {
			t.Fatalf("token add: %d %s", code, errs)
		}
		return strings.TrimSpace(out)
	}
	kept, gone := add("kept"), add("gone")
	if code, _, errs := do(t, "token", "rm", "gone", "--api", i.api, "--data-dir", dir); code != command.ExitDone {
		t.Fatalf("token rm: %d %s", code, errs)
	}
	i.end()
	i = startNode(t, "--data-dir", dir)
	defer i.end()
	if code, _, errs := do(t, "get", "members", "--api", i.api, "--token", kept); code != command.ExitDone {
		t.Errorf("with the one that was kept: %d %s", code, errs)
	}
	if code, _, errs := do(t, "get", "members", "--api", i.api, "--token", gone); code != command.ExitRuntime ||
		!strings.Contains(errs, "was revoked") {
		t.Errorf("with the one that was revoked: %d %s", code, errs)
	}
}

func TestExpires(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 5, time.UTC)
	for given, want := range map[string]string{
		"36h": "2026-11-22T00:00:00Z", "30d": "2026-12-20T12:00:00Z", "4w": "2026-12-18T12:00:00Z",
		"2026-12-24T18:00:00+01:00": "2026-12-24T17:00:00Z",
		"0d":                        "", "-1d": "", "d": "", "0s": "", "-1h": "", "30": "",
		"tomorrow": "", "65535w": "", "2026-12-24": "", "1.5d": "",
	} {
		at, err := parseExpires(given, now)
		if got := at.UTC().Format(time.RFC3339); err == nil && got != want || (err != nil) != (want == "") {
			t.Errorf("%q: %s, %v, want %q", given, got, err, want)
		}
	}
}
