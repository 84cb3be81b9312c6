package openflow

import (
	"bytes"
	"errors"
	"testing"
)

// TestActionsRefused: each fault of an action has its code, in each version.
func TestActionsRefused(t *testing.T) {
	for _, c := range []struct {
		what string
		v    Version
		b    string
		code ErrorCode
	}{
		{"4 bytes", V13, "00000004", BadActionBadLen},
		{"no length", V13, "0000000000000000", BadActionBadLen},
		{"length 7", V13, "0012000700000000", BadActionBadLen},
		{"length 12", V13, "0012000c0000000000000000", BadActionBadLen},
		{"longer than the list", V13, "0000001000000001", BadActionBadLen},
		{"output of 8 bytes", V13, "0000000800000001", BadActionBadLen},
		{"pop_vlan of 16 bytes", V13, "00120010000000000000000000000000", BadActionBadLen},
		{"group of 16 bytes", V13, "00160010000000000000000000000000", BadActionBadLen},
		{"type 1", V13, "0001000800000000", BadActionBadType},
		{"type 0x8001", V13, "8001000800000000", BadActionBadType},
		{"set_field of nothing", V13, "0019000800000000", BadActionBadSetLen},
		{"set_field past its end", V13, "00190010800006100000000000010000", BadActionBadSetLen},
		{"set_field with 8 bytes too many", V13, "001900188000060600000000000100000000000000000000", BadActionBadSetLen},
		{"set_field of eth_dst with 4 bytes", V13, "00190010800006040000000000010000", BadActionBadSetLen},
		{"set_field of field 63", V13, "0019001080007e040000000000000000", BadActionBadSetType},
		{"set_field with a mask", V13, "00190018" + "8000070c" + "000000000001" + "ffffffffffff" + "00000000",
			BadActionBadSetArgument},
		{"set_field of vlan_pcp to 8", V13, "0019001080000e010800000000000000", BadActionBadSetArgument},
		{"4 bytes", V10, "00000004", BadActionBadLen},
		{"no length", V10, "0000000000000000", BadActionBadLen},
		{"output of 16 bytes", V10, "00000010000000010000000000000000", BadActionBadLen},
		{"enqueue of 8 bytes", V10, "000b000800010000", BadActionBadLen},
		{"set_dl_src of 8 bytes", V10, "0004000800010000", BadActionBadLen},
		{"type 12", V10, "000c000800000000", BadActionBadType},
		{"set_vlan_vid to 4096", V10, "0001000810000000", BadActionBadArgument},
		{"set_vlan_pcp to 8", V10, "0002000808000000", BadActionBadArgument},
		{"set_nw_tos with ECN bits", V10, "0008000801000000", BadActionBadArgument},
	} {
		_, err := parseActions(c.v, fromHex(t, c.b), new(arena))
		var e *DecodeError
		if !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("%s %s: error %v, want %s", c.v, c.what, err, c.code)
		}
	}
}

// TestInstructionsRefused: each fault of an instruction has its code.
func TestInstructionsRefused(t *testing.T) {
	for _, c := range []struct {
		what, b string
		code    ErrorCode
	}{
		{"4 bytes", "00010004", BadInstructionBadLen},
		{"no length", "0001000000000000", BadInstructionBadLen},
		{"length 12", "0001000c0000000000000000", BadInstructionBadLen},
		{"longer than the list", "0004001000000000", BadInstructionBadLen},
		{"goto_table of 16 bytes", "00010010000000000000000000000000", BadInstructionBadLen},
		{"write_metadata of 16 bytes", "00020010000000000000000000000000", BadInstructionBadLen},
		{"clear of 16 bytes", "00050010000000000000000000000000", BadInstructionBadLen},
		{"type 0", "0000000800000000", BadInstructionUnknownInst},
		{"type 7", "0007000800000000", BadInstructionUnknownInst},
		{"apply of half an action", "0004001000000000" + "0000001000000001", BadActionBadLen},
		{"write of an unknown action", "0003001000000000" + "0001000800000000", BadActionBadType},
	} {
		_, err := parseInstructions(V13, fromHex(t, c.b), nil, new(arena))
		var e *DecodeError
		if !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("%s: error %v, want %s", c.what, err, c.code)
		}
	}
}

