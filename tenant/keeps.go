package tenant

import (
	"errors"
	"fmt"

	"github.com/weirnet/weir/openflow"
)

// numFields is the number of fields that a match can name.
const numFields = int(openflow.FieldIPv6ExtHdr) + 1

// term is what is known of a field, or asked of it: the bits of mask are those of value.
type term struct {
	mask, value [16]byte
}

// terms are what is known of a packet.
type terms [numFields]term

// region is a region, read once: what it asks of a packet's fields, and of which.
type region struct {
	priority uint16
	fields   uint64
	asks     []asked
	text     string
}

type asked struct {
	field openflow.Field
	term
}

func newRegion(r *Region) region {
	x := region{priority: r.Priority, text: r.String()}
	eachTerm(&r.Match, func(f openflow.Field, t *term) {
		x.fields |= 1 << f
		x.asks = append(x.asks, asked{f, *t})
	})
	return x
}

// overlaps reports whether two regions may have a packet in common: no field is asked by both for bits that differ.
func (r *region) overlaps(o *region) bool {
	if r.fields&o.fields == 0 {
		return true
	}
	k := 0
	for i := range r.asks { // both by field
		for k < len(o.asks) && o.asks[k].field < r.asks[i].field {
			k++
		}
		if k < len(o.asks) && o.asks[k].field == r.asks[i].field && r.asks[i].contradicts(&o.asks[k].term) {
			return false
		}
	}
	return true
}

// eachTerm calls f for each field that a match names.
func eachTerm(m *openflow.Match, yield func(openflow.Field, *term)) {
	for f := range openflow.Field(numFields) {
		value, mask, has := m.Lookup(f)
		if !has {
			continue
		}
		var t term
		for i := range value {
			t.mask[i] = 0xff
			if mask != nil {
				t.mask[i] = mask[i]
			}
			t.value[i] = value[i] & t.mask[i]
		}
		yield(f, &t)
	}
}

// and adds a term to what is known of a field. It returns false if they contradict each other.
func (t *terms) and(f openflow.Field, add *term) bool {
	at := &t[f]
	if at.contradicts(add) {
		return false
	}
	for i := range at.mask {
		at.mask[i] |= add.mask[i]
		at.value[i] |= add.value[i]
	}
	return true
}

// contradicts reports whether two terms ask for bits that differ.
func (t *term) contradicts(o *term) bool {
	for i := range t.mask {
		if (t.value[i]^o.value[i])&t.mask[i]&o.mask[i] != 0 {
			return true
		}
	}
	return false
}

// implies reports whether whatever satisfies a term satisfies another.
func (t *term) implies(o *term) bool {
	for i, bits := range o.mask {
		if bits&^t.mask[i] != 0 || (t.value[i]^o.value[i])&bits != 0 {
			return false
		}
	}
	return true
}

// set makes a field known; forget, unknown.
func (t *terms) set(f openflow.Field, value []byte) {
	t.forget(f)
	for i := range value {
		t[f].value[i], t[f].mask[i] = value[i], 0xff
	}
}

func (t *terms) forget(f openflow.Field) { t[f] = term{} }

// within reports whether every packet of which this is known is in a region; outside, whether none is.
func (t *terms) within(r *region) bool {
	for i := range r.asks {
		if a := &r.asks[i]; !t[a.field].implies(&a.term) {
			return false
		}
	}
	return true
}

func (t *terms) outside(r *region) bool {
	for i := range r.asks {
		if a := &r.asks[i]; t[a.field].contradicts(&a.term) {
			return true
		}
	}
	return false
}

// packetOf returns what is known of a packet of a region that a match selects; false: there is none.
func packetOf(from *region, match *openflow.Match) (known terms, ok bool) {
	ok = true
	for i := range from.asks {
		known[from.asks[i].field] = from.asks[i].term
	}
	eachTerm(match, func(f openflow.Field, t *term) { ok = ok && known.and(f, t) })
	return known, ok
}

// Applied says where a list of actions stands.
type Applied bool

// Where actions stand.
const (
	// AtOnce: they are applied to the packet that an entry matches.
	AtOnce Applied = true
	// AtTheEnd: they are of the action set, or of a bucket, and executed when other entries may have changed the packet.
	AtTheEnd Applied = false
)

