//go:build soak

package soak

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
)

// world is an instance and an emulated network, each a process of the binary.
type world struct {
	t                    *testing.T
	dir                  string
	openflow, api, emuAt string
	node, emulator       *exec.Cmd
	client               *client.Client
	links                []string // of the emulated network, those between switches
	switches             []string // datapath ids
	hosts                []string // MAC addresses
	names                []string // of the same hosts, in the emulated network
}

// patience is how long something may take that is not measured, on a machine that does other work
// too.
const patience = 2 * time.Minute

// build starts both and waits until the instance knows the whole network.
func build(t *testing.T, topology, seed string) *world {
	w := &world{t: t, dir: t.TempDir(), openflow: free(t), api: free(t), emuAt: free(t)}
	w.startNode()
	w.emulator = w.start("emulate", "emulate", topology, "--seed", seed, "--auth=none", "--api", w.emuAt,
		"--controller", w.openflow,
		"--data-dir", filepath.Join(w.dir, "emulate"))
	var err error
	if w.client, err = client.New(client.Config{Address: w.api}); err != nil {
		t.Fatal(err)
	}
	w.eventually("the emulated network answers",
		func() error { _, err := w.emulated(http.MethodGet, "/v1/network", ""); return err })
	var links struct {
		Items []struct {
			ID   string
			A, B struct{ Switch string }
		}
	}
	w.read("/v1/links", &links)
	for _, l := range links.Items {
		if l.A.Switch != "" && l.B.Switch != "" {
			w.links = append(w.links, l.ID)
		}
	}
	var switches struct{ Items []struct{ DPID string } }
	w.read("/v1/switches", &switches)
	for _, s := range switches.Items {
		w.switches = append(w.switches, s.DPID)
	}
	var hosts struct{ Items []struct{ Name, MAC string } }
	w.read("/v1/hosts", &hosts)
	for _, h := range hosts.Items {
		w.hosts, w.names = append(w.hosts, h.MAC), append(w.names, h.Name)
	}
	w.eventually("the instance knows all switches, links and hosts", func() error {
		if err := w.whole(); err != nil {
			return err
		}
		known, err := w.client.Hosts(t.Context())
		if err != nil || len(known.Items) != len(w.hosts) {
			return fmt.Errorf("%d of %d hosts: %v", len(known.Items), len(w.hosts), err)
		}
		return nil
	})
	t.Logf("%d switches, %d links, %d hosts", len(w.switches), len(w.links), len(w.hosts))
	return w
}

// free is an address of loopback that nobody listens at.
func free(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start starts the binary, whose output goes to a file that is shown if the test fails.
func (w *world) start(name string, args ...string) *exec.Cmd {
	binary := os.Getenv("WEIR_BINARY")
	if binary == "" {
		w.t.Fatal("WEIR_BINARY is not set: run make soak")
	}
	log, err := os.OpenFile(filepath.Join(w.dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		w.t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(binary, args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if text, _ := os.ReadFile(log.Name()); w.t.Failed() {
			w.t.Logf("%s said, at the end:\n%s", name, text[max(0, len(text)-4000):])
		}
	})
	return cmd
}

func (w *world) startNode() {
	w.node = w.start("node", "node", "--auth=none", "--log-level=warn", "--openflow", w.openflow, "--api", w.api,
		"--data-dir", w.data())
	w.eventually("the instance is ready", func() error {
		answer, err := http.Get("http://" + w.api + "/readyz")
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("/readyz: %s", answer.Status)
		}
		return nil
	})
}

func (w *world) data() string { return filepath.Join(w.dir, "node") }

// kill ends the instance at once, as a crash does, and starts it again after a while.
func (w *world) kill(after time.Duration) {
	w.node.Process.Kill()
	w.node.Wait()
	time.Sleep(after) // the fault itself
	w.startNode()
}

// whole returns what of the network the instance does not know to work, if anything.
func (w *world) whole() error {
	switches, err := w.client.Switches(w.t.Context())
	if err != nil {
		return err
	}
	connected := 0
	for i := range switches.Items {
		if switches.Items[i].Connected {
			connected++
		}
	}
	links, err := w.client.Links(w.t.Context())
	if err != nil {
		return err
	}
	up := 0
	for i := range links.Items {
		if l := &links.Items[i]; l.Up && l.State == "confirmed" {
			up++
		}
	}
	if connected != len(w.switches) || up != 2*len(w.links) {
		return fmt.Errorf("%d of %d switches are connected, %d of %d links up and confirmed", connected,
			len(w.switches), up, 2*len(w.links))
	}
	return nil
}

// emulated asks the interface of the emulated network.
func (w *world) emulated(method, path, body string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, "http://"+w.emuAt+path, bytes.NewBufferString(body))
	if err != nil {
		return nil, err
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s: %s", method, path, answer.Status, text)
	}
	return text, err
}

// tell has the emulated network do something.
func (w *world) tell(path, format string, args ...any) {
	w.t.Helper()
	method := http.MethodPatch
	if path == "/v1/commands" {
		method = http.MethodPost
	}
	if _, err := w.emulated(method, path, fmt.Sprintf(format, args...)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(path string, into any) {
	w.t.Helper()
	text, err := w.emulated(http.MethodGet, path, "")
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		w.t.Fatalf("%s: %v", path, err)
	}
}

// eventually waits until there is no error any more.
func (w *world) eventually(what string, try func() error) {
	w.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("not within %s: %s: %v", patience, what, err)
		}
	}
}
