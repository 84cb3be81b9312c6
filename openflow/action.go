package openflow

// ActionType is the type of an action, as OpenFlow 1.3 numbers them (enum ofp_action_type).
type ActionType uint16

// The actions. Those of OpenFlow 1.0 that set a field are ActionSetField; the three it alone has
// come last, under numbers of ours.
const (
	ActionOutput       ActionType = 0
	ActionCopyTTLOut   ActionType = 11
	ActionCopyTTLIn    ActionType = 12
	ActionSetMPLSTTL   ActionType = 15
	ActionDecMPLSTTL   ActionType = 16
	ActionPushVLAN     ActionType = 17
	ActionPopVLAN      ActionType = 18 // OFPAT_STRIP_VLAN in OpenFlow 1.0
	ActionPushMPLS     ActionType = 19
	ActionPopMPLS      ActionType = 20
	ActionSetQueue     ActionType = 21
	ActionGroup        ActionType = 22
	ActionSetNwTTL     ActionType = 23
	ActionDecNwTTL     ActionType = 24
	ActionSetField     ActionType = 25
	ActionPushPBB      ActionType = 26
	ActionPopPBB       ActionType = 27
	ActionExperimenter ActionType = 0xffff

	ActionSetVLANVID ActionType = 0x8001 // OpenFlow 1.0: set the VLAN id, adding a tag where there is none
	ActionSetVLANPCP ActionType = 0x8002 // OpenFlow 1.0: set the priority, adding a tag where there is none
	ActionEnqueue    ActionType = 0x8003 // OpenFlow 1.0: output to a queue of a port
)

// Action is one action. Which fields count depends on Type.
type Action struct {
	Type ActionType
	// TTL of ActionSetMPLSTTL and ActionSetNwTTL.
	TTL uint8
	// EtherType of the pushes and ActionPopMPLS.
	EtherType uint16
	// MaxLen is how many bytes of a packet ActionOutput sends to PortController.
	MaxLen uint16
	// Port of ActionOutput and ActionEnqueue, in the numbers of OpenFlow 1.3.
	Port uint32
	// ID is a group of ActionGroup, a queue of ActionSetQueue and ActionEnqueue, the VLAN id or
	// priority of ActionSetVLANVID and ActionSetVLANPCP, the experimenter of ActionExperimenter.
	ID uint32
	// Data is the OXM TLV of ActionSetField (without mask and padding), or the bytes after the
	// experimenter's id.
	Data []byte
}

// Output forwards to a port, with the numbers of OpenFlow 1.3.
func Output(port uint32) Action { return Action{Type: ActionOutput, Port: port} }

// OutputController sends the first maxLen bytes to the controller; ControllerNoCut sends all.
func OutputController(maxLen uint16) Action {
	return Action{Type: ActionOutput, Port: PortController, MaxLen: maxLen}
}

// SetField sets a field of the packet to a number: values of fields wider than 64 bits, and
// addresses, are set by SetFieldBytes.
func SetField(f Field, v uint64) Action {
	value := make([]byte, oxmFields[f].size)
	putNumber(value, v)
	return SetFieldBytes(f, value)
}

// SetFieldBytes sets a field of the packet; value is as long as the field, in network byte order.
func SetFieldBytes(f Field, value []byte) Action {
	return Action{Type: ActionSetField, Data: appendOXM(nil, f, value, nil)}
}

// Group sends the packet through a group.
func Group(id uint32) Action { return Action{Type: ActionGroup, ID: id} }

// Field is what an ActionSetField sets, if it is a field of the table: the field and a view of its
// value.
func (a Action) Field() (f Field, value []byte, ok bool) {
	if a.Type != ActionSetField {
		return 0, nil, false
	}
	o, ok := nextOXM(a.Data)
	if !ok {
		return 0, nil, false
	}
	f, ok = o.basic()
	return f, o.value, ok && len(o.value) == int(oxmFields[f].size)
}
