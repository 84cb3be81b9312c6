//go:build real

package session

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/openflow"
)

// peer is our switch's end, with two ports, against a controller that is not ours.
type peer struct {
	datapath
	events chan string
}

func (p *peer) Connected(s *Session) {
	p.add(s)
	p.events <- "connected " + s.Version().String()
}

func (p *peer) Features(*Session) openflow.FeaturesReply {
	return openflow.FeaturesReply{DatapathID: 0x77, Tables: 1, Ports: twoPorts}
}

var twoPorts = []openflow.Port{{Number: 1, Name: "p1", HWAddr: [6]byte{2, 0, 0, 0, 0, 1}},
	{Number: 2, Name: "p2", HWAddr: [6]byte{2, 0, 0, 0, 0, 2}}}

func (p *peer) FlowMod(_ *Session, _ openflow.Header, fm *openflow.FlowMod) {
	p.events <- fmt.Sprintf("flow_mod priority %d cookie %#x", fm.Priority, fm.Cookie)
}

func (p *peer) PacketOut(_ *Session, _ openflow.Header, po *openflow.PacketOut) {
	p.events <- fmt.Sprintf("packet_out in_port %d to %#x, %d bytes", po.InPort, po.Actions[0].Port, len(po.Data))
}

func (p *peer) Message(s *Session, h openflow.Header, m openflow.Message) {
	if r, ok := m.(*openflow.MultipartRequest); ok {
		if _, ok := r.Body.(*openflow.PortDescRequest); ok {
			s.Reply(h.XID, &openflow.MultipartReply{Body: &openflow.PortDescList{Ports: twoPorts}})
			return
		}
	}
	p.datapath.Message(s, h, m)
}

func (p *peer) Disconnected(_ *Session, err error) { p.events <- "disconnected" }

// until waits for an event that begins with a prefix and returns it.
func (p *peer) until(t *testing.T, prefix string) string {
	t.Helper()
	limit := time.After(10 * time.Second)
	for {
		select {
		case e := <-p.events:
			if strings.HasPrefix(e, prefix) {
				return e
			}
		case <-limit:
			t.Fatalf("no event %q", prefix)
		}
	}
}

// dial connects a switch to the controller as soon as that listens.
func (p *peer) dial(t *testing.T, l *netlab.Lab, v openflow.Version) (*Dialer, *Session) {
	t.Helper()
	d := NewDialer(Config{Versions: []openflow.Version{v}, EchoInterval: 200 * time.Millisecond})
	var s *Session
	l.Eventually(10*time.Second, "the controller listens", func() bool {
		var err error
		s, err = d.Dial(context.Background(), realController, &Roles{}, p)
		return err == nil
	})
	p.until(t, "connected "+v.String())
	return d, s
}

// packet is a packet-in of a frame from one host to another.
func packet(from, to byte, port uint32) *openflow.PacketIn {
	frame := make([]byte, 60)
	copy(frame, []byte{2, 0, 0, 0, 1, to, 2, 0, 0, 0, 1, from, 8, 0})
	return &openflow.PacketIn{Buffer: openflow.NoBuffer, TotalLen: 60, InPort: port, Cookie: ^uint64(0), Data: frame}
}

// TestSwitchAgainstTestcontroller is our switch's end against Open vSwitch's learning controller:
// it floods the first packet and installs an entry for the answer.
func TestSwitchAgainstTestcontroller(t *testing.T) {
	for _, v := range realVersions {
		t.Run(v.String(), func(t *testing.T) {
			netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
				protocol := map[openflow.Version]string{openflow.V10: "OpenFlow10", openflow.V13: "OpenFlow13"}[v]
				l.Start(need.Program(t, "ovs-testcontroller"), "-O", protocol, "ptcp:6653:127.0.0.1")
				p := &peer{datapath: datapath{id: 0x77}, events: make(chan string, 64)}
				d, s := p.dial(t, l, v)
				l.Eventually(10*time.Second, "the features request",
					func() bool { return s.Stats().In[openflow.TypeFeaturesRequest] > 0 })
				l.Eventually(10*time.Second, "its configuration", func() bool { return s.Stats().In[openflow.TypeSetConfig] > 0 })
				s.Send(packet(1, 2, 1))
				p.until(t, fmt.Sprintf("packet_out in_port 1 to %#x, 60 bytes", openflow.PortFlood))
				s.Send(packet(2, 1, 2))
				p.until(t, "flow_mod")
				l.Eventually(10*time.Second, "echoes answered", func() bool { return s.RoundTrip() > 0 })
				if st := s.Stats(); st.Refused != 0 || st.In[openflow.TypeError] != 0 {
					t.Errorf("refused here or there: %+v", st)
				}
				d.Close(context.Background())
				p.until(t, "disconnected")
			})
		})
	}
}