// Keeps returns an error, for the tenant, if a packet of the space that a match selects may be outside of it after these
// actions, or where one of them sends it. What it says of single lists holds for any sequence of entries: each finds a
// packet of the space, and leaves one.
func (s *Space) Keeps(match openflow.Match, list []openflow.Action, when Applied) error {
	if len(s.own) == 0 || !changes(list) { // of a tenant with read-only regions alone, no entry has packets
		return nil
	}
	for i := range s.own {
		from := &s.own[i]
		if when == AtTheEnd {
			match = openflow.Match{}
		}
		known, some := packetOf(from, &match)
		if !some {
			continue
		}
		var changed uint64
		for k := range list {
			a := &list[k]
			switch a.Type {
			case openflow.ActionOutput, openflow.ActionGroup, openflow.ActionEnqueue:
				if err := s.in(from, &known, changed); err != nil {
					return err
				}
			default:
				changed |= known.after(a, when)
			}
		}
		if err := s.in(from, &known, changed); err != nil {
			return err
		}
	}
	return nil
}

// Writable returns an error, for the tenant, if all packets of its regions that a match selects are in read-only ones.
func (s *Space) Writable(match openflow.Match) error {
	if len(s.of.Watched) == 0 {
		return nil
	}
	if len(s.own) == 0 {
		return errors.New("the tenant's regions are read-only")
	}
	of := newRegion(&Region{Match: match})
	for i := range s.own {
		if s.own[i].overlaps(&of) {
			return nil
		}
	}
	for i := range s.of.Watched {
		if watched := newRegion(&s.of.Watched[i]); watched.overlaps(&of) {
			return fmt.Errorf("%s is a read-only region of the tenant", s.of.Watched[i].Match)
		}
	}
	return nil
}

// in says why a packet that was in a region may be outside of the space now that fields have changed.
func (s *Space) in(from *region, known *terms, changed uint64) error {
	if changed == 0 {
		return nil
	}
	var to *region
	for i := range s.own {
		if known.within(&s.own[i]) {
			to = &s.own[i]
			break
		}
	}
	if to == nil {
		return fmt.Errorf("a packet of %s may be in no region of the tenant after these actions", from.text)
	}
	for r := range s.eachOther {
		// One that the packet was not in, since it comes before the region that it was in, has it now only if it asks for
		// a field that has changed.
		if r.priority > to.priority && (r.fields&changed != 0 || r.priority <= from.priority) && !known.outside(r) {
			return fmt.Errorf("a packet of %s may be another tenant's after these actions", from.text)
		}
	}
	return nil
}

// changes reports whether actions change a packet's fields.
func changes(list []openflow.Action) bool {
	for i := range list {
		var t terms
		if t.after(&list[i], AtOnce) != 0 {
			return true
		}
	}
	return false
}

func bit(list ...openflow.Field) (set uint64) {
	for _, f := range list {
		set |= 1 << f
	}
	return set
}

// Fields by the header that they are in. A field that a packet has not is matched as zero: that a header is there, whole,
// is known only by a field of it that is known not to be zero.
var (
	linkFields = bit(openflow.FieldEthDst, openflow.FieldEthSrc)
	vlanFields = bit(openflow.FieldVLANVID, openflow.FieldVLANPCP)
	allFields  = uint64(1)<<numFields - 1
	headers    = []uint64{
		bit(openflow.FieldIPProto, openflow.FieldIPv4Src, openflow.FieldIPv4Dst, openflow.FieldIPv6Src, openflow.FieldIPv6Dst,
			openflow.FieldIPDSCP, openflow.FieldIPECN, openflow.FieldIPv6FLabel),
		bit(openflow.FieldTCPSrc, openflow.FieldTCPDst),
		bit(openflow.FieldUDPSrc, openflow.FieldUDPDst),
		bit(openflow.FieldSCTPSrc, openflow.FieldSCTPDst),
		bit(openflow.FieldARPOp, openflow.FieldARPSPA, openflow.FieldARPTPA, openflow.FieldARPSHA, openflow.FieldARPTHA),
		bit(openflow.FieldMPLSLabel, openflow.FieldMPLSTC, openflow.FieldMPLSBOS),
	}
	// transport are those that OpenFlow 1.0 sets by one action, whatever the transport.
	transport = bit(openflow.FieldTCPSrc, openflow.FieldTCPDst, openflow.FieldUDPSrc, openflow.FieldUDPDst,
		openflow.FieldSCTPSrc, openflow.FieldSCTPDst, openflow.FieldICMPv4Type, openflow.FieldICMPv4Code)
)

