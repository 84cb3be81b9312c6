package object

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/weirnet/weir/openflow"
)

// setBuckets checks buckets and takes them over in their canonical form.
func (g *Group) setBuckets(buckets []Bucket) error {
	if n := len(buckets); g.kind == openflow.GroupTypeIndirect && n != 1 {
		return fmt.Errorf("%d buckets: want exactly 1; use type all to copy packets, select to share them", n)
	}
	for i := range buckets {
		b := buckets[i]
		if b.WatchPort == openflow.PortAny {
			b.WatchPort = 0
		}
		if err := b.check(g.kind); err != nil {
			return fmt.Errorf("bucket %d: %w", i, err)
		}
		if b.Weight == 0 && g.kind == openflow.GroupTypeSelect {
			continue
		}
		b.Actions = slices.Clone(b.Actions)
		for k := range b.Actions {
			if a := &b.Actions[k]; a.Type == openflow.ActionOutput && a.Port != openflow.PortController {
				a.MaxLen = 0 // of other ports it does not count
			}
		}
		slices.SortStableFunc(b.Actions, func(x, y openflow.Action) int { return cmp.Compare(turn(&x), turn(&y)) })
		for k := 1; k < len(b.Actions); k++ {
			if turn(&b.Actions[k]) == turn(&b.Actions[k-1]) {
				return fmt.Errorf("bucket %d: action %s comes after another of its kind: want each once, since a bucket is a set of actions",
					i, b.Actions[k])
			}
		}
		g.buckets = append(g.buckets, b)
	}
	if g.kind == openflow.GroupTypeSelect {
		return g.setWeights()
	}
	return nil
}

// setWeights divides weights by what they have in common.
func (g *Group) setWeights() error {
	var common uint16
	for i := range g.buckets {
		common = divisor(common, g.buckets[i].Weight)
	}
	if common == 0 {
		return fmt.Errorf("weights whose sum is 0: want at least one bucket with a weight")
	}
	for i := range g.buckets {
		g.buckets[i].Weight /= common
	}
	return nil
}

// divisor is the greatest common divisor; that of 0 and x is x.
func divisor(a, b uint16) uint16 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// check says what is wrong of a bucket of a group of a type.
func (k *Bucket) check(kind openflow.GroupType) error {
	watches := k.WatchPort != 0 || k.WatchGroup != nil
	switch {
	case k.Weight != 0 && kind != openflow.GroupTypeSelect:
		return fmt.Errorf("weight %d: want 0, since only groups of type select have weights", k.Weight)
	case watches && kind != openflow.GroupTypeFastFailover && kind != openflow.GroupTypeSelect:
		return fmt.Errorf("it watches a port or a group: want none, since only fast failover and select look whether a bucket is alive")
	case !watches && kind == openflow.GroupTypeFastFailover:
		return fmt.Errorf("it watches nothing: want a port or a group whose liveness decides whether the bucket is used")
	case k.WatchPort > openflow.PortMax && k.WatchPort != openflow.PortLocal:
		return fmt.Errorf("it watches %s: want a port that can be up or down", openflow.PortText(k.WatchPort))
	}
	sends := k.Group != nil
	for i := range k.Actions {
		a := &k.Actions[i]
		if err := checkAction(a); err != nil {
			return fmt.Errorf("action %s: %w", a, err)
		}
		if a.Type == openflow.ActionOutput && k.Group != nil {
			return fmt.Errorf("action %s and a group: want one of them, since a switch leaves out the output", a)
		}
		sends = sends || a.Type == openflow.ActionOutput
	}
	if !sends && len(k.Actions) > 0 {
		return fmt.Errorf("%d actions and no output or group: want one, since a switch drops the packet; to drop it, give no actions",
			len(k.Actions))
	}
	return nil
}

// checkAction says why an action is none of buckets. What values it may have is left to the codec.
func checkAction(a *openflow.Action) error {
	switch a.Type {
	case openflow.ActionGroup:
		return fmt.Errorf("groups are named by content: want it as Bucket.Group")
	case openflow.ActionOutput:
		return checkOutput(a.Port)
	case openflow.ActionPushVLAN:
		return checkEtherType(a, 0x8100, 0x88a8)
	case openflow.ActionPushMPLS:
		return checkEtherType(a, 0x8847, 0x8848)
	case openflow.ActionPushPBB:
		return checkEtherType(a, 0x88e7, 0x88e7)
	case openflow.ActionSetField:
		return checkSetField(a)
	}
	if !slices.Contains(turns[:], a.Type) {
		return fmt.Errorf("buckets have no such action: want actions of OpenFlow 1.3 that a set of actions has")
	}
	return nil
}

func checkEtherType(a *openflow.Action, one, other uint16) error {
	if a.EtherType == one || a.EtherType == other {
		return nil
	}
	return fmt.Errorf("want type 0x%04x or 0x%04x of the header", one, other)
}

func checkOutput(port uint32) error {
	switch port {
	case openflow.PortInPort, openflow.PortNormal, openflow.PortFlood, openflow.PortAll, openflow.PortController,
		openflow.PortLocal:
		return nil
	}
	if port == 0 || port > openflow.PortMax {
		return fmt.Errorf("want the number of a port, or in_port, normal, flood, all, controller or local")
	}
	return nil
}

// checkSetField refuses fields that packets do not have, or that say what they are.
func checkSetField(a *openflow.Action) error {
	f, value, ok := a.Field()
	if !ok {
		return fmt.Errorf("want a field of OpenFlow 1.3, with a value as long as the field")
	}
	switch f {
	case openflow.FieldInPort, openflow.FieldInPhyPort, openflow.FieldMetadata, openflow.FieldEthType,
		openflow.FieldIPProto, openflow.FieldMPLSBOS, openflow.FieldIPv6ExtHdr:
		return fmt.Errorf("no switch sets this field")
	case openflow.FieldVLANVID:
		if binary.BigEndian.Uint16(value)&openflow.VLANPresent == 0 {
			return fmt.Errorf("want 0x1000 (OFPVID_PRESENT) in the value; to take a tag off, use pop_vlan")
		}
	}
	return nil
}

// turns are the actions of a set in the order in which they are done (OpenFlow 1.3.5, section 5.10).
var turns = [...]openflow.ActionType{
	openflow.ActionCopyTTLIn, openflow.ActionPopVLAN, openflow.ActionPopMPLS, openflow.ActionPopPBB,
	openflow.ActionPushMPLS, openflow.ActionPushPBB, openflow.ActionPushVLAN, openflow.ActionCopyTTLOut,
	openflow.ActionDecMPLSTTL, openflow.ActionDecNwTTL, openflow.ActionSetMPLSTTL, openflow.ActionSetNwTTL,
	openflow.ActionSetField, openflow.ActionSetQueue, openflow.ActionOutput,
}

// turn is when an action is done; set-fields of different fields have different turns.
func turn(a *openflow.Action) int {
	n := slices.Index(turns[:], a.Type) << 8
	if f, _, ok := a.Field(); ok {
		n += int(f)
	}
	return n
}
