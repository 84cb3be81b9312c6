package object

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/weirnet/weir/openflow"
)

// Numbers of Nicira's action bundle (Open vSwitch, lib/ofp-actions.c, struct nx_action_bundle).
const (
	nicira       = 0x00002320
	bundleHead   = 24 // of the data after the experimenter's id, before the ports
	bundleMost   = 2048
	inPortHeader = 0x00000002 // NXM_OF_IN_PORT: the ports are numbers of ports
	port10Max    = 0xff00     // OFPP_MAX of OpenFlow 1.0
	port10Local  = 0xfffe
)

// bundleStart is the data of bundle(eth_src,0,active_backup,ofport,…) before the number of its ports: the subtype
// NXAST_BUNDLE, the algorithm active_backup, to which the fields and the basis do not matter, and the type of ports.
var bundleStart = []byte{0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, inPortHeader}

// Bundle returns the action that does in a rule of OpenFlow 1.0 what a fast failover group does: it outputs to the
// first of its ports that is up. Open vSwitch has it. The error says why there is none for the group.
func (g *Group) Bundle() (openflow.Action, error) {
	if g.kind != openflow.GroupTypeFastFailover {
		return openflow.Action{}, fmt.Errorf("group of type %s: OpenFlow 1.0 has no groups; %s", g.kind, use13)
	}
	if n := len(g.buckets); n > bundleMost {
		return openflow.Action{}, fmt.Errorf("fast failover group with %d buckets: OpenFlow 1.0 has no groups, and a bundle has at most %d ports; %s",
			n, bundleMost, use13)
	}
	data := append(make([]byte, 0, bundleHead+2*len(g.buckets)+6), bundleStart...)
	data = binary.BigEndian.AppendUint16(data, uint16(len(g.buckets)))
	data = append(data, make([]byte, bundleHead-len(data))...)
	for i := range g.buckets {
		b := &g.buckets[i]
		port, ok := b.only10()
		if !ok {
			return openflow.Action{}, fmt.Errorf("fast failover group with bucket %s: OpenFlow 1.0 has no groups, and a bundle only outputs to ports that it watches, of 16-bit numbers; %s",
				b, use13)
		}
		data = binary.BigEndian.AppendUint16(data, port)
	}
	for len(data)%8 != 0 {
		data = append(data, 0)
	}
	return openflow.Action{Type: openflow.ActionExperimenter, ID: nicira, Data: data}, nil
}

// use13 is what to do where OpenFlow 1.0 lacks something.
const use13 = "connect the switch with OpenFlow 1.3"

// only10 is the number in OpenFlow 1.0 of the port that a bucket watches, if it outputs to that and does nothing else.
func (k *Bucket) only10() (port uint16, ok bool) {
	if k.WatchGroup != nil || len(k.Actions) != 1 || k.Actions[0].Type != openflow.ActionOutput ||
		k.Actions[0].Port != k.WatchPort {
		return 0, false
	}
	if k.WatchPort == openflow.PortLocal {
		return port10Local, true
	}
	return uint16(k.WatchPort), k.WatchPort < port10Max
}

// OfBundle returns the fast failover group that does the same as an action; nil if there is none.
func OfBundle(a *openflow.Action) *Group {
	if a.Type != openflow.ActionExperimenter || a.ID != nicira || len(a.Data) < bundleHead {
		return nil
	}
	// The fields and the basis of a hash, in bytes 4 to 7, do not matter.
	if d := a.Data; !bytes.Equal(d[:4], bundleStart[:4]) || !bytes.Equal(d[8:12], bundleStart[8:]) {
		return nil
	}
	n, rest := int(binary.BigEndian.Uint16(a.Data[12:])), a.Data[bundleHead:]
	if n > bundleMost || 2*n > len(rest) {
		return nil
	}
	buckets := make([]Bucket, n)
	for i := range buckets {
		port := uint32(binary.BigEndian.Uint16(rest[2*i:]))
		switch {
		case port == port10Local:
			port = openflow.PortLocal
		case port == 0 || port >= port10Max:
			return nil
		}
		buckets[i] = Bucket{WatchPort: port, Actions: []openflow.Action{openflow.Output(port)}}
	}
	g, err := NewGroup(openflow.GroupTypeFastFailover, buckets...)
	if err != nil {
		return nil
	}
	return g
}