// certain reports whether a packet of which this is known has a field.
func (t *terms) certain(f openflow.Field) bool {
	switch set := bit(f); {
	case set&linkFields != 0:
		return true
	case set&vlanFields != 0:
		return t[openflow.FieldVLANVID].value[0]&byte(openflow.VLANPresent>>8) != 0
	default:
		for _, header := range headers {
			if set&header != 0 {
				return t.nonzero(header)
			}
		}
	}
	return false
}

// nonzero reports whether a field of a set is known not to be zero.
func (t *terms) nonzero(set uint64) bool {
	for f := range numFields {
		if set>>f&1 != 0 && t[f].value != [16]byte{} {
			return true
		}
	}
	return false
}

// after changes what is known of a packet as an action changes the packet, and returns the fields that it may change. An
// action on what a packet has not does nothing, and the others of its list do what they do. In an action set, which is
// executed in an order of its own, pushes and pops leave less known.
func (t *terms) after(a *openflow.Action, when Applied) (changed uint64) {
	switch a.Type {
	case openflow.ActionSetField:
		f, value, ok := setField(a)
		switch {
		case !ok:
			return t.forgetAll(allFields)
		case bit(f)&transport != 0:
			return t.forgetAll(transport)
		case t.certain(f):
			t.set(f, value)
		default:
			t.forget(f)
		}
		return bit(f)
	case openflow.ActionSetVLANVID, openflow.ActionSetVLANPCP: // they add a tag where there is none
		return t.forgetAll(allFields &^ linkFields)
	case openflow.ActionPushVLAN, openflow.ActionPopVLAN:
		// a switch reads a few tags: what is behind them comes into its sight, or out of it
		changed = t.forgetAll(allFields &^ linkFields)
		if a.Type == openflow.ActionPushVLAN {
			t[openflow.FieldVLANVID].mask[0] = byte(openflow.VLANPresent >> 8)
			t[openflow.FieldVLANVID].value[0] = byte(openflow.VLANPresent >> 8)
		}
		return changed
	case openflow.ActionPushMPLS, openflow.ActionPopMPLS:
		takes := t.etherType() >= 0x600
		if a.Type == openflow.ActionPopMPLS {
			takes = t.nonzero(bit(openflow.FieldMPLSLabel, openflow.FieldMPLSTC, openflow.FieldMPLSBOS))
		}
		changed = t.forgetAll(allFields &^ linkFields &^ vlanFields)
		if takes && when == AtOnce {
			t.set(openflow.FieldEthType, []byte{byte(a.EtherType >> 8), byte(a.EtherType)})
		}
		return changed
	case openflow.ActionPushPBB, openflow.ActionPopPBB, openflow.ActionExperimenter:
		return t.forgetAll(allFields)
	}
	return 0 // outputs, queues, times to live: no match asks for these
}

// etherType is what is known of the EtherType; 0 if it is not known as a whole.
func (t *terms) etherType() uint16 {
	x := &t[openflow.FieldEthType]
	if x.mask[0]&x.mask[1] != 0xff {
		return 0
	}
	return uint16(x.value[0])<<8 | uint16(x.value[1])
}

// setField returns what an action sets.
func setField(a *openflow.Action) (f openflow.Field, value []byte, ok bool) {
	m := openflow.Match{OXM: a.Data}
	for f := range openflow.Field(numFields) {
		if value, mask, has := m.Lookup(f); has {
			return f, value, mask == nil
		}
	}
	return 0, nil, false
}

func (t *terms) forgetAll(set uint64) uint64 {
	for f := range openflow.Field(numFields) {
		if set>>f&1 != 0 {
			t.forget(f)
		}
	}
	return set
}