// TestSwitchAgainstOSKen is our switch's end against an os-ken application, which tells what it
// decoded.
func TestSwitchAgainstOSKen(t *testing.T) {
	for _, v := range realVersions {
		t.Run(v.String(), func(t *testing.T) {
			python := need.OSKen(t)
			netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
				app := startOSKen(t, python, v)
				p := &peer{datapath: datapath{id: 0x77}, events: make(chan string, 64)}
				d, s := p.dial(t, l, v)
				p.until(t, "flow_mod priority 0 cookie 0xabc")
				app.until(t, "barrier")
				s.Send(packet(1, 2, 1))
				p.until(t, fmt.Sprintf("packet_out in_port 1 to %#x, 60 bytes", openflow.PortFlood))
				want := []string{
					"features map[dpid:119 tables:1]", "desc map[mfr:weir]", "config map[miss_send_len:128]",
					"echo map[data:ping]", "barrier map[]", "packet_in map[buffer:4294967295 length:60 port:1]",
				}
				if v == openflow.V13 {
					want = []string{"features map[dpid:119 tables:1]", "role map[generation:7 role:2]",
						"error map[code:0 type:11]",
						"ports map[numbers:[1 2]]", "desc map[mfr:weir]", "config map[miss_send_len:128]",
						"echo map[data:ping]", "barrier map[]", "packet_in map[buffer:4294967295 length:60 port:1]"}
				}
				got := app.until(t, "packet_in")
				if barrier := slices.Index(got, "barrier map[]"); barrier != len(got)-2 {
					t.Errorf("the barrier's answer came before those of the requests before it: %q", got)
				}
				slices.Sort(got) // the ports are asked for by os-ken itself, in a thread of its own
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("os-ken decoded\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
				d.Close(context.Background())
			})
		})
	}
}

// osken is a running os-ken application and what it has printed.
type osken struct {
	lines chan string
	seen  []string
}

func startOSKen(t *testing.T, python string, v openflow.Version) *osken {
	arguments := []string{"testdata/osken_switch.py", v.String(), "6653"}
	cmd := exec.Command(python, arguments...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var complaints strings.Builder
	cmd.Stderr = &complaints
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	a := &osken{lines: make(chan string, 64)}
	go a.read(out)
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Logf("os-ken: %s", complaints.String())
		}
	})
	return a
}

// read turns the lines of JSON into "event map[key:value …]", keys in order.
func (a *osken) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var m map[string]any
		d := json.NewDecoder(strings.NewReader(lines.Text()))
		d.UseNumber()
		if err := d.Decode(&m); err != nil {
			a.lines <- lines.Text()
			continue
		}
		event := m["event"]
		delete(m, "event")
		a.lines <- fmt.Sprintf("%v %v", event, m)
	}
	close(a.lines)
}

// until reads on to an event and returns all so far.
func (a *osken) until(t *testing.T, event string) []string {
	t.Helper()
	limit := time.After(20 * time.Second)
	for {
		select {
		case line, ok := <-a.lines:
			if !ok {
				t.Fatalf("os-ken ended; so far %q", a.seen)
			}
			a.seen = append(a.seen, line)
			if strings.HasPrefix(line, event+" ") {
				return a.seen
			}
		case <-limit:
			t.Fatalf("os-ken printed no %s; so far %q", event, a.seen)
		}
	}
}
