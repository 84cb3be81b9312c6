package ofcase

import (
	"slices"

	"github.com/weirnet/weir/openflow"
)

// actions draws actions that packets of a kind can have done to them.
type actions struct {
	draws
	tells bool // groups send to the controller, and then are in no action set: see set
	// entry is set while an entry is drawn that may send to one group only, and once: a switch may
	// not survive the deletion of the groups of another one. Sends is set when it does.
	entry, sends bool
}

// list draws an action list for a kind of packets. Only where told to, it pushes tags: a packet
// that gets a third one is beyond some switches.
func (g *actions) list(k kind, push bool) (actions []openflow.Action) {
	for n := pick(g, []int{0, 1, 1, 1, 2, 2, 3, 4}); n > 0; n-- {
		a := g.action(&k)
		if a.Type == openflow.ActionPushVLAN && !push && !g.opt.Odd {
			k.tagged = false
			continue
		}
		actions = append(actions, a)
		if a.Type == openflow.ActionPushVLAN && !g.opt.Odd { // what is in a new tag is left open
			actions = append(actions, openflow.SetField(openflow.FieldVLANVID, 0x1000|uint64(pick(g, vids))),
				openflow.SetField(openflow.FieldVLANPCP, uint64(g.IntN(8))))
		}
	}
	return actions
}

// set draws actions of an action set: each type at most once. To the controller it sends only where
// told to, as it is not agreed which entry a packet-in then names.
func (g *actions) set(k kind, push, controller bool) (actions []openflow.Action) {
	have := map[string]bool{}
	for _, a := range g.list(k, push) {
		key := a.Type.String()
		if f, _, ok := a.Field(); ok {
			key = f.String()
		}
		tells := a.Type == openflow.ActionOutput && a.Port == openflow.PortController || a.Type == openflow.ActionDecNwTTL
		if tells && !controller {
			continue
		}
		if !have[key] || g.opt.Odd {
			have[key] = true
			actions = append(actions, a)
		}
	}
	if have[openflow.ActionPopVLAN.String()] && !g.opt.Odd { // which is done before fields are set, whatever the order here
		actions = slices.DeleteFunc(actions, func(a openflow.Action) bool {
			f, _, ok := a.Field()
			return ok && (f == openflow.FieldVLANVID || f == openflow.FieldVLANPCP)
		})
	}
	return actions
}

// action draws an action that packets of the kind can have done to them, and changes the kind
// accordingly.
func (g *actions) action(k *kind) openflow.Action {
	switch n := g.IntN(20); {
	case n < 10:
		return g.output()
	case n < 15:
		return g.setField(k)
	case n < 17:
		return g.tag(k)
	case n < 18 && g.v == openflow.V13 && (k.etherType == 0x0800 || k.etherType == 0x86dd):
		if g.one(2) {
			return openflow.Action{Type: openflow.ActionDecNwTTL}
		}
		return openflow.Action{Type: openflow.ActionSetNwTTL, TTL: g.ttl()}
	case n < 19 && g.opt.Groups && g.v == openflow.V13:
		if g.entry {
			if g.sends {
				return g.output()
			}
			g.sends = true
		}
		return openflow.Group(g.groupID())
	}
	return g.output()
}

// output draws where to send.
func (g *actions) output() openflow.Action {
	if g.opt.Normal && g.one(2) {
		return openflow.Output(openflow.PortNormal)
	}
	switch n := g.IntN(20); {
	case n < 12:
		return openflow.Output(g.port())
	case n < 14:
		return openflow.OutputController(pick(g, []uint16{openflow.ControllerNoCut, openflow.ControllerNoCut, 20, 64, 128}))
	case n < 15:
		return openflow.Output(openflow.PortInPort)
	case n < 16:
		return openflow.Output(openflow.PortAll)
	case n < 17:
		return openflow.Output(openflow.PortFlood)
	case n < 18:
		return openflow.Output(openflow.PortLocal)
	case n < 19:
		return openflow.Output(9) // is none
	case g.v == openflow.V10:
		return openflow.Action{Type: openflow.ActionEnqueue, Port: g.port(), ID: uint32(g.IntN(2))}
	}
	return openflow.Action{Type: openflow.ActionSetQueue, ID: uint32(g.IntN(2))}
}

// tag draws an action on VLAN tags.
func (g *actions) tag(k *kind) openflow.Action {
	n := g.IntN(3)
	if g.v == openflow.V10 {
		switch n {
		case 0:
			return openflow.Action{Type: openflow.ActionPopVLAN}
		case 1:
			return openflow.Action{Type: openflow.ActionSetVLANVID, ID: uint32(pick(g, vids))}
		}
		return openflow.Action{Type: openflow.ActionSetVLANPCP, ID: uint32(g.IntN(8))}
	}
	switch {
	case k.tagged && n == 0:
		k.tagged = false
		return openflow.Action{Type: openflow.ActionPopVLAN}
	case k.tagged && n == 1:
		return openflow.SetField(openflow.FieldVLANVID, 0x1000|uint64(pick(g, vids)))
	case k.tagged:
		return openflow.SetField(openflow.FieldVLANPCP, uint64(g.IntN(8)))
	}
	k.tagged = true
	return openflow.Action{Type: openflow.ActionPushVLAN, EtherType: 0x8100}
}

// setField draws a field that packets of the kind have, and a value.
func (g *actions) setField(k *kind) openflow.Action {
	fields := []openflow.Field{openflow.FieldEthDst, openflow.FieldEthSrc}
	if p, ok := portFields[k.proto]; ok {
		fields = append(fields, p[0], p[1])
	}
	switch {
	case k.etherType == 0x0800 && g.v == openflow.V10:
		fields = append(fields, openflow.FieldIPv4Src, openflow.FieldIPv4Dst, openflow.FieldIPDSCP)
	case k.etherType == 0x0800:
		fields = append(fields, openflow.FieldIPv4Src, openflow.FieldIPv4Dst, openflow.FieldIPDSCP, openflow.FieldIPECN)
	case k.etherType == 0x86dd:
		fields = append(fields, openflow.FieldIPv6Src, openflow.FieldIPv6Dst, openflow.FieldIPDSCP, openflow.FieldIPECN,
			openflow.FieldIPv6FLabel)
		if k.icmp != 0 {
			fields = append(fields, openflow.FieldIPv6NDTarget, ndOption[k.icmp])
		}
	case k.etherType == 0x0806 && g.v == openflow.V13:
		fields = append(fields, openflow.FieldARPOp, openflow.FieldARPSPA, openflow.FieldARPTPA, openflow.FieldARPSHA,
			openflow.FieldARPTHA)
	}
	f := pick(g, fields)
	return openflow.SetFieldBytes(f, g.value(f))
}
