package openflow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
)

// TestMonitorMatchIsThatOfTheEntry wants the match that a flow update of OpenFlow 1.0 has, in NXM,
// to be the one that the switch lists the entry with.
func TestMonitorMatchIsThatOfTheEntry(t *testing.T) {
	want := monitorMatchSample()
	mod := FlowMod{Command: FlowAdd, Buffer: NoBuffer, OutPort: PortAny, OutGroup: GroupAny, Match: want}
	b, err := mod.Append(nil, V10)
	if err != nil {
		t.Fatal(err)
	}
	var listed FlowMod
	if err := listed.Parse(V10, b); err != nil {
		t.Fatal(err)
	}
	for _, s := range monitorSamples() {
		if s.name != "1.0/multipart_reply-flow_monitor" {
			continue
		}
		told := parseReply(t, s).Body.(*FlowUpdateList).Updates[0].Match
		if told.Key() != listed.Match.Key() || told.Key() != want.Key() {
			t.Errorf("told %s, listed %s, want %s", told.String(), listed.Match.String(), want.String())
		}
	}
}

// TestVLANTCI takes every kind of NXM_OF_VLAN_TCI, in hexadecimal "value/mask", to what it means
// and back.
func TestVLANTCI(t *testing.T) {
	for _, c := range []struct {
		tci, mask uint16
		masked    bool
		want      string
	}{
		{0, 0, false, "{vlan_vid=none}"},
		{0x1007, 0x1fff, true, "{vlan_vid=7}"},
		{0x5007, 0, false, "{vlan_vid=7,vlan_pcp=2}"},
		{0x1000, 0x1000, true, "{vlan_vid=any}"},
		{0x7000, 0xf000, true, "{vlan_vid=any,vlan_pcp=3}"},
		{0x0007, 0, false, "{oxm_0x0000_04=0x0007}"},
		{0x2000, 0xe000, true, "{oxm_0x0000_04=0x2000/0xe000}"},
		{0x1003, 0x1003, true, "{oxm_0x0000_04=0x1003/0x1003}"},
		{0x1007, 0xffff, true, "{oxm_0x0000_04=0x1007/0xffff}"},
		{0x3000, 0x3000, true, "{oxm_0x0000_04=0x3000/0x3000}"},
	} {
		in := append16(appendNXMHeader(nil, nxmVLANTCI, c.masked, 2), c.tci)
		if c.masked {
			in = append16(in, c.mask)
		}
		list, err := appendFromNXM(nil, in)
		if err != nil {
			t.Fatal(err)
		}
		m := Match{OXM: list}
		if got := m.String(); got != c.want {
			t.Errorf("%x: %s, want %s", in, got, c.want)
		}
		if out, err := appendNXM(nil, list); err != nil || !bytes.Equal(out, in) {
			t.Errorf("%s: written as %x, want %x: %v", c.want, out, in, err)
		}
	}
}

func TestNXMRefuses(t *testing.T) {
	vid := func(v uint16, mask []byte) []byte { return appendOXM(nil, FieldVLANVID, append16(nil, v), mask) }
	for _, list := range [][]byte{
		vid(0x0007, nil), vid(0x1004, []byte{0x10, 4}), appendOXM(nil, FieldVLANPCP, []byte{3}, nil),
		appendOXM(nil, FieldInPort, []byte{0, 1, 0, 0}, nil), appendOXM(nil, FieldIPDSCP, []byte{64}, nil), {1, 2, 3},
	} {
		if out, err := appendNXM(nil, list); !errors.Is(err, ErrVersion) {
			t.Errorf("%s: written as %x, %v", (&Match{OXM: list}).String(), out, err)
		}
	}
	if _, err := appendFromNXM(nil, appendOXM(nil, FieldEthType, []byte{8, 0}, nil)); err == nil {
		t.Error("an OXM field that NXM has a way to say was taken")
	}
}

// FuzzFlowMonitor fuzzes requests and updates of flow monitors.
func FuzzFlowMonitor(f *testing.F) {
	for _, s := range monitorSamples() {
		f.Add(s.bytes(f))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= HeaderLen && len(b) <= longest {
			binary.BigEndian.PutUint16(b[2:], uint16(len(b)))
		}
		checkFixedPoint(t, "fuzz", b, false)
		if h, m, err := Parse(b); err == nil {
			if e, ok := m.(*Experimenter); ok {
				e.FlowMonitorPause(h.Version)
			}
		}
	})
}

// TestManyFlowMonitors wants a request for two monitors, with a match and without, to come out as
// it went in.
func TestManyFlowMonitors(t *testing.T) {
	for _, v := range []Version{V10, V13} {
		two := &MultipartRequest{Body: &FlowMonitorRequest{Monitors: []FlowMonitor{
			{ID: 1, Flags: MonitorAdd, OutPort: PortAny, Table: 1}, {ID: 2, OutPort: 3, Table: 4, Match: monitorMatchSample()},
			{ID: 3, OutPort: PortAny, Table: TableAll},
		}}}
		b, err := Append(nil, v, 7, two)
		if err != nil {
			t.Fatal(err)
		}
		checkFixedPoint(t, "two monitors", b, true)
		_, m, err := Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		if r := m.(*MultipartRequest).Body.(*FlowMonitorRequest); len(r.Monitors) != 3 || r.Monitors[2].ID != 3 {
			t.Errorf("OpenFlow %s: %d monitors", v, len(r.Monitors))
		}
	}
}

func TestFlowMonitorPause(t *testing.T) {
	for _, s := range append(monitorSamples(), controlSamples()...) {
		m, ok := s.m.(*Experimenter)
		if !ok {
			continue
		}
		paused, ok := m.FlowMonitorPause(s.v)
		if wantPaused, want := s.name[4:] == "flow_monitor-paused",
			s.name[4:min(len(s.name), 16)] == "flow_monitor"; ok != want || paused != wantPaused {
			t.Errorf("%s: paused %t, of a flow monitor %t", s.name, paused, ok)
		}
	}
}
