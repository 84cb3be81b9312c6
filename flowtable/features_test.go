package flowtable

import (
	"strings"
	"testing"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// TestFeatures: what a switch says of itself can be written in the version that asked, and says
// what it does.
func TestFeatures(t *testing.T) {
	b := newBed(t, Config{Tables: 5, Buffers: 7})
	b.SetPortState(2, false, 0, &b.out)
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		r := b.Features(v)
		if _, err := r.Append(nil, v); err != nil {
			t.Errorf("%s: %v", v, err)
		}
		if r.Buffers != 7 || r.Tables != map[openflow.Version]uint8{openflow.V10: 1, openflow.V13: 5}[v] {
			t.Errorf("%s: %+v", v, r)
		}
		if v == openflow.V10 &&
			(len(r.Ports) != 4 || r.Ports[0].State != 0 || r.Ports[1].State != openflow.PortStateDown || r.Actions != 0xfff) {
			t.Errorf("%+v", r)
		}
	}
	if ports := b.Ports(); ports[0].State != openflow.PortStateLive || ports[1].State != openflow.PortStateDown {
		t.Errorf("%+v", ports)
	}
}

// TestTableFeatures: the answer can be written, a table a message, and names the fields and actions
// that a flow-mod may use.
func TestTableFeatures(t *testing.T) {
	b := newBed(t, Config{Tables: 3})
	body, err := b.Multipart(openflow.V13, &openflow.TableFeaturesList{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	list := body.(*openflow.TableFeaturesList)
	if len(list.Tables) != 3 {
		t.Fatalf("%d tables", len(list.Tables))
	}
	for i := range list.Tables {
		part := openflow.MultipartReply{Body: &openflow.TableFeaturesList{Tables: list.Tables[i : i+1]}}
		wire, err := part.Append(nil, openflow.V13)
		if err != nil {
			t.Fatal(err)
		}
		var back openflow.MultipartReply
		if err := back.Parse(openflow.V13, wire); err != nil {
			t.Fatal(err)
		}
		text := string(back.AppendText(nil, openflow.V13))
		for _, want := range []string{"eth_dst/mask", "ipv6_nd_target", "copy_ttl_in", "write_metadata"} {
			if !strings.Contains(text, want) {
				t.Errorf("table %d: no %s in %s", i, want, text)
			}
		}
		if goes := strings.Contains(text, "goto_table"); goes != (i < 2) {
			t.Errorf("table %d: goto_table %t", i, goes)
		}
		if strings.Contains(text, "pbb") {
			t.Errorf("table %d offers PBB", i)
		}
	}
}

// TestTableMod: nothing can be set, and what was never there is refused.
func TestTableMod(t *testing.T) {
	b := newBed(t, Config{Tables: 3})
	for _, c := range []struct {
		m    openflow.TableMod
		want string
	}{
		{openflow.TableMod{Table: 2, Config: 3}, ""},
		{openflow.TableMod{Table: openflow.TableAll}, ""},
		{openflow.TableMod{Table: 3}, "OFPTMFC_BAD_TABLE"},
		{openflow.TableMod{Table: 1, Config: 4}, "OFPTMFC_BAD_CONFIG"},
	} {
		err := b.TableMod(openflow.V13, &c.m, 0, &b.out)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.m, err, c.want)
		}
	}
}

// TestPacketInMessage: the frame is cut where the switch keeps it, at the length that the entry or
// the connection asks for.
func TestPacketInMessage(t *testing.T) {
	frame := udp(0)
	for _, c := range []struct {
		in     PacketIn
		v      openflow.Version
		length int
		buffer uint32
		match  string
	}{
		{PacketIn{MaxLen: 20, Buffer: 5, InPort: 3}, openflow.V13, 20, 5, "{in_port=3}"},
		{PacketIn{MaxLen: 20, Buffer: openflow.NoBuffer, InPort: 3}, openflow.V13, len(frame), openflow.NoBuffer, "{in_port=3}"},
		{PacketIn{MaxLen: 2000, Buffer: 5, InPort: 3, Metadata: 7, Tunnel: 8}, openflow.V13, len(frame), 5,
			"{in_port=3,metadata=0x7,tunnel_id=0x8}"},
		{PacketIn{MissLen: true, Buffer: 5}, openflow.V10, 16, 5, "{}"},
		{PacketIn{MaxLen: openflow.ControllerNoCut, Buffer: 5}, openflow.V10, len(frame), openflow.NoBuffer, "{}"},
	} {
		var m openflow.PacketIn
		c.in.Frame = frame
		c.in.Message(&m, c.v, 16)
		if len(m.Data) != c.length || m.Buffer != c.buffer || m.Match.String() != c.match || int(m.TotalLen) != len(frame) {
			t.Errorf("%+v gave %d bytes, buffer %#x, match %s", c.in, len(m.Data), m.Buffer, m.Match)
		}
		if _, err := m.Append(nil, c.v); err != nil {
			t.Error(err)
		}
	}
}

