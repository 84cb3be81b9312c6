package openflow

// actionNames are the names of the actions in text.
var actionNames = map[ActionType]string{
	ActionOutput:       "output",
	ActionCopyTTLOut:   "copy_ttl_out",
	ActionCopyTTLIn:    "copy_ttl_in",
	ActionSetMPLSTTL:   "set_mpls_ttl",
	ActionDecMPLSTTL:   "dec_mpls_ttl",
	ActionPushVLAN:     "push_vlan",
	ActionPopVLAN:      "pop_vlan",
	ActionPushMPLS:     "push_mpls",
	ActionPopMPLS:      "pop_mpls",
	ActionSetQueue:     "set_queue",
	ActionGroup:        "group",
	ActionSetNwTTL:     "set_nw_ttl",
	ActionDecNwTTL:     "dec_nw_ttl",
	ActionSetField:     "set_field",
	ActionPushPBB:      "push_pbb",
	ActionPopPBB:       "pop_pbb",
	ActionExperimenter: "experimenter",
	ActionSetVLANVID:   "set_vlan_vid",
	ActionSetVLANPCP:   "set_vlan_pcp",
	ActionEnqueue:      "enqueue",
}

// String is the name of the action: "push_vlan".
func (t ActionType) String() string {
	if name, ok := actionNames[t]; ok {
		return name
	}
	return "action_" + string(appendDec(nil, t))
}

// String is the action as text: "output:3", "set_field:00:00:00:00:00:01->eth_dst",
// "push_vlan:0x8100".
func (a Action) String() string { return string(appendActionText(nil, &a)) }

// appendActionsText appends a list of actions: [output:3,pop_vlan].
func appendActionsText(b []byte, actions []Action) []byte {
	b = append(b, '[')
	for i := range actions {
		b = appendActionText(appendSep(b), &actions[i])
	}
	return append(b, ']')
}

// appendActionText appends one action. The length that is sent to the controller is left out where
// it is everything; for other ports, where it is 0.
func appendActionText(b []byte, a *Action) []byte {
	b = append(b, a.Type.String()...)
	switch a.Type {
	case ActionOutput:
		b = appendPort(append(b, ':'), a.Port)
		if a.MaxLen != defaultMaxLen(a.Port) {
			b = appendDec(append(b, ':'), a.MaxLen)
		}
	case ActionEnqueue:
		b = appendPort(append(b, ':'), a.Port)
		b = appendDec(append(b, ':'), a.ID)
	case ActionGroup:
		b = appendGroup(append(b, ':'), a.ID)
	case ActionSetQueue, ActionSetVLANVID, ActionSetVLANPCP:
		b = appendDec(append(b, ':'), a.ID)
	case ActionSetMPLSTTL, ActionSetNwTTL:
		b = appendDec(append(b, ':'), a.TTL)
	case ActionPushVLAN, ActionPushMPLS, ActionPopMPLS, ActionPushPBB:
		b = appendHexN(append(b, ':'), uint64(a.EtherType), 4)
	case ActionSetField:
		o, ok := nextOXM(a.Data)
		if !ok {
			return appendHexBytes(append(b, ':'), a.Data)
		}
		b = appendOXMValue(append(b, ':'), o)
		b = appendOXMName(append(b, "->"...), o)
	case ActionExperimenter:
		b = appendHexN(append(b, ':'), uint64(a.ID), 8)
		b = appendHexBytes(append(b, ':'), a.Data)
	}
	return b
}

// defaultMaxLen is the MaxLen of an output that text leaves out.
func defaultMaxLen(port uint32) uint16 {
	if port == PortController {
		return ControllerNoCut
	}
	return 0
}

// appendGroup appends a group's number, or its name if it is reserved.
func appendGroup(b []byte, id uint32) []byte {
	switch id {
	case GroupAny:
		return append(b, "any"...)
	case GroupAll:
		return append(b, "all"...)
	}
	return appendDec(b, id)
}
