package netlab

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/weirnet/weir/internal/need"
)

// mininetReport is what scripts/mininet-network prints when its network stands.
type mininetReport struct {
	Switches []Switch `json:"switches"`
	Hosts    []struct {
		Name string     `json:"name"`
		Pid  int        `json:"pid"`
		Dev  string     `json:"dev"`
		MAC  string     `json:"mac"`
		IP4  netip.Addr `json:"ip4"`
		IP6  netip.Addr `json:"ip6"`
	} `json:"hosts"`
	Cables []*Cable `json:"cables"`
}

// Mininet lets Mininet build one of its networks (linear:4, ring:4, tree:2,2, torus:3x3; ring is
// ours, the others its own) on the lab's Open vSwitch, with one version of OpenFlow and one
// controller ("127.0.0.1:6653").
func (o *OVS) Mininet(topology, version, controller string) *Network {
	l := o.lab
	l.t.Helper()
	need.Program(l.t, "mnexec")
	script := filepath.Join(need.Repository(l.t), "scripts", "mininet-network")
	p := &Process{lab: l, name: "mininet", done: make(chan struct{}),
		cmd: exec.Command("/usr/bin/python3", script, "--openflow", version, "--controller", controller, topology)}
	r, w, err := os.Pipe()
	if err != nil {
		l.t.Fatal(err)
	}
	// Mininet's network stands until its standard input ends.
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	p.begin(w)
	w.Close()
	l.t.Cleanup(func() { stdin.Close(); r.Close() })
	n := o.adopt(l.firstLine(r, p))
	for i := range n.Switches {
		n.Switches[i].ovs, n.Switches[i].version = o, version
	}
	return n
}

// firstLine reads the report, which is one line.
func (l *Lab) firstLine(r io.Reader, p *Process) string {
	l.t.Helper()
	line := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(r).ReadString('\n')
		line <- text
	}()
	select {
	case text := <-line:
		if !strings.HasSuffix(text, "\n") {
			<-p.done
			l.t.Fatalf("Mininet ended: %v\n%s", p.err, p.Output())
		}
		return text
	case <-time.After(60 * time.Second):
		l.t.Fatalf("Mininet's network does not stand within 60 s:\n%s", p.Output())
		return ""
	}
}

func (o *OVS) adopt(report string) *Network {
	o.lab.t.Helper()
	var said mininetReport
	if err := json.Unmarshal([]byte(report), &said); err != nil {
		o.lab.t.Fatalf("Mininet's report: %v\n%s", err, report)
	}
	n := &Network{lab: o.lab, Switches: said.Switches, Cables: said.Cables}
	for _, c := range n.Cables {
		c.lab = o.lab
	}
	for _, h := range said.Hosts {
		n.Hosts = append(n.Hosts, &Host{lab: o.lab, Name: h.Name, Netns: fmt.Sprintf("/proc/%d/ns/net", h.Pid),
			Dev: h.Dev, MAC: h.MAC, IP4: h.IP4, IP6: h.IP6})
	}
	return n
}
