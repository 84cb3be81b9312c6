package openflow

import (
	"errors"
	"strings"
	"testing"
)

// TestHeaderRefused: what is wrong with a header has its code; the transaction id is known all the
// same.
func TestHeaderRefused(t *testing.T) {
	for _, c := range []struct {
		what, b string
		code    ErrorCode
	}{
		{"nothing", "", BadRequestBadLen},
		{"7 bytes", "04000008000000", BadRequestBadLen},
		{"length 0", "0402000000000007", BadRequestBadLen},
		{"length 7", "0402000700000007", BadRequestBadLen},
		{"length 9 of 8", "0402000900000007", BadRequestBadLen},
		{"length 8 of 9", "040200080000000700", BadRequestBadLen},
		{"two messages", "0402000800000007" + "0402000800000007", BadRequestBadLen},
		{"a barrier of 16", "0414001000000007" + "0000000000000000", BadRequestBadLen},
		{"a flow_mod of 55", "040e003700000007" + strings.Repeat("00", 47), BadRequestBadLen},
		{"a flow_mod of 57", "040e003900000007" + strings.Repeat("00", 49), BadRequestBadLen},
		{"a features_reply of 1.0 with half a port", "0106003800000007" + strings.Repeat("00", 48), BadRequestBadLen},
		{"a Nicira role request of 16", "0104001000000007" + "000023200000000a", BadRequestBadLen},
		{"version 0", "0000000800000007", BadRequestBadVersion},
		{"version 2", "0202000800000007", BadRequestBadVersion},
		{"version 5", "0505000800000007", BadRequestBadVersion},
		{"type 30", "041e000800000007", BadRequestBadType},
		{"type 255", "04ff000800000007", BadRequestBadType},
		{"type 22 of 1.0", "0116000800000007", BadRequestBadType},
	} {
		b := fromHex(t, c.b)
		h, m, err := Parse(b)
		var e *DecodeError
		if !errors.As(err, &e) || e.Code != c.code || m != nil {
			t.Errorf("%s: error %v, want %s", c.what, err, c.code)
		}
		if len(b) >= HeaderLen && h.XID != 7 {
			t.Errorf("%s: xid %d", c.what, h.XID)
		}
	}
	err := refuse(BadRequestBadLen, "%d bytes", 3)
	if got := err.Error(); got != "OFPET_BAD_REQUEST OFPBRC_BAD_LEN: 3 bytes" {
		t.Error(got)
	}
}

// TestHelloOfAnyVersion: a hello is read whatever its version, as is the error that answers one.
func TestHelloOfAnyVersion(t *testing.T) {
	for _, b := range []string{
		"0600001000000007" + "0001000800000052", "0200000800000007", "ff00000800000007", "0501000c00000007" + "00000000",
	} {
		wire := fromHex(t, b)
		h, m, err := Parse(wire)
		if err != nil {
			t.Errorf("%s: %v", b, err)
			continue
		}
		got, err := Append(nil, h.Version, h.XID, m)
		if err != nil || string(got) != string(wire) {
			t.Errorf("%s: came out as %x, %v", b, got, err)
		}
	}
	if b, err := Append(nil, 6, 7, &BarrierRequest{}); !errors.Is(err, ErrVersion) {
		t.Errorf("a barrier of version 6: %x, %v", b, err)
	}
}

// TestTooLong: what does not fit into the 16 bits of a length is refused, and the buffer is as it
// was.
func TestTooLong(t *testing.T) {
	big := make([]byte, 65536)
	actions := make([]Action, 4100)
	for i := range actions {
		actions[i] = Output(1)
	}
	for _, m := range []Message{
		&EchoRequest{Data: big},
		&PacketIn{Data: big},
		&PacketOut{Actions: actions},
		&FlowMod{Match: Match{OXM: big}},
		&FlowMod{Instructions: []Instruction{Apply(actions...)}},
		&FlowMod{Instructions: []Instruction{{Type: InstructionExperimenter, Data: big}}},
		&FlowMod{Instructions: []Instruction{Apply(Action{Type: ActionExperimenter, Data: big})}},
		&FlowMod{Instructions: []Instruction{Apply(Action{Type: ActionSetField, Data: big})}},
		&GroupMod{Buckets: []Bucket{{Actions: actions}}},
		&MeterMod{Bands: []Band{{Type: BandExperimenter, Data: big}}},
	} {
		if b, err := Append([]byte("x"), V13, 7, m); !errors.Is(err, ErrTooLong) || string(b) != "x" {
			t.Errorf("%s: %d bytes, %v", m.Type(), len(b), err)
		}
	}
}
