package openflow

import (
	"bytes"
	"errors"
	"testing"
)

// TestErrorCodes10 checks the codes of OpenFlow 1.0 whose numbers or names differ from those of
// 1.3, and that no name of one version is lost in the other.
func TestErrorCodes10(t *testing.T) {
	for _, c := range []struct {
		wire uint32
		code ErrorCode
		text string
	}{
		{3<<16 + 0, FlowModFailedTableFull, "OFPET_FLOW_MOD_FAILED OFPFMFC_ALL_TABLES_FULL"},
		{3<<16 + 1, FlowModFailedOverlap, "OFPET_FLOW_MOD_FAILED OFPFMFC_OVERLAP"},
		{3<<16 + 3, FlowModFailedBadEmergTimeout, "OFPET_FLOW_MOD_FAILED OFPFMFC_BAD_EMERG_TIMEOUT"},
		{3<<16 + 5, FlowModFailedUnsupported, "OFPET_FLOW_MOD_FAILED OFPFMFC_UNSUPPORTED"},
		{4<<16 + 1, PortModFailedBadHWAddr, "OFPET_PORT_MOD_FAILED OFPPMFC_BAD_HW_ADDR"},
		{5<<16 + 1, QueueOpFailedBadQueue, "OFPET_QUEUE_OP_FAILED OFPQOFC_BAD_QUEUE"},
		{1<<16 + 2, BadRequestBadMultipart, "OFPET_BAD_REQUEST OFPBRC_BAD_STAT"},
		{1<<16 + 3, BadRequestBadExperimenter, "OFPET_BAD_REQUEST OFPBRC_BAD_VENDOR"},
	} {
		if got := errorCodeOf(V10, c.wire); got != c.code {
			t.Errorf("%#x is %s, want %s", c.wire, got, c.code)
		}
		if wire, ok := c.code.wireOf(V10); wire != c.wire || !ok {
			t.Errorf("%s is written %#x, want %#x", c.code, wire, c.wire)
		}
		if typ, code := c.code.Names(V10); typ+" "+code != c.text {
			t.Errorf("%s %s, want %s", typ, code, c.text)
		}
	}
	if got := BadRequestBadLen.String(); got != "OFPET_BAD_REQUEST OFPBRC_BAD_LEN" {
		t.Error(got)
	}
}

// TestErrorsSurvive parses every pair of small numbers, and some large, in both versions: they are
// written as they came.
func TestErrorsSurvive(t *testing.T) {
	types := []uint32{0xb0c2, 0xfffe, 0xffff}
	for typ := range uint32(20) {
		types = append(types, typ)
	}
	for _, v := range []Version{V10, V13} {
		for _, typ := range types {
			for _, code := range []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16, 0xfffe, 0xff03, 0xffff} {
				body := append(append32(nil, typ<<16|code), 1, 2, 3, 4, 5)
				var m ErrorMsg
				if err := m.Parse(v, body); err != nil {
					t.Fatalf("%s (%d, %d): %v", v, typ, code, err)
				}
				if got, err := m.Append(nil, v); err != nil || !bytes.Equal(got, body) {
					t.Errorf("%s (%d, %d): %x, %v", v, typ, code, got, err)
				}
			}
		}
	}
}

func TestNewError(t *testing.T) {
	refused := make([]byte, 100)
	for i := range refused {
		refused[i] = byte(i)
	}
	for _, c := range []struct {
		v       Version
		given   ErrorCode
		want    ErrorCode
		refused int
		data    int
	}{
		{V13, BadMatchBadPrereq, BadMatchBadPrereq, 100, 64},
		{V13, BadMatchBadPrereq, BadMatchBadPrereq, 20, 20},
		{V10, BadRequestBadLen, BadRequestBadLen, 100, 64},
		{V10, BadRequestIsSlave, BadRequestEPerm, 100, 64},
		{V10, BadActionBadSetLen, BadActionBadLen, 100, 64},
		{V10, BadInstructionUnknownInst, BadActionBadType, 100, 64},
		{V10, FlowModFailedBadFlags, FlowModFailedUnsupported, 100, 64},
	} {
		refused[0] = byte(c.v)
		m := NewError(&DecodeError{Code: c.given}, refused[:c.refused])
		if m.Code != c.want || len(m.Data) != c.data || !bytes.Equal(m.Data, refused[:c.data]) {
			t.Errorf("OpenFlow %s, %s: %s with %d bytes", c.v, c.given, m.Code, len(m.Data))
		}
	}
}

// TestEveryCodeAnswers wants an answer in both versions to every code that a decoder can give.
func TestEveryCodeAnswers(t *testing.T) {
	for _, v := range []Version{V10, V13} {
		for _, code := range errorCodes13() {
			m := NewError(&DecodeError{Code: code}, []byte{byte(v)})
			if _, err := m.Append(nil, v); err != nil {
				t.Errorf("OpenFlow %s: %s: %v", v, code, err)
			}
		}
	}
	m := &ErrorMsg{Code: BadInstructionBadLen}
	if _, err := m.Append(nil, V10); !errors.Is(err, ErrVersion) {
		t.Errorf("OpenFlow 1.0 wrote %s: %v", m.Code, err)
	}
}

// errorCodes13 are all codes of OpenFlow 1.3.
func errorCodes13() (codes []ErrorCode) {
	for t := range errorNames {
		for n := range errorNames[t].codes {
			codes = append(codes, ErrorCode(t<<16+n))
		}
	}
	return codes
}
