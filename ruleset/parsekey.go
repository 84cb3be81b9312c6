package ruleset

import (
	"encoding/binary"
	"slices"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset/object"
)

// ParseKey returns the instructions of a key (AppendKey), whose memory they may use; none of what is no key, or is one
// that names objects by content.
func ParseKey(key string) []openflow.Instruction {
	r := keyReader{rest: []byte(key)}
	return r.instructions()
}

// OfKey returns the behaviour of a key, for packets from port in, or any; of is asked for the objects that it names by
// content. What is no key, or names an object for which of returns nil, or others by number, has no instructions.
func OfKey(in uint32, key string, of func(*object.Digest) object.Object) *Behaviour {
	r := keyReader{rest: []byte(key), byContent: true}
	list := r.instructions()
	if !slices.ContainsFunc(r.references, func(u Reference) bool { return u.Content != nil }) {
		return Do(in, list)
	}
	named := make([]object.Object, len(r.references))
	for i, u := range r.references {
		if u.Content != nil {
			named[i] = of(u.Content)
		}
		if named[i] == nil {
			return Do(in, nil)
		}
	}
	b, err := Use(in, list, named...)
	if err != nil {
		return Do(in, nil)
	}
	return b
}

// Reference is a group or meter that a key names: by content, or by a number.
type Reference struct {
	Meter   bool
	Content *object.Digest // nil: by number
	Number  uint32
}

// References returns the groups and meters that a key names, but not those that groups use.
func References(key string) []Reference {
	r := keyReader{rest: []byte(key), byContent: true}
	r.instructions()
	return r.references
}

// keyReader reads the parts of a key. After bad nothing that it returns counts.
type keyReader struct {
	rest       []byte
	bad        bool
	byContent  bool        // keys may name objects by content: the instructions have places in references
	references []Reference // in the order in which the key has them
}

// refer takes a reference by number.
func (r *keyReader) refer(meter bool) uint32 {
	u := Reference{Meter: meter, Number: r.u32()}
	r.references = append(r.references, u)
	return u.Number
}

// object takes a reference by content, and returns its place.
func (r *keyReader) object(meter bool) uint32 {
	d := r.bytes(len(object.Digest{}))
	if r.bad = r.bad || !r.byContent; !r.bad {
		r.references = append(r.references, Reference{Meter: meter, Content: (*object.Digest)(d)})
	}
	return uint32(len(r.references) - 1)
}

func (r *keyReader) instructions() (list []openflow.Instruction) {
	for len(r.rest) > 0 && !r.bad {
		list = append(list, r.instruction())
	}
	if r.bad {
		return nil
	}
	return list
}

func (r *keyReader) bytes(n int) []byte {
	if n > len(r.rest) {
		r.rest, r.bad = nil, true
		return make([]byte, min(n, 8))
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func (r *keyReader) u8() uint8   { return r.bytes(1)[0] }
func (r *keyReader) u16() uint16 { return binary.BigEndian.Uint16(r.bytes(2)) }
func (r *keyReader) u32() uint32 { return binary.BigEndian.Uint32(r.bytes(4)) }
func (r *keyReader) u64() uint64 { return binary.BigEndian.Uint64(r.bytes(8)) }

// data reads what appendData appends.
func (r *keyReader) data() []byte { return r.bytes(int(r.u16())) }

// instruction reads what appendInstruction appends.
func (r *keyReader) instruction() (i openflow.Instruction) {
	i.Type = openflow.InstructionType(r.u16())
	switch i.Type {
	case content:
		i = openflow.UseMeter(r.object(true))
	case openflow.InstructionApplyActions, openflow.InstructionWriteActions:
		for n := r.u16(); n > 0 && !r.bad; n-- {
			i.Actions = append(i.Actions, r.action())
		}
	case openflow.InstructionGotoTable:
		i.Table = r.u8()
	case openflow.InstructionMeter:
		i.Meter = r.refer(true)
	case openflow.InstructionWriteMetadata:
		i.Metadata, i.MetadataMask = r.u64(), r.u64()
	case openflow.InstructionExperimenter:
		i.Experimenter, i.Data = r.u32(), r.data()
	}
	return i
}

// action reads what appendAction appends.
func (r *keyReader) action() (a openflow.Action) {
	a.Type = openflow.ActionType(r.u16())
	switch a.Type {
	case content:
		a = openflow.Group(r.object(false))
	case openflow.ActionOutput:
		if a.Port = r.u32(); a.Port == openflow.PortController {
			a.MaxLen = r.u16()
		}
	case openflow.ActionEnqueue:
		a.Port, a.ID = r.u32(), r.u32()
	case openflow.ActionSetMPLSTTL, openflow.ActionSetNwTTL:
		a.TTL = r.u8()
	case openflow.ActionPushVLAN, openflow.ActionPushMPLS, openflow.ActionPopMPLS, openflow.ActionPushPBB:
		a.EtherType = r.u16()
	case openflow.ActionGroup:
		a.ID = r.refer(false)
	case openflow.ActionSetQueue, openflow.ActionSetVLANVID, openflow.ActionSetVLANPCP:
		a.ID = r.u32()
	case openflow.ActionSetField:
		a.Data = r.data()
	case openflow.ActionExperimenter:
		a.ID, a.Data = r.u32(), r.data()
	}
	return a
}
