package connect

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/weirnet/weir/openflow"
)

const (
	nicira = openflow.ExperimenterNicira
	onf    = 0x4f4e4600
)

// experimenterMessage is one that a controller sends.
type experimenterMessage struct {
	m    openflow.Message
	want string // in the answer
	ovs  string // in that of Open vSwitch, which understands more; empty: the same
}

// experimenters are messages of experimenters.
func experimenters(v openflow.Version) []experimenterMessage {
	message := func(experimenter, kind uint32, data ...byte) openflow.Message {
		m := &openflow.Experimenter{Experimenter: experimenter, ExpType: kind, Data: data}
		if v == openflow.V10 {
			m.ExpType, m.Data = 0, append(binary.BigEndian.AppendUint32(nil, kind), data...)
		}
		return m
	}
	multipart := func(experimenter, kind uint32) openflow.Message {
		m := &openflow.MultipartExperimenterBody{Experimenter: experimenter, ExpType: kind}
		if v == openflow.V10 {
			m.ExpType, m.Data = 0, binary.BigEndian.AppendUint32(nil, kind)
			m.Data = append(m.Data, 0, 0, 0, 0)
		}
		return &openflow.MultipartRequest{Body: m}
	}
	if v == openflow.V10 {
		return []experimenterMessage{
			{m: &openflow.RoleRequest{Role: openflow.RoleMaster}, want: "role=master"},
			{m: &openflow.RoleRequest{Role: openflow.RoleSlave}, want: "role=slave"},
			{m: &openflow.RoleRequest{Role: openflow.RoleEqual}, want: "role=equal"},
			{m: message(nicira, 10, 0, 0, 0, 9), want: "OFPBRC_EPERM",
				ovs: "type=45250 code=0 data=0x0000232000010201"}, // Nicira's own error of a bad role
			{m: message(nicira, 9999), want: "OFPBRC_BAD_SUBTYPE"},
			{m: message(onf, 9999), want: "OFPBRC_BAD_VENDOR", ovs: "OFPBRC_BAD_SUBTYPE"},
			{m: message(0x1234, 1), want: "OFPBRC_BAD_VENDOR"},
			{m: multipart(nicira, 9999), want: "OFPBRC_BAD_SUBTYPE"},
			{m: multipart(0x1234, 1), want: "OFPBRC_BAD_VENDOR"},
		}
	}
	const none = "OFPBRC_BAD_EXPERIMENTER"
	return []experimenterMessage{
		{m: message(nicira, 9999), want: none, ovs: "OFPBRC_BAD_EXP_TYPE"},
		{m: message(onf, 9999), want: none, ovs: "OFPBRC_BAD_EXP_TYPE"},
		{m: message(0x1234, 1), want: none},
		{m: multipart(nicira, 9999), want: none, ovs: "OFPBRC_BAD_EXP_TYPE"},
		{m: multipart(0x1234, 1), want: none},
	}
}

// TestExperimenters: what a virtual switch answers to experimenters' messages; nothing of them comes to the physical switch.
func TestExperimenters(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		s, orders := virtual(t, func(uint32, []byte) { t.Error("a frame is sent") })
		c := connectAs(t, s, listen(t), v)
		execute(t, s, orders)
		for i, x := range experimenters(v) {
			got := strings.Join(c.ask(uint32(100+2*i), x.m), " ")
			if !strings.Contains(got, x.want) {
				t.Errorf("%s, message %d is answered %q, want %q", v, i, got, x.want)
			}
		}
		if v != openflow.V10 {
			continue
		}
		flow := &openflow.FlowMod{Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
		_ = c.ask(500, &openflow.RoleRequest{Role: openflow.RoleSlave})
		if got := fmt.Sprint(c.ask(502, flow)); !strings.Contains(got, "OFPBRC_EPERM") {
			t.Errorf("a flow-mod of a slave is answered %s", got)
		}
	}
}
