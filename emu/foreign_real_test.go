//go:build real

package emu

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/openflow"
)

// foreignAddress is where a controller that is not ours listens, within a test's namespaces.
const foreignAddress = "127.0.0.1:6653"

// foreign is an emulated network under a controller that is not ours, with all that its control
// channels carried.
type foreign struct {
	t *testing.T
	l *netlab.Lab
	n *Network

	mu       sync.Mutex
	messages [2]map[openflow.Type]int // from and to the controller
	errors   []string
}

// newForeign starts a network of a topology whose switches keep packets in so many buffers.
func newForeign(t *testing.T, l *netlab.Lab, spec string, v openflow.Version, buffers int) *foreign {
	f := &foreign{t: t, l: l, messages: [2]map[openflow.Type]int{{}, {}}}
	n, err := New(Config{Topology: parse(t, spec), Versions: []openflow.Version{v}, Controllers: []string{foreignAddress},
		Switch: flowtable.Config{Buffers: buffers}, Silent: true, Seed: 1, BackoffMax: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	f.n = n
	for _, sw := range n.Switches() {
		ways := [2]*messages{{f: f, way: 0, name: sw.Name()}, {f: f, way: 1, name: sw.Name()}}
		if _, err := sw.Control().Capture(0,
			func(_ time.Time, way CaptureKind, b []byte) { ways[way-FromController].add(b) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeNetwork(t, n) })
	if err := n.AwaitConnected(patient(t)); err != nil {
		t.Fatal(err)
	}
	return f
}

// messages is one way of a control channel, cut into messages.
type messages struct {
	f    *foreign
	way  int
	name string
	rest []byte
}

func (m *messages) add(b []byte) {
	m.f.mu.Lock()
	defer m.f.mu.Unlock()
	m.rest = append(m.rest, b...)
	for len(m.rest) >= 8 {
		n := int(binary.BigEndian.Uint16(m.rest[2:]))
		if n < 8 {
			m.f.errors = append(m.f.errors, fmt.Sprintf("%s: a message of length %d", m.name, n))
			n = 8
		}
		if n > len(m.rest) {
			return
		}
		typ := openflow.Type(m.rest[1])
		m.f.messages[m.way][typ]++
		if typ == openflow.TypeError {
			m.f.errors = append(m.f.errors,
				fmt.Sprintf("%s, %s the controller: %x", m.name, [2]string{"from", "to"}[m.way], m.rest[:n]))
		}
		m.rest = m.rest[n:]
	}
}

// count is how many messages of a type went from (0) or to (1) the controller.
func (f *foreign) count(way int, typ openflow.Type) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.messages[way][typ]
}

// pingAll has every host ping every other, by the address that of gives, all at once, and wants
// every answer.
func (f *foreign) pingAll(count int, of func(h *Host) netip.Addr) {
	f.t.Helper()
	type asked struct {
		from *Host
		ping *host.Ping
	}
	var all []asked
	before := map[*Host]host.Counters{}
	for _, h := range f.n.Hosts() {
		h.Do(func(s *host.Host, _ time.Duration, _ host.Output) { before[h] = s.Counters() })
	}
	for _, a := range f.n.Hosts() {
		for _, b := range f.n.Hosts() {
			if a == b {
				continue
			}
			a.Do(func(s *host.Host, now time.Duration, _ host.Output) {
				p, err := s.Ping(host.PingSpec{Dst: of(b), Count: count, Interval: 100 * time.Millisecond,
					Size: 700, Timeout: 20 * time.Second}, now)
				if err != nil {
					f.t.Error(err)
					return
				}
				all = append(all, asked{a, p})
			})
		}
	}
	for _, k := range all {
		var r host.PingReport
		await(f.t, "a ping's end", func() bool {
			k.from.Do(func(*host.Host, time.Duration, host.Output) { r = k.ping.Report() })
			return r.Done
		})
		if r.Sent != uint64(count) || r.Received != r.Sent || r.Duplicated != 0 || r.Unsent != 0 {
			f.t.Errorf("%s: %+v", k.from.Spec().Name, r)
		}
	}
	want := uint64(count * (len(f.n.Hosts()) - 1))
	for _, h := range f.n.Hosts() {
		h.Do(func(s *host.Host, _ time.Duration, _ host.Output) {
			c, was := s.Counters(), before[h]
			if c.Echoed-was.Echoed != want || c.Malformed+c.BadChecksum+c.Fragments+c.Unmatched+c.Unsent+c.Moved != 0 {
				f.t.Errorf("%s answered %d, want %d: %+v", h.Spec().Name, c.Echoed-was.Echoed, want, c)
			}
		})
	}
}

// check compares what the network counted with what went over the channels, and wants no error on
// any.
func (f *foreign) check() {
	f.t.Helper()
	f.mu.Lock()
	for _, e := range f.errors {
		f.t.Error(e)
	}
	f.mu.Unlock()
	got := f.n.Totals()
	if in, out, mods := f.count(1, openflow.TypePacketIn), f.count(0, openflow.TypePacketOut),
		f.count(0, openflow.TypeFlowMod); got.PacketIns != uint64(in) ||
		got.PacketOuts != uint64(out) || got.FlowMods != uint64(mods) {
		f.t.Errorf("%+v; on the channels %d packet-ins, %d packet-outs, %d flow-mods", got, in, out, mods)
	}
	if got.Drops.Total() != 0 || got.Sessions != got.Switches || got.Connected != got.Switches {
		f.t.Errorf("%+v", got)
	}
	for _, sw := range f.n.Switches() {
		sw.mu.Lock()
		if err := sw.data.table.Check(); err != nil {
			f.t.Errorf("%s: %v", sw.Name(), err)
		}
		sw.mu.Unlock()
	}
}

func ipv4Of(h *Host) netip.Addr { return h.Spec().IPv4.Addr() }
func ipv6Of(h *Host) netip.Addr { return h.Spec().IPv6.Addr() }

// TestUnderTestcontroller runs hosts under Open vSwitch's learning controller.
func TestUnderTestcontroller(t *testing.T) {
	for _, v := range versions {
		t.Run(v.String(), func(t *testing.T) {
			netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
				protocol := map[openflow.Version]string{openflow.V10: "OpenFlow10", openflow.V13: "OpenFlow13"}[v]
				c := l.Start(need.Program(t, "ovs-testcontroller"), "-O", protocol, "ptcp:6653:127.0.0.1")
				f := newForeign(t, l, "tree:2,2", v, 0)
				await(t, "all switches are configured",
					func() bool { return f.count(0, openflow.TypeSetConfig) == len(f.n.Switches()) })
				if v != openflow.V10 {
					await(t, "entries for misses", func() bool { return f.n.Totals().Entries >= int64(len(f.n.Switches())) })
				}
				f.pingAll(3, ipv4Of)
				f.pingAll(3, ipv6Of)
				f.check()
				if f.n.Totals().FlowMods < 24 {
					t.Errorf("%+v", f.n.Totals())
				}
				if log := c.Output(); strings.Contains(log, "|WARN|") || strings.Contains(log, "|ERR|") {
					t.Error(log)
				}
			})
		})
	}
}
