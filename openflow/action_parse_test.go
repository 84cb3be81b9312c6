package openflow

import (
	"strings"
	"testing"
)

// TestActionTextRoundTrip reads actions from text and writes them again.
func TestActionTextRoundTrip(t *testing.T) {
	for _, s := range []string{
		"output:3", "output:controller", "output:controller:128", "output:controller:0", "output:in_port", "output:7:64",
		"output:4294967040", "group:7", "group:all", "set_queue:1", "push_vlan:0x8100", "pop_vlan", "push_mpls:0x8847",
		"pop_mpls:0x0800", "push_pbb:0x88e7", "pop_pbb", "copy_ttl_out", "copy_ttl_in", "dec_mpls_ttl", "set_mpls_ttl:64",
		"dec_nw_ttl", "set_nw_ttl:255", "set_field:00:00:00:00:00:01->eth_dst", "set_field:5->vlan_vid",
		"set_field:10.0.0.1->ipv4_dst", "set_field:2001:db8::1->ipv6_src", "set_field:0x5->tunnel_id",
		"set_field:80->tcp_dst", "set_field:0x01020304->oxm_0x0001_00", "set_vlan_vid:5", "set_vlan_pcp:7", "enqueue:3:1",
		"experimenter:0x00002320:0x001000000000000000000000", "experimenter:0x00002320:0x",
	} {
		a, err := ParseAction(s)
		if err != nil {
			t.Error(err)
		} else if got := a.String(); got != s {
			t.Errorf("%q came out as %q", s, got)
		}
	}
}

// TestActionTextErrors: what is wrong is said, with the text it is about.
func TestActionTextErrors(t *testing.T) {
	for s, want := range map[string]string{
		"":                               "no such action",
		"drop":                           "no such action",
		"output":                         "want a number or one of in_port",
		"output:nowhere":                 "want a number or one of in_port",
		"output:4294967296":              "want a number or one of in_port",
		"output:3:65536":                 "at most 65535",
		"group:x":                        "want a group",
		"pop_vlan:1":                     "want no argument",
		"set_vlan_vid:4096":              "at most 4095",
		"set_nw_ttl:256":                 "at most 255",
		"set_field:1":                    "want a value and a field",
		"set_field:1->nothing":           "no field",
		"set_field:10.0.0.0/8->ipv4_dst": "no mask",
		"set_field:x->eth_dst":           "want an address like 00:00:00:00:00:01",
		"experimenter:1:2":               "two digits a byte",
	} {
		_, err := ParseAction(s)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `"`+s+`"`) {
			t.Errorf("%q: error %v, want %q", s, err, want)
		}
	}
}

// TestInstructionTextRoundTrip reads instructions from text and writes them again.
func TestInstructionTextRoundTrip(t *testing.T) {
	for _, s := range []string{
		"goto_table:1", "meter:2", "meter:controller", "clear", "write_metadata:0x1/0xff", "write_metadata:0x1",
		"apply:[]", "apply:[output:3]", "write:[set_field:00:00:00:00:00:01->eth_dst,output:controller:64,group:7]",
		"experimenter:0x00002320:0x01020304",
	} {
		i, err := ParseInstruction(s)
		if err != nil {
			t.Error(err)
		} else if got := i.String(); got != s {
			t.Errorf("%q came out as %q", s, got)
		}
	}
	for s, want := range map[string]string{
		"":                     "no such instruction",
		"output:3":             "no such instruction",
		"goto_table:256":       "at most 255",
		"meter:x":              "want a meter",
		"clear:1":              "want no argument",
		"apply:output:3":       "in brackets",
		"apply:[output:3,,]":   "no such action",
		"write_metadata:1/x":   "a value and a mask",
		"experimenter:x:0x":    "want an experimenter",
		"write:[set_field:1]":  "want a value and a field",
		"apply:[goto_table:1]": "no such action",
	} {
		_, err := ParseInstruction(s)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", s, err, want)
		}
	}
}
