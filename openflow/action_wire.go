package openflow

// actionHeaderLen is the length of the shortest action, and what all lengths are multiples of.
const actionHeaderLen = 8

// parseActions reads a list of actions that fills b. They live in a; their Data are views of b, or
// of a for those that OpenFlow 1.0 writes as fixed structs.
func parseActions(v Version, b []byte, a *arena) ([]Action, error) {
	start := len(a.actions)
	for len(b) > 0 {
		if len(b) < actionHeaderLen {
			return nil, refuse(BadActionBadLen, "%d bytes after the last action", len(b))
		}
		n := int(be16(b[2:]))
		if n < actionHeaderLen || n%8 != 0 || n > len(b) {
			return nil, refuse(BadActionBadLen, "action of type %d and %d bytes in %d", be16(b), n, len(b))
		}
		a.actions = append(a.actions, Action{})
		action := &a.actions[len(a.actions)-1]
		var err error
		if v == V10 {
			err = action.parse10(b[:n:n], a)
		} else {
			err = action.parse13(b[:n:n], a.report)
		}
		if err != nil {
			return nil, err
		}
		b = b[n:]
	}
	return a.actions[start:len(a.actions):len(a.actions)], nil
}

// parse13 reads one action of OpenFlow 1.3 that fills b.
func (a *Action) parse13(b []byte, report bool) error {
	a.Type = ActionType(be16(b))
	want := actionHeaderLen
	switch a.Type {
	case ActionOutput:
		if want = 16; len(b) == want {
			a.Port, a.MaxLen = be32(b[4:]), be16(b[8:])
		}
	case ActionGroup, ActionSetQueue:
		a.ID = be32(b[4:])
	case ActionSetMPLSTTL, ActionSetNwTTL:
		a.TTL = b[4]
	case ActionPushVLAN, ActionPushMPLS, ActionPopMPLS, ActionPushPBB:
		a.EtherType = be16(b[4:])
	case ActionCopyTTLOut, ActionCopyTTLIn, ActionDecMPLSTTL, ActionPopVLAN, ActionDecNwTTL, ActionPopPBB:
	case ActionSetField:
		return a.parseSetField(b, report)
	case ActionExperimenter:
		a.ID, a.Data = be32(b[4:]), view(b, 8, len(b))
		return nil
	default:
		return refuse(BadActionBadType, "action of type %d", a.Type)
	}
	if len(b) != want {
		return refuse(BadActionBadLen, "action %s of %d bytes, not %d", a.Type, len(b), want)
	}
	return nil
}

// parseSetField reads a set-field: a TLV, padded to a multiple of 8 bytes.
func (a *Action) parseSetField(b []byte, report bool) error {
	o, ok := nextOXM(b[4:])
	if !ok || len(b) != 4+o.size+padTo8(4+o.size) {
		return refuse(BadActionBadSetLen, "set_field of %d bytes in an action of %d", be32(b[4:])&0xff, len(b))
	}
	a.Data = view(b, 4, 4+o.size)
	f, known := o.basic()
	switch {
	case report:
		return nil
	case len(o.value) == 0:
		return refuse(BadActionBadSetLen, "set_field of %s to nothing", oxmName(o))
	case !known && o.class() != oxmClassBasic:
		return nil
	case !known:
		return refuse(BadActionBadSetType, "set_field of the unknown field %d", o.header>>9&0x7f)
	case len(o.value) != int(oxmFields[f].size):
		return refuse(BadActionBadSetLen, "set_field of %s with %d bytes, not %d", f, len(o.value), oxmFields[f].size)
	case o.mask != nil:
		return refuse(BadActionBadSetArgument, "set_field of %s with a mask", f)
	case !fitsBits(o.value, oxmFields[f].bits):
		return refuse(BadActionBadSetArgument, "set_field of %s to 0x%x, out of range", f, o.value)
	}
	return nil
}

// appendActions appends a list of actions as version v writes it.
func appendActions(b []byte, v Version, actions []Action) ([]byte, error) {
	for i := range actions {
		var err error
		if v == V10 {
			b, err = actions[i].append10(b)
		} else {
			b, err = actions[i].append13(b)
		}
		if err != nil {
			return b, err
		}
	}
	return b, nil
}

// append13 appends one action as OpenFlow 1.3 writes it.
func (a *Action) append13(b []byte) ([]byte, error) {
	t := uint16(a.Type)
	switch a.Type {
	case ActionOutput:
		return append(b, 0, 0, 0, 16, uint8(a.Port>>24), uint8(a.Port>>16), uint8(a.Port>>8), uint8(a.Port),
			uint8(a.MaxLen>>8), uint8(a.MaxLen), 0, 0, 0, 0, 0, 0), nil
	case ActionGroup, ActionSetQueue:
		return append32(append(b, 0, uint8(t), 0, 8), a.ID), nil
	case ActionSetMPLSTTL, ActionSetNwTTL:
		return append(b, 0, uint8(t), 0, 8, a.TTL, 0, 0, 0), nil
	case ActionPushVLAN, ActionPushMPLS, ActionPopMPLS, ActionPushPBB:
		return append(b, 0, uint8(t), 0, 8, uint8(a.EtherType>>8), uint8(a.EtherType), 0, 0), nil
	case ActionCopyTTLOut, ActionCopyTTLIn, ActionDecMPLSTTL, ActionPopVLAN, ActionDecNwTTL, ActionPopPBB:
		return append(b, 0, uint8(t), 0, 8, 0, 0, 0, 0), nil
	case ActionSetField:
		start := len(b)
		b = append(append(b, 0, uint8(t), 0, 0), a.Data...)
		b = appendPad(b, padTo8(4+len(a.Data)))
		return b, setLen16(b, start, start+2)
	case ActionExperimenter:
		return appendExperimenterAction(b, a)
	}
	return b, inexpressible(V13, "action %s", a.Type)
}

// appendExperimenterAction appends an experimenter's action, the same in both versions.
func appendExperimenterAction(b []byte, a *Action) ([]byte, error) {
	start := len(b)
	b = append32(append(b, 0xff, 0xff, 0, 0), a.ID)
	b = appendPad(append(b, a.Data...), padTo8(len(a.Data)))
	return b, setLen16(b, start, start+2)
}
