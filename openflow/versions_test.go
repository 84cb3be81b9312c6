package openflow

import (
	"errors"
	"testing"
)

// TestOnly13 wants OpenFlow 1.0 to refuse what only 1.3 has: by ErrVersion in Append, by the right
// code in Parse.
func TestOnly13(t *testing.T) {
	for _, m := range []Message{
		&GroupMod{}, &TableMod{}, &GetAsyncRequest{}, &GetAsyncReply{}, &SetAsync{}, &MeterMod{},
		&RoleRequest{Role: RoleNoChange}, &Experimenter{ExpType: 1}, &ErrorMsg{Code: ErrorExperimenter},
		&MultipartRequest{Body: &GroupRequest{}}, &MultipartRequest{Body: &PortDescRequest{}},
		&MultipartReply{Body: &MeterStatsList{}}, &MultipartReply{Body: &TableFeaturesList{}},
		&MultipartReply{Body: &MultipartExperimenterBody{ExpType: 1}},
		&PortMod{Port: 70000}, &PortStatus{Port: Port{Number: 0x00ffffff}},
	} {
		if _, err := Append(nil, V10, 1, m); !errors.Is(err, ErrVersion) {
			t.Errorf("%T in OpenFlow 1.0: %v", m, err)
		}
	}
	if _, err := Append(nil, V13, 1, &FeaturesReply{Ports: make([]Port, 1)}); !errors.Is(err, ErrVersion) {
		t.Errorf("features_reply with ports in OpenFlow 1.3: %v", err)
	}
	for _, c := range []struct {
		b    []byte
		want ErrorCode
	}{
		{[]byte{1, 22, 0, 8, 0, 0, 0, 1}, BadRequestBadType},
		{[]byte{1, 28, 0, 32, 0, 0, 0, 1}, BadRequestBadType},
		{[]byte{4, 30, 0, 8, 0, 0, 0, 1}, BadRequestBadType},
		{[]byte{5, 10, 0, 8, 0, 0, 0, 1}, BadRequestBadVersion},
		{[]byte{1, 16, 0, 12, 0, 0, 0, 1, 0, 13, 0, 0}, BadRequestBadMultipart},
		{[]byte{4, 18, 0, 16, 0, 0, 0, 1, 0, 14, 0, 0, 0, 0, 0, 0}, BadRequestBadMultipart},
		{[]byte{4, 18, 0, 16, 0, 0, 0, 1, 0, 4, 0, 0, 0, 0, 0, 0}, BadRequestBadLen},
		{[]byte{4, 18, 0, 24, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}, BadRequestBadLen},
		{[]byte{1, 4, 0, 21, 0, 0, 0, 1, 0, 0, 0x23, 0x20, 0, 0, 0, 10, 0, 0, 0, 1, 0}, BadRequestBadLen},
		{[]byte{1, 4, 0, 20, 0, 0, 0, 1, 0, 0, 0x23, 0x20, 0, 0, 0, 10, 255, 255, 255, 255}, BadRequestEPerm},
	} {
		var refused *DecodeError
		if _, _, err := Parse(c.b); !errors.As(err, &refused) || refused.Code != c.want {
			t.Errorf("%x: %v, want %s", c.b, err, c.want)
		}
	}
}

// TestParseBodyAlone gives each message a body of a wrong length without a header before it, as
// Parse of a message may be called: none panics.
func TestParseBodyAlone(t *testing.T) {
	for typ := TypeHello; typ <= TypeMeterMod; typ++ {
		for _, v := range []Version{V10, V13} {
			for n := range 120 {
				m := newMessage(typ)
				err := m.Parse(v, make([]byte, n))
				var refused *DecodeError
				if err != nil && !errors.As(err, &refused) {
					t.Fatalf("%s %s of %d bytes: %v", v, typ, n, err)
				}
			}
		}
	}
}

// TestNiciraRoles maps the roles of the Nicira messages to those of OpenFlow 1.3; other messages of
// that vendor stay as they are.
func TestNiciraRoles(t *testing.T) {
	for wire, want := range []Role{RoleEqual, RoleMaster, RoleSlave} {
		for subtype, typ := range map[byte]Type{10: TypeRoleRequest, 11: TypeRoleReply, 12: TypeExperimenter} {
			b := []byte{1, 4, 0, 20, 0, 0, 0, 1, 0, 0, 0x23, 0x20, 0, 0, 0, subtype, 0, 0, 0, byte(wire)}
			_, m, err := Parse(b)
			if err != nil || m.Type() != typ {
				t.Fatalf("%x: %v, %v", b, m, err)
			}
			var got Role
			switch m := m.(type) {
			case *RoleRequest:
				got = m.Role
			case *RoleReply:
				got = m.Role
			default:
				continue
			}
			if got != want {
				t.Errorf("%x: role %s, want %s", b, got, want)
			}
		}
	}
}

// TestPortBits maps every single bit of a port of OpenFlow 1.0 to one of 1.3 and back, and the
// named ones to what they mean.
func TestPortBits(t *testing.T) {
	for bit := range 32 {
		b := uint32(1) << bit
		if got := swapBits(swapBits(b, config10), config10); got != b {
			t.Errorf("config %#x comes back as %#x", b, got)
		}
		if got := swapBits(swapBits(b, state10), state10); got != b {
			t.Errorf("state %#x comes back as %#x", b, got)
		}
		if got := featuresTo10(featuresFrom10(b)); got != b {
			t.Errorf("feature %#x comes back as %#x", b, got)
		}
	}
	for wire, want := range map[uint32]uint32{
		1 << 0: PortFeature10MbHD, 1 << 6: PortFeature10GbFD, 1 << 7: PortFeatureCopper, 1 << 8: PortFeatureFiber,
		1 << 9: PortFeatureAutoneg, 1 << 10: PortFeaturePause, 1 << 11: PortFeaturePauseAsym,
	} {
		if got := featuresFrom10(wire); got != want {
			t.Errorf("feature %#x of OpenFlow 1.0 is %#x, want %#x", wire, got, want)
		}
	}
	for wire, want := range map[uint32]uint32{
		1 << 0: PortConfigDown, 1 << 1: PortConfigNoSTP, 1 << 2: PortConfigNoRecv, 1 << 3: PortConfigNoRecvSTP,
		1 << 4: PortConfigNoFlood, 1 << 5: PortConfigNoFwd, 1 << 6: PortConfigNoPacketIn,
	} {
		if got := swapBits(wire, config10); got != want {
			t.Errorf("config %#x of OpenFlow 1.0 is %#x, want %#x", wire, got, want)
		}
	}
	if got := swapBits(3<<8|1, state10); got != PortStateSTPBlock|PortStateDown {
		t.Errorf("state 0x301 of OpenFlow 1.0 is %#x", got)
	}
}