// TestFragments: OFPC_FRAG_DROP drops them, and what a switch does not offer is not set.
func TestFragments(t *testing.T) {
	b := newBed(t, Config{})
	b.must(flow(t, 1, "", "apply:[output:2]"))
	frame := udp(0)
	frame[20] = 0x20 // more fragments
	for _, c := range []struct {
		set, get openflow.ConfigFlags
		sent     bool
	}{
		{openflow.ConfigFragNormal, openflow.ConfigFragNormal, true},
		{openflow.ConfigFragDrop, openflow.ConfigFragDrop, false},
		{openflow.ConfigFragReasm, openflow.ConfigFragDrop, false},
		{openflow.ConfigFragNormal, openflow.ConfigFragNormal, true},
	} {
		if got := b.SetConfig(c.set); got != c.get {
			t.Errorf("set %d, got %d", c.set, got)
		}
		b.Receive(1, frame, 0, &b.out)
		if got := b.out.take(); (got != "") != c.sent {
			t.Errorf("set %d: %q", c.set, got)
		}
		b.Receive(1, udp(0), 0, &b.out)
		if b.out.take() == "" {
			t.Error("a whole packet was dropped")
		}
	}
}

// TestQueues: a port's queues as messages describe them.
func TestQueues(t *testing.T) {
	b := newBed(t, Config{})
	b.SetQueues(1, []uint32{5, 6}, 0)
	b.SetQueues(2, []uint32{7}, 0)
	for _, c := range []struct {
		v    openflow.Version
		port uint32
		want int
		err  bool
	}{
		{openflow.V13, 1, 2, false}, {openflow.V13, 3, 0, false}, {openflow.V13, openflow.PortAny, 3, false},
		{openflow.V13, 9, 0, true},
		{openflow.V10, 1, 2, false}, {openflow.V10, openflow.PortAny, 0, true},
	} {
		list, err := b.Queues(c.v, c.port)
		if len(list) != c.want || (err != nil) != c.err {
			t.Errorf("%s, port %d: %v, %v", c.v, c.port, list, err)
		}
	}
}

// TestRoutedIPv6: with a routing header that still leads on, the checksum does not cover the
// destination in the header.
func TestRoutedIPv6(t *testing.T) {
	k := packet.Key{EtherType: packet.TypeIPv6, IPSrc: packet.Addr{0xfd, 15: 1}, IPDst: packet.Addr{0xfd, 15: 2},
		SrcPort: 1, DstPort: 2}
	plain := packet.AppendUDP(nil, &k, []byte("payload"))
	route := append([]byte{packet.ProtoUDP, 2, 0, 1, 0, 0, 0, 0}, make([]byte, 16)...)
	frame := insertAt(plain, 14+packet.IPv6Len, route)
	frame[20] = packet.ProtoRouting
	frame[19] += byte(len(route))
	b := newBed(t, Config{})
	b.must(flow(t, 1, "eth_type=0x86dd", "apply:[set_field:fd00::9->ipv6_dst,output:2,set_field:fd00::8->ipv6_src,output:2]"))
	b.Receive(1, frame, 0, &b.out)
	sum := func(f []byte) string { return string(f[14+packet.IPv6Len+len(route)+6:][:2]) }
	if len(b.out.frames) != 2 || sum(b.out.frames[0]) != sum(frame) || sum(b.out.frames[1]) == sum(frame) {
		t.Error("the checksum follows the wrong address")
	}
}

// TestCallBackPanics: an Output that calls the switch back would find it between two states.
func TestCallBackPanics(t *testing.T) {
	b := newBed(t, Config{})
	b.must(flow(t, 1, "", "apply:[output:2]"))
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
		b.end()
	}()
	b.Receive(1, udp(0), 0, &caller{s: b.Switch})
}

type caller struct {
	sink
	s *Switch
}

func (c *caller) Transmit(_, _ uint32, frame []byte) { c.s.Receive(2, frame, 0, c) }
