package flowtable

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// recorder is an Output that writes all that comes as text.
type recorder struct {
	lines  []string
	frames [][]byte
}

func (r *recorder) add(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

func (r *recorder) Transmit(port, queue uint32, frame []byte) {
	r.frames = append(r.frames, append([]byte(nil), frame...))
	q := ""
	if queue != 0 {
		q = fmt.Sprintf(" queue=%d", queue)
	}
	r.add("transmit port=%s%s %s", openflow.PortText(port), q, frameText(frame))
}

func (r *recorder) PacketIn(p *PacketIn) {
	r.frames = append(r.frames, append([]byte(nil), p.Frame...))
	var b strings.Builder
	fmt.Fprintf(&b, "packet_in reason=%s table=%d cookie=0x%x in_port=%s", p.Reason, p.Table, p.Cookie,
		openflow.PortText(p.InPort))
	if p.Only10 {
		b.WriteString(" only=1.0")
	}
	if p.MissLen {
		b.WriteString(" max_len=miss")
	} else {
		fmt.Fprintf(&b, " max_len=%d", p.MaxLen)
	}
	if p.Metadata != 0 {
		fmt.Fprintf(&b, " metadata=0x%x", p.Metadata)
	}
	if p.Tunnel != 0 {
		fmt.Fprintf(&b, " tunnel=0x%x", p.Tunnel)
	}
	if p.Buffer != openflow.NoBuffer {
		fmt.Fprintf(&b, " buffer=0x%x", p.Buffer)
	}
	r.add("%s %s", b.String(), frameText(p.Frame))
}

func (r *recorder) FlowRemoved(m *openflow.FlowRemoved) {
	r.add("flow_removed %s", m.AppendText(nil, openflow.V13))
}

func (r *recorder) PortStatus(reason openflow.PortReason, p openflow.Port) {
	m := openflow.PortStatus{Reason: reason, Port: p}
	r.add("port_status %s", m.AppendText(nil, openflow.V13))
}

// take is what came since the last time.
func (r *recorder) take() string {
	s := strings.Join(r.lines, "\n")
	r.lines, r.frames = nil, nil
	return s
}

// frameText is a frame as one line, with its labels, and a complaint where a checksum is wrong.
func frameText(frame []byte) string {
	return string(packet.Ethernet(frame).AppendText(nil)) + labels(frame) + faults(frame)
}

// bed is a switch with four ports and a recorder.
type bed struct {
	*Switch
	t   testing.TB
	out recorder
	now time.Duration
}

func newBed(t testing.TB, cfg Config) *bed {
	b := &bed{Switch: New(cfg), t: t}
	for no := uint32(1); no <= 4; no++ {
		b.AddPort(openflow.Port{Number: no, HWAddr: [6]byte{2, 0, 0, 0, 0, byte(no)}, Name: fmt.Sprintf("p%d", no)}, 0, &b.out)
	}
	b.out.take()
	t.Cleanup(func() {
		if err := b.Check(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// matchOf makes a match of "field=value,field=value".
func matchOf(t testing.TB, s string) (m openflow.Match) {
	t.Helper()
	for _, pair := range strings.Split(s, ",") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		if err := m.SetText(name, value); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// instructionsOf makes instructions of "apply:[output:2];goto_table:1".
func instructionsOf(t testing.TB, s string) (list []openflow.Instruction) {
	t.Helper()
	for _, part := range strings.Split(s, ";") {
		if part == "" {
			continue
		}
		in, err := openflow.ParseInstruction(part)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, in)
	}
	return list
}

// flow makes an ADD of OpenFlow 1.3.
func flow(t testing.TB, priority uint16, match, instructions string) *openflow.FlowMod {
	t.Helper()
	return &openflow.FlowMod{
		Priority: priority, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Match: matchOf(t, match), Instructions: instructionsOf(t, instructions),
	}
}

// must adds an entry.
func (b *bed) must(m *openflow.FlowMod) {
	b.t.Helper()
	if err := b.FlowMod(openflow.V13, m, b.now, &b.out); err != nil {
		b.t.Fatal(err)
	}
}

func udp(vlan uint16) []byte {
	k := packet.Key{
		EthDst: packet.MAC{2, 0, 0, 0, 0, 0xb}, EthSrc: packet.MAC{2, 0, 0, 0, 0, 0xa}, EtherType: packet.TypeIPv4,
		VLAN: vlan, TTL: 64,
		IPSrc: packet.AddrFrom4([4]byte{10, 0, 0, 1}), IPDst: packet.AddrFrom4([4]byte{10, 0, 0, 2}), SrcPort: 1000, DstPort: 53,
	}
	return packet.AppendUDP(nil, &k, []byte("hello, switch"))
}
