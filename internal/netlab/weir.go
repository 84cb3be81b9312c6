package netlab

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
)

// Addresses of a Weir instance in a lab.
const (
	OpenFlow   = "127.0.0.1:6653"
	API        = "http://127.0.0.1:8181"
	Controller = "tcp:" + OpenFlow // as Open vSwitch writes it
)

// Weir is a running instance.
type Weir struct {
	*Process
}

// StartWeir starts `weir node` with the given further arguments, without access control, and waits
// until it is ready.
func (l *Lab) StartWeir(args ...string) *Weir {
	l.t.Helper()
	args = append([]string{"node", "--openflow", OpenFlow, "--api", strings.TrimPrefix(API, "http://"),
		"--data-dir", filepath.Join(l.dir, "weir-data"), "--auth=none"}, args...)
	w := &Weir{Process: l.Start(BuiltWeir(l.t), args...)}
	l.Eventually(10*time.Second, "weir node is ready", func() bool {
		if w.Ended() {
			l.t.Fatalf("weir node ended: %v\n%s", w.err, w.Output())
		}
		answer, err := http.Get(API + "/readyz")
		if err != nil {
			return false
		}
		answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
	return w
}

// StartProbe starts `weir probe` with arguments.
func (l *Lab) StartProbe(args ...string) *Process {
	l.t.Helper()
	return l.Start(BuiltWeir(l.t), append([]string{"probe"}, args...)...)
}

// StartProbeIn starts it in a network namespace.
func (l *Lab) StartProbeIn(namespace string, args ...string) *Process {
	l.t.Helper()
	return l.Start("ip", append([]string{"netns", "exec", namespace, BuiltWeir(l.t), "probe"}, args...)...)
}

// BuiltWeir is the path of the binary: the one the environment variable WEIR_BINARY names (make
// sets it), or bin/weir, which must be as new as its sources.
func BuiltWeir(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("WEIR_BINARY"); path != "" {
		return path
	}
	repository := need.Repository(t)
	path := filepath.Join(repository, "bin", "weir")
	built, err := os.Stat(path)
	if err != nil {
		t.Fatalf("%v: make build", err)
	}
	err = filepath.WalkDir(repository, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") || d.Name() == "internal") {
			return fs.SkipDir
		}
		if filepath.Ext(p) != ".go" || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		if source, err := d.Info(); err == nil && source.ModTime().After(built.ModTime()) {
			return fmt.Errorf("%s is newer than %s: make build", p, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Get reads a path of the REST interface into a value.
func (w *Weir) Get(path string, into any) error {
	answer, err := http.Get(API + path)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s: %s", path, answer.Status, body)
	}
	return json.Unmarshal(body, into)
}

// Place is a port of a switch, as the REST interface writes it.
type Place struct {
	DPID string `json:"dpid"`
	Port int    `json:"port"`
}

// Place is where an end of a cable is plugged in.
func (n *Network) Place(e End) Place {
	return Place{DPID: fmt.Sprintf("%016x", n.Switches[e.Switch].DPID), Port: e.Port}
}

// Direction is a link of the view, in one direction.
type Direction struct {
	Src Place `json:"src"`
	Dst Place `json:"dst"`
}

// Links reads the view's links: direction → up.
func (w *Weir) Links() (map[Direction]bool, error) {
	var list struct {
		Items []struct {
			Direction
			Up bool `json:"up"`
		} `json:"items"`
	}
	if err := w.Get("/v1/links", &list); err != nil {
		return nil, err
	}
	links := map[Direction]bool{}
	for _, i := range list.Items {
		links[i.Direction] = i.Up
	}
	return links, nil
}

// Directions are the two links of a cable.
func (n *Network) Directions(c *Cable) [2]Direction {
	a, b := n.Place(c.A), n.Place(c.B)
	return [2]Direction{{a, b}, {b, a}}
}

// AwaitLinks waits until the view shows exactly the network's cables, each in both directions, all
// of them up but those that are cut, which must be shown as down.
func (w *Weir) AwaitLinks(n *Network, limit time.Duration, cut ...*Cable) {
	w.lab.t.Helper()
	down := map[Direction]bool{}
	for _, c := range cut {
		for _, d := range n.Directions(c) {
			down[d] = true
		}
	}
	wrong := ""
	defer func() {
		if w.lab.t.Failed() && wrong != "" {
			w.lab.t.Log("links: " + wrong)
			w.explain()
		}
	}()
	w.lab.Eventually(limit, "the view shows the network's links", func() bool {
		links, err := w.Links()
		if err != nil {
			w.lab.t.Fatal(err)
		}
		wrong = n.differ(links, down)
		return wrong == ""
	})
}

// explain logs what the instance knows of its ports and probes.
func (w *Weir) explain() {
	for _, path := range []string{"/v1/links", "/v1/switches", "/v1/alarms"} {
		var all json.RawMessage
		if err := w.Get(path, &all); err != nil {
			w.lab.t.Log(err)
			continue
		}
		w.lab.t.Logf("%s: %s", path, all)
	}
	answer, err := http.Get(API + "/metrics")
	if err != nil {
		w.lab.t.Log(err)
		return
	}
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "weir_discovery_") {
			w.lab.t.Log(lines.Text())
		}
	}
}

// differ says in which way the view's links are not the network's.
func (n *Network) differ(links map[Direction]bool, down map[Direction]bool) string {
	for _, c := range n.Cables {
		for _, d := range n.Directions(c) {
			up, known := links[d]
			if !known || up == down[d] {
				return fmt.Sprintf("%s %+v: known %v, up %v", c, d, known, up)
			}
			delete(links, d)
		}
	}
	for d := range links {
		return fmt.Sprintf("%+v is no cable", d)
	}
	return ""
}
