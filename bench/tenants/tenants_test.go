package tenants

import (
	"errors"
	"math"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

func TestWrongConfigsAreRefused(t *testing.T) {
	for want, c := range map[string]Config{
		`message "nonesuch" given, want packet-in, packet-out, port-stats, echo, features, reaction, flow-mod`: {Kind: "nonesuch"},
		"201 tenants given, want 1 to 200":                                          {Tenants: 201},
		"-1 tenants given":                                                          {Tenants: -1},
		"101 switches given, want 1 to 100":                                         {Switches: 101},
		"a rate of -5 given":                                                        {Rate: -5},
		"both a rate and 3 outstanding messages given":                              {Rate: 5, Outstanding: 3},
		"20000 outstanding messages given, want 1 to 16384":                         {Outstanding: 20000},
		`controllers at "127.0.0.1" given, want HOST:PORT of the first of 1`:        {Controllers: "127.0.0.1"},
		`controllers at "127.0.0.1:65500" given, want HOST:PORT of the first of 99`: {Controllers: "127.0.0.1:65500", Tenants: 99},
	} {
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	c := Config{Controllers: "192.0.2.1:65534", Tenants: 2}
	if list, err := c.controllers(); err != nil || strings.Join(list, " ") != "192.0.2.1:65534 192.0.2.1:65535" {
		t.Errorf("%v, %v", list, err)
	}
}

// TestMessagesAreWellFormed parses what the load makes, with the token and the tenant in it.
func TestMessagesAreWellFormed(t *testing.T) {
	const tenant, token = 57, 0x12345
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		for _, k := range Kinds()[1:] {
			b := newRequest(k, v, tenant).append(nil, token, 2*entries+3)
			h, m, err := openflow.Parse(b[:int(b[2])<<8|int(b[3])])
			if err != nil {
				t.Fatal(err)
			}
			switch m := m.(type) {
			case *openflow.PacketOut:
				checkFrame(t, b, m.Data, tenant, token)
				continue
			case *openflow.FlowMod:
				if got, _, _ := m.Match.Lookup(openflow.FieldIPv4Dst); string(got) != "\x0a\xfe\x00\x03" {
					t.Errorf("%s: a flow-mod for packets to %v", v, got)
				}
				if got := m.Instructions[0].Actions[0]; got.Port != 3 {
					t.Errorf("%s: the third flow-mod of an entry outputs to %d", v, got.Port)
				}
				if h, _, err := openflow.Parse(b[h.Length:]); err != nil || h.Type != openflow.TypeBarrierRequest ||
					h.XID != ownXID|token {
					t.Errorf("%s: after the flow-mod: %+v, %v", v, h, err)
				}
			}
			if h.XID != ownXID|token {
				t.Errorf("%s: %s: transaction id %#x", v, k, h.XID)
			}
		}
		pin := &openflow.PacketIn{Buffer: openflow.NoBuffer, TotalLen: frameLen, InPort: 1, Data: appendFrame(nil, tenant)}
		if v == openflow.V13 {
			pin.Match.SetUint(openflow.FieldMetadata, 7<<54)
		}
		b := newPacketIn(v, pin).append(nil, token, 0)
		_, m, err := openflow.Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		checkFrame(t, b, m.(*openflow.PacketIn).Data, tenant, token)
	}
	if _, _, ok := readStamp(make([]byte, 300)); ok {
		t.Error("a message that is not of the load is taken for one")
	}
}

func checkFrame(t *testing.T, message, frame []byte, tenant, token uint32) {
	t.Helper()
	var k packet.Key
	if _, fault := packet.ParseKey(frame, &k); fault != packet.FaultNone || len(frame) != frameLen ||
		k.VLAN != packet.VLANPresent|uint16(FirstVLAN+tenant) || k.IPProto != packet.ProtoUDP {
		t.Errorf("a frame of %d bytes, fault %v: %+v", len(frame), fault, k)
	}
	if gotTenant, gotToken, ok := readStamp(message); !ok || gotTenant != tenant || gotToken != token {
		t.Errorf("tenant %d, token %#x, %v", gotTenant, gotToken, ok)
	}
}

func TestJain(t *testing.T) {
	for _, tc := range []struct {
		of   []float64
		want float64
	}{{[]float64{3, 3, 3}, 1}, {[]float64{1, 0, 0, 0}, 0.25}, {[]float64{1, 2, 3}, 36.0 / 42}, {[]float64{0, 0}, 1}} {
		if got := Jain(tc.of); math.Abs(got-tc.want) > 1e-12 {
			t.Errorf("Jain's index of %v is %v, want %v", tc.of, got, tc.want)
		}
	}
}

// TestCookiesAndMetadataAreFound: packet-ins are those of the entries that the switch was given, also where tables
// before them say whose a packet is.
func TestCookiesAndMetadataAreFound(t *testing.T) {
	l := &Load{c: &Config{Kind: PacketIn, Tenants: 3}}
	if err := l.c.Check(); err != nil {
		t.Fatal(err)
	}
	n, err := l.newNetwork()
	if err != nil {
		t.Fatal(err)
	}
	l.networks = append(l.networks, n)
	s := l.source(1, 0)
	give := func(m openflow.Message) {
		b := encode(nil, openflow.V13, m)
		h, err := openflow.ParseHeader(b)
		if err != nil || s.Frame(nil, h, b) {
			t.Fatalf("%v: the switch does not see a flow-mod", err)
		}
	}
	if s.packetIn(1) != nil {
		t.Error("an empty switch shows packets")
	}
	classify := addition(500, openflow.Action{})
	classify.Match.SetUint(openflow.FieldInPort, uint64(portOf(1)))
	classify.Match.SetUint(openflow.FieldVLANVID, 0x1000|FirstVLAN+1)
	classify.Instructions = []openflow.Instruction{
		{Type: openflow.InstructionWriteMetadata, Metadata: 9 << 54, MetadataMask: 0x3ff << 54}, openflow.GotoTable(3)}
	give(classify)
	miss := addition(0, openflow.OutputController(openflow.ControllerNoCut))
	miss.Table, miss.Cookie = 3, 0x5000000900000001
	miss.Match.SetUint(openflow.FieldMetadata, 9<<54)
	give(miss)
	p := s.packetIn(1)
	if p == nil {
		t.Fatal("packets are shown to nobody")
	}
	_, m, err := openflow.Parse(p.append(nil, 77, 0))
	if err != nil {
		t.Fatal(err)
	}
	pin := m.(*openflow.PacketIn)
	metadata, _ := pin.Match.Uint(openflow.FieldMetadata)
	if pin.Cookie != miss.Cookie || pin.Table != 3 || metadata != 9<<54 || pin.InPort != portOf(1) {
		t.Errorf("%+v, metadata %#x", pin, metadata)
	}
	if s.packetIn(2) != nil || s.packetIn(0) != nil {
		t.Error("packets of other tenants are shown")
	}
}

// TestOthersMessagesAreNoticed: a relay that gives a tenant's packet-ins to another, or shows none.
func TestOthersMessagesAreNoticed(t *testing.T) {
	for _, tc := range []struct {
		c    Config
		to   []int // whose controller gets the connection of whose switch
		want string
	}{
		{Config{Kind: PacketIn, Version: openflow.V10}, []int{1, 0},
			"packet-ins of 2 of 2 tenants do not come through; "},
		{Config{Kind: PacketIn, Version: openflow.V13}, []int{0},
			"switch 1 has not connected to the controller of tenant 2"},
	} {
		tc.c.Tenants, tc.c.Settle = 2, 250*time.Millisecond
		if err := tc.c.Check(); err != nil {
			t.Fatal(err)
		}
		l, err := Listen(&tc.c)
		if err != nil {
			t.Fatal(err)
		}
		var to []string
		for _, i := range tc.to {
			to = append(to, l.Addresses()[i])
		}
		err = errors.Join(l.Connect(t.Context(), to...), l.Settle(t.Context()))
		if err == nil || !strings.Contains(err.Error(), tc.want) ||
			len(to) == 2 && !strings.Contains(err.Error(), "came to another tenant's controller") {
			t.Errorf("%v, want %s", err, tc.want)
		}
		_ = l.Close()
	}
	sm := &Sample{Latency: report.NewHistogram(), Lateness: report.NewHistogram(), Tenants: []Tenant{{tally: tally{answered: 5,
		counted: 5, foreign: 2}}}}
	if err := sm.Check(&Config{Kind: PacketIn}); !errors.Is(err, report.ErrMisforwarded) {
		t.Errorf("%v", err)
	}
	sm.Tenants[0].tally = tally{answered: 5, counted: 5, again: 1}
	if err := sm.Check(&Config{Kind: PacketIn}); !errors.Is(err, report.ErrMisforwarded) {
		t.Errorf("%v", err)
	}
}

// TestErrorsAreToldOf: what a switch refuses of the load is no answer.
func TestErrorsAreToldOf(t *testing.T) {
	c := &Config{Kind: FlowMod}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	l, err := Listen(c)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := errors.Join(l.Connect(t.Context(), l.Addresses()...), l.Settle(t.Context())); err != nil {
		t.Fatal(err)
	}
	s := l.tenants[0].controllers[0]
	wrong := addition(1, openflow.Output(1))
	wrong.Table = 77
	if _, err := s.Send(wrong); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RequestContext(t.Context(), &openflow.BarrierRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Measure(t.Context(), time.Millisecond, 0, nil); err == nil ||
		!strings.Contains(err.Error(), "tenant 1: its switch answers "+openflow.FlowModFailedBadTableID.String()) {
		t.Errorf("%v", err)
	}
}

// TestNagle: TCP_NODELAY is left out where it is to be.
func TestNagle(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	for _, nagle := range []bool{false, true} {
		l := &Load{c: &Config{Nagle: nagle}}
		if nagle {
			ln = nagled{ln}
		}
		conn, err := l.dial(t.Context(), ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		far, err := ln.Accept()
		if err != nil {
			t.Fatal(err)
		}
		for _, end := range []net.Conn{conn, far} {
			if noDelay(t, end) == nagle {
				t.Errorf("nagle=%v: TCP_NODELAY is %v", nagle, !nagle)
			}
			end.Close()
		}
	}
}

// noDelay reports whether a connection has TCP_NODELAY.
func noDelay(t *testing.T, conn net.Conn) (is bool) {
	t.Helper()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) {
		v, err := syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_NODELAY)
		if err != nil {
			t.Error(err)
		}
		is = v != 0
	}); err != nil {
		t.Fatal(err)
	}
	return is
}