// TestActionsAcross: what both versions can say means the same in both.
func TestActionsAcross(t *testing.T) {
	for _, s := range []string{
		"output:3", "output:in_port", "output:controller:128", "pop_vlan", "set_field:00:00:00:00:00:01->eth_dst",
		"set_field:00:00:00:00:00:01->eth_src", "set_field:10.0.0.1->ipv4_src", "set_field:10.0.0.1->ipv4_dst",
		"set_field:46->ip_dscp", "set_field:80->tcp_src", "set_field:80->tcp_dst",
		"experimenter:0x00002320:0x00010000000000000000000000000000",
	} {
		a, err := ParseAction(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []Version{V10, V13} {
			b, err := appendActions(nil, v, []Action{a})
			if err != nil {
				t.Errorf("%s %s: %v", v, s, err)
				continue
			}
			list, err := parseActions(v, b, new(arena))
			if err != nil || len(list) != 1 || list[0].String() != s {
				t.Errorf("%s %s: came back as %v, %v", v, s, list, err)
			}
		}
	}
}

// TestActionsOfOneVersion: what a version cannot say, it refuses.
func TestActionsOfOneVersion(t *testing.T) {
	for s, v := range map[string]Version{
		"group:1": V10, "set_queue:1": V10, "push_vlan:0x8100": V10, "dec_nw_ttl": V10, "set_field:1->ip_ecn": V10,
		"output:65280": V10, "set_field:0x01->oxm_0x0001_00": V10,
		"set_vlan_vid:1": V13, "set_vlan_pcp:1": V13, "enqueue:1:1": V13,
	} {
		a, err := ParseAction(s)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := appendActions(nil, v, []Action{a}); !errors.Is(err, ErrVersion) {
			t.Errorf("%s %s: %x, %v", v, s, b, err)
		}
		if b, err := appendActions(nil, V10+V13-v, []Action{a}); err != nil {
			t.Errorf("%s %s: %x, %v", V10+V13-v, s, b, err)
		}
	}
}

// TestSetFieldsOf10: some fields have one action in OpenFlow 1.0 whatever the transport, or the
// tag.
func TestSetFieldsOf10(t *testing.T) {
	for s, want := range map[string]string{
		"set_field:80->udp_dst":  "set_field:80->tcp_dst",
		"set_field:80->sctp_src": "set_field:80->tcp_src",
		"set_field:5->vlan_vid":  "set_vlan_vid:5",
		"set_field:5->vlan_pcp":  "set_vlan_pcp:5",
	} {
		a, err := ParseAction(s)
		if err != nil {
			t.Fatal(err)
		}
		b, err := appendActions(nil, V10, []Action{a})
		if err != nil {
			t.Fatal(err)
		}
		list, err := parseActions(V10, b, new(arena))
		if err != nil || len(list) != 1 || list[0].String() != want {
			t.Errorf("%s: came back as %v, %v", s, list, err)
		}
	}
}

// TestInstructionsOf10: OpenFlow 1.0 has one list of actions.
func TestInstructionsOf10(t *testing.T) {
	for _, list := range [][]Instruction{{GotoTable(1)}, {Apply(Output(1)), GotoTable(1)}, {UseMeter(1)}} {
		if b, err := appendInstructions(nil, V10, list); !errors.Is(err, ErrVersion) {
			t.Errorf("%v: %x, %v", list, b, err)
		}
	}
	b, err := appendInstructions(nil, V10, []Instruction{Apply(Output(1), SetField(FieldTCPDst, 80))})
	if want := fromHex(t, "0000000800010000 000a000800500000"); err != nil || !bytes.Equal(b, want) {
		t.Errorf("%x, %v, want %x", b, err, want)
	}
}
