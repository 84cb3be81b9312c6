package connect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/tenant"
)

// TestReadOnly: of a packet-in that is another's the controllers are shown the frame and the port, and nothing else, up to the
// tenant's limit; what they write or send in read-only regions is refused, and nothing is ordered or sent.
func TestReadOnly(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		for _, both := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, with a region of its own %t", v, both), func(t *testing.T) { testReadOnly(t, v, both) })
		}
	}
}

func testReadOnly(t *testing.T, v openflow.Version, both bool) {
	match := func(id uint64) (m openflow.Match) {
		m.SetUint(openflow.FieldVLANVID, uint64(openflow.VLANPresent)|id)
		return m
	}
	space := []tenant.Region{{Match: match(5)}}
	if both {
		var discovery openflow.Match
		discovery.SetUint(openflow.FieldEthType, 0x88cc)
		space = append(space, tenant.Region{Priority: 1, Match: match(6)}, tenant.Region{Match: discovery})
	}
	s, orders := virtual(t, func(_ uint32, frame []byte) { t.Errorf("%x is sent", frame) }, space...)
	ln := listen(t)
	c := connectAs(t, s, ln, v)
	execute(t, s, orders)
	c.barrier(1)

	frame := append([]byte{2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 0x81, 0, 0, 5, 0x88, 0xb5}, make([]byte, 42)...)
	pin := &openflow.PacketIn{Reason: openflow.ReasonNoMatch, Table: 9, InPort: 2, Buffer: 77, TotalLen: 60, Data: frame,
		Cookie: plan.Cookie{Kind: plan.KindTenant, Domain: 1, Owner: plan.TenantOwner(3, 8)}.Encode()}
	pin.Match.SetUint(openflow.FieldInPort, 2)
	pin.Match.SetUint(openflow.FieldMetadata, plan.TenantMetadata(3)|5)
	Copy(s, pin)
	want := " total_len=60 reason=action table=0 cookie=0xffffffffffffffff in_port=2 data=0x0200"
	if v == openflow.V10 {
		want = " total_len=60 reason=action in_port=2 data=0x0200"
	}
	if _, text := c.next(); !strings.Contains(text, want) || strings.Contains(text, "buffer") {
		t.Errorf("of another's packet the controller hears %s, want %s", text, want)
	}

	lldp := append([]byte{0x01, 0x80, 0xc2, 0, 0, 0x0e, 9, 9, 9, 9, 9, 9, 0x88, 0xcc}, make([]byte, 46)...)
	out := func(frame []byte, port uint32) openflow.Message {
		return &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortController, Data: frame,
			Actions: []openflow.Action{openflow.Output(port)}}
	}
	add := func(m openflow.Match) openflow.Message {
		return &openflow.FlowMod{Priority: 7, Match: m, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
			OutGroup: openflow.GroupAny, Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(1))}}
	}
	atPort := match(5)
	atPort.SetUint(openflow.FieldInPort, 1)
	eperm, all := "OFPFMFC_EPERM", "OFPFMFC_EPERM"
	if both {
		all = ""
	}
	for i, x := range []struct {
		m    openflow.Message
		want string
	}{
		{add(match(5)), eperm}, {add(atPort.Canonical()), eperm}, {add(openflow.Match{}), all}, {add(match(6)), all},
		{out(frame, 1), "OFPBRC_EPERM"}, {out(frame, openflow.PortFlood), "OFPBRC_EPERM"}, {out(lldp, 1), "OFPBRC_EPERM"},
	} {
		got := strings.Join(c.ask(uint32(100+2*i), x.m), " ")
		if (x.want == "") != (got == "") || !strings.Contains(got, x.want) {
			t.Errorf("message %d is answered %q, want %q", i, got, x.want)
		}
	}

	s.SetLimits(tenant.Limits{PacketIns: 3})
	for range 10 {
		Copy(s, pin)
	}
	shown := len(c.barrier(3))
	if lost := s.Losses().PacketIns; shown < 3 || shown+int(lost) != 10 {
		t.Errorf("of 10 copies %d were shown, and %d are counted as lost", shown, lost)
	}
}
