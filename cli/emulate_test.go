package cli

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/internal/hub"
)

// TestEmulateScripts runs testdata/emulate/*.txt with a controller at $CONTROLLER that has switches
// flood. The command "connected N" waits until it has so many switches; "terminate" sends SIGTERM
// to what runs in the background.
func TestEmulateScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/emulate", RequireExplicitExec: true, UpdateScripts: os.Getenv("REWRITE") != "",
		Setup: func(e *testscript.Env) error {
			h := hub.Start(e.T().(testing.TB))
			e.Setenv("CONTROLLER", h.Address)
			e.Values["hub"] = h
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"usage": usage,
			"connected": func(ts *testscript.TestScript, _ bool, args []string) {
				h := ts.Value("hub").(*hub.Hub)
				want, err := strconv.Atoi(args[0])
				ts.Check(err)
				for end := time.Now().Add(time.Minute); h.Switches() != want; time.Sleep(time.Millisecond) {
					if time.Now().After(end) {
						ts.Fatalf("%d switches are connected, want %d", h.Switches(), want)
					}
				}
			},
			"terminate": func(ts *testscript.TestScript, _ bool, _ []string) {
				for _, c := range ts.BackgroundCmds() {
					ts.Check(c.Process.Signal(syscall.SIGTERM))
				}
			},
		},
	})
}

// said is what a command in the same process writes.
type said struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(b)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// await waits until a line was written, and returns it with its groups.
func (s *said) await(t *testing.T, line string) []string {
	t.Helper()
	r := regexp.MustCompile("(?m)^" + line + "$")
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if m := r.FindStringSubmatch(s.String()); m != nil {
			return m
		}
		if time.Now().After(end) {
			t.Fatalf("not said: %s\n%s", line, s.String())
		}
	}
}

// TestEmulate starts a network as a user does, and does what it says: its API takes a link down,
// and an event a connection.
func TestEmulate(t *testing.T) {
	h := hub.Start(t)
	dir := t.TempDir()
	events, control := filepath.Join(dir, "events.yaml"), filepath.Join(dir, "control.pcap")
	if err := os.WriteFile(events, []byte(
		"- {at: 0s, host: h1, ping: h2, count: 1}\n- {at: 0s, port: 's2:2', up: false, every: 1h}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs said
	ctx, stop := context.WithCancel(t.Context())
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"emulate", "linear:3", "--controller", h.Address, "--api", "127.0.0.1:0",
			"--data-dir", dir, "--schedule", events,
			"--pcap", "all=" + control}, strings.NewReader(""), &out, &errs)
	}()
	url := out.await(t, `  API +(http://.*)`)[1]
	out.await(t, `3 of 3 switches connected after [0-9.]+ s`)
	out.await(t, `event: host h1 ping h2`)
	out.await(t, `event: port s2:2 up=false`)
	for _, kind := range []string{"links", "drains"} { // its API is not an instance's
		code, _, errs := do(t, "get", kind, "--api", url, "--data-dir", dir)
		if code != command.ExitRuntime || !strings.Contains(errs, "--api wants the address of an instance's API") ||
			strings.Contains(errs, "no answer") {
			t.Errorf("get %s: %d %s", kind, code, errs)
		}
	}
	token, err := os.ReadFile(filepath.Join(dir, "token"))
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, path, body string) string {
		req, err := http.NewRequest(method, url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != 200 {
			t.Fatal(resp.Status, err, string(b))
		}
		return string(b)
	}
	if got := ask("PATCH", "/v1/links/s1-s2", `{"up":false}`); !strings.Contains(got, `"cut":true`) {
		t.Error(got)
	}
	if got := ask("GET", "/v1/network", ""); !strings.Contains(got, `"links_up":0`) {
		t.Error(got)
	}
	ask("PATCH", "/v1/switches/s1/controllers/0", `{"up":false}`)
	out.await(t, `2 of 3 switches connected; controller `+h.Address+`: the connection was cut`)
	stop()
	if c := <-code; c != command.ExitDone || errs.String() != "" {
		t.Errorf("exit code %d: %s", c, errs.String())
	}
	out.await(t, `network ended: .*`)
	if b, err := os.ReadFile(control); err != nil || !bytes.HasPrefix(b, []byte{0x4d, 0x3c, 0xb2, 0xa1}) {
		t.Errorf("%v: no pcap file with nanoseconds", err)
	}
	if _, err := http.Get(url + "/healthz"); err == nil {
		t.Error("the API answers after the end")
	}
}

// TestEmulateAddressInUse: found at run time, and told in a line.
func TestEmulateAddressInUse(t *testing.T) {
	h := hub.Start(t) // its address is taken
	code, out, errs := do(t, "emulate", "linear:2", "--api", h.Address, "--data-dir", t.TempDir())
	if code != command.ExitRuntime || out != "" ||
		!strings.Contains(errs, "in use (is another emulated network running?): give another address with --api") ||
		strings.Count(errs, "\n") != 1 {
		t.Errorf("%d %s", code, errs)
	}
}
