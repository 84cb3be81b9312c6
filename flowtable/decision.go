package flowtable

import (
	"math/bits"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// Decision is what became of a packet, and what decided that, for an owner of a Switch with Config.Handles that has others
// forward such packets (micro-flows). All packets that come in at its port and agree with it in the bits that decided match the
// same entries, and the same is done to them. Its memory is used again by the next Receive.
type Decision struct {
	Entries []uint32          // handles of those that it matched, in their order
	Actions []openflow.Action // what was done to it, in one list; outputs are to single ports, or to that it came in by
	V10     bool              // these are actions of OpenFlow 1.0
	Groups  bool              // it was sent through a group
	Table   uint8             // of the last entry
	Cookie  uint64            // of the last entry
	// Why says why no list of actions does to all packets that agree what was done to this one; empty if Actions does. It was
	// shown to controllers, passed a meter, or was changed in a way that another switch cannot be told.
	Why string

	packet words // as it came
	mask   words // its bits that decided
	looked []looked
	now    progress
	taken  bool
	in     uint32
	queue  uint32 // that Actions have set; 0: none
	out    decidedOutput
}

// decidedOutput is the Output of a frame whose decision is noted.
type decidedOutput struct {
	Output
	d *Decision
	p *pass
}

// looked is one look-up in a table.
type looked struct {
	table    uint8
	found    bool
	priority uint16 // of the entry that was found
	filter          // packets that find the same
}

// progress is what is known of the bits of a packet on its way through the tables.
type progress struct {
	fixed words // they are the same in all packets that agree so far
	lost  words // they depend on what no match can look at
	dirty bool  // actions were done to the packet that do not count any more, as they were those of a bucket
	done  int   // actions that change the packet
}

// decisionActions is how many actions a decision has at most.
const decisionActions = 128

// Receive has a switch receive a frame, as Switch.Receive, and notes what decided what became of it.
func (d *Decision) Receive(s *Switch, port uint32, frame []byte, now time.Duration, out Output) {
	*d = Decision{Entries: d.Entries[:0], Actions: d.Actions[:0], looked: d.looked[:0], Cookie: unknown}
	d.in, d.out, s.decision = port, decidedOutput{out, d, &s.pass}, d
	s.Receive(port, frame, now, &d.out)
	d.out, s.decision = decidedOutput{}, nil
	if !d.taken {
		d.cannot("its port does not take it")
	}
}

// begin takes up the packet. Metadata and the tunnel are the same for all, as is the port.
func (d *Decision) begin(k *words) {
	d.packet, d.taken = *k, true
	d.now.fixed[wordMetadata], d.now.fixed[wordTunnel] = ^uint64(0), ^uint64(0)
	d.now.fixed[wordPort], d.now.fixed[wordMPLS] = 0xffffffff<<32, 0xffffffff<<32
}

// cannot notes why there is no list of actions.
func (d *Decision) cannot(why string) {
	if d.Why == "" {
		d.Why = why
	}
}

// need notes that bits of the packet as it is now decide.
func (d *Decision) need(mask *words) {
	for i, m := range mask {
		if m&d.now.lost[i] != 0 {
			d.cannot("what it has under a tag decides")
		}
		d.mask[i] |= m &^ d.now.fixed[i]
	}
}

// needField is need of a field of up to 64 bits.
func (d *Decision) needField(f openflow.Field) {
	var m words
	m.set(f)
	d.need(&m)
}

// set sets all bits of a field.
func (w *words) set(f openflow.Field) {
	p := places[f]
	if p.bits == 128 {
		w[p.word], w[p.word+1] = ^uint64(0), ^uint64(0)
		return
	}
	w[p.word] |= lowBits(p.bits) << p.shift
}

// lookup is the entry of a table that the packet matches, as find, and notes which bits decided that.
func (d *Decision) lookup(t *table, id uint8, k *words) *entry {
	l := looked{table: id}
	var best *entry
	if t != nil {
		for _, u := range t.tuples {
			if best != nil && best.priority >= u.best {
				break
			}
			for i, m := range u.mask {
				l.mask[i] |= m
			}
			if e := u.find(k); e != nil && (best == nil || e.priority > best.priority) {
				best = e
			}
		}
	}
	for i, m := range l.mask {
		l.value[i] = k[i] & m
	}
	if best != nil {
		l.found, l.priority = true, best.priority
		d.Entries, d.Table, d.Cookie = append(d.Entries, best.handle), id, best.cookie
	}
	d.looked = append(d.looked, l)
	d.need(&l.mask)
	return best
}

// act does an action that changes the packet, and notes it; false of other actions, whose effects are noted where they happen.
func (d *Decision) act(p *pass, a *openflow.Action) bool {
	switch a.Type {
	case openflow.ActionOutput, openflow.ActionEnqueue, openflow.ActionGroup, openflow.ActionSetQueue:
		return false
	}
	d.V10 = p.v10
	p.frame.refresh()
	before := p.frame.fields
	d.before(p, a)
	p.s.decision = nil
	p.act(a)
	if p.s.decision = d; p.done {
		d.cannot("its time to live is over")
	}
	if !p.frame.stale { // it did nothing, and does nothing to all that agree
		return true
	}
	d.after(&before, a)
	d.add(*a)
	d.now.done++
	return true
}

// add adds an action.
func (d *Decision) add(a openflow.Action) {
	if len(d.Actions) == decisionActions {
		d.cannot("it takes too many actions")
		return
	}
	d.Actions = append(d.Actions, a)
}

// before notes what decides whether an action does something.
func (d *Decision) before(p *pass, a *openflow.Action) {
	switch a.Type {
	case openflow.ActionSetField:
		if f, _, ok := a.Field(); ok {
			d.beforeSet(p, f)
		}
	case openflow.ActionSetVLANVID, openflow.ActionSetVLANPCP, openflow.ActionPushVLAN, openflow.ActionPopVLAN:
		d.needTag()
	case openflow.ActionSetNwTTL, openflow.ActionDecNwTTL:
		d.needIP(p)
	default:
		d.cannot("it is changed by " + a.Type.String())
	}
}

// needTag notes that it decides whether the packet has a VLAN tag.
func (d *Decision) needTag() {
	var m words
	m[places[openflow.FieldVLANVID].word] = uint64(openflow.VLANPresent)
	d.need(&m)
}

// beforeSet is before of a set-field.
func (d *Decision) beforeSet(p *pass, f openflow.Field) {
	switch f {
	case openflow.FieldEthDst, openflow.FieldEthSrc:
	case openflow.FieldVLANVID, openflow.FieldVLANPCP:
		d.needTag()
	case openflow.FieldIPDSCP, openflow.FieldIPECN, openflow.FieldIPv4Src, openflow.FieldIPv4Dst, openflow.FieldIPv6Src,
		openflow.FieldIPv6Dst, openflow.FieldIPv6FLabel, openflow.FieldARPOp, openflow.FieldARPSPA, openflow.FieldARPTPA,
		openflow.FieldARPSHA, openflow.FieldARPTHA:
		d.needIP(p)
	case openflow.FieldTCPSrc, openflow.FieldTCPDst, openflow.FieldUDPSrc, openflow.FieldUDPDst, openflow.FieldSCTPSrc,
		openflow.FieldSCTPDst, openflow.FieldICMPv4Type, openflow.FieldICMPv4Code, openflow.FieldICMPv6Type,
		openflow.FieldICMPv6Code:
		d.needIP(p)
		if d.transportOf(p, f) {
			d.needTransport(p)
		}
	default:
		d.cannot("its " + f.String() + " is set")
	}
}

// needIP notes that it decides whether the packet has a header of IP or ARP. Broken ones have the same Ethernet type, and a
// protocol or operation of 0.
func (d *Decision) needIP(p *pass) {
	d.needField(openflow.FieldEthType)
	k := &p.frame.fields
	switch {
	case k.Layers&(packet.LayerIPv4|packet.LayerIPv6) != 0:
		d.needField(openflow.FieldIPProto)
		if k.IPProto == 0 {
			d.cannot("it is of IP protocol 0")
		}
	case k.Layers&packet.LayerARP != 0:
		d.needField(openflow.FieldARPOp)
		if p.frame.key.get(openflow.FieldARPOp) == 0 || uint64(k.EtherType) != etherTypeARP {
			d.cannot("it is of an ARP operation that no match has")
		}
	case k.EtherType == packet.TypeIPv4, k.EtherType == packet.TypeIPv6, k.EtherType == packet.TypeARP,
		k.EtherType == packet.TypeRARP:
		d.cannot("its header is broken")
	}
}

// needUnfragmented notes that fragments are dropped, which no match tells from other packets of IP.
func (d *Decision) needUnfragmented(k *packet.Key) {
	d.needField(openflow.FieldEthType)
	if k.EtherType == packet.TypeIPv4 || k.EtherType == packet.TypeIPv6 {
		d.cannot("fragments like it are dropped")
	}
}

// transportOf reports whether a packet is of the protocol of a field, or says so. The ports of OpenFlow 1.0 are of any.
func (d *Decision) transportOf(p *pass, f openflow.Field) bool {
	of := traitsOf(&p.frame.key)
	if p.v10 && (f == openflow.FieldTCPSrc || f == openflow.FieldTCPDst) {
		return of.have(openflow.FieldTCPSrc) || of.have(openflow.FieldUDPSrc) || of.have(openflow.FieldSCTPSrc)
	}
	return of.have(f)
}

// needTransport notes that it decides whether the packet has a transport header. Fragments, and packets that end before, have
// ports of 0.
func (d *Decision) needTransport(p *pass) {
	var m words
	m[wordTransport] = 0xffffffff << 32
	d.need(&m)
	k := &p.frame.fields
	if k.Layers&(packet.LayerIPv4|packet.LayerIPv6) != 0 && (k.Frag != 0 || d.packet[wordTransport]>>32 == 0) {
		d.cannot("it has no ports")
	}
}

// after notes what is known of a packet's fields when an action has changed it.
func (d *Decision) after(before *packet.Key, a *openflow.Action) {
	const tag = wordPort
	tagged := before.VLAN != 0
	fix := func(f openflow.Field) { d.now.fixed.set(f) }
	switch a.Type {
	case openflow.ActionSetField:
		if f, _, _ := a.Field(); places[f].bits > 0 {
			fix(f)
			if f == openflow.FieldVLANVID {
				d.now.lost[tag] &^= lowBits(13)
			} else if f == openflow.FieldVLANPCP {
				d.now.lost[tag] &^= lowBits(3) << 13
			}
		}
	case openflow.ActionSetVLANVID, openflow.ActionSetVLANPCP, openflow.ActionPushVLAN:
		switch {
		case !tagged: // the tag is new
			fix(openflow.FieldVLANVID)
			fix(openflow.FieldVLANPCP)
		case a.Type == openflow.ActionSetVLANVID:
			fix(openflow.FieldVLANVID)
		case a.Type == openflow.ActionSetVLANPCP:
			fix(openflow.FieldVLANPCP)
		}
	case openflow.ActionPopVLAN: // there may be another tag
		d.now.lost[tag] |= lowBits(16)
	}
}

// Transmit notes that the packet leaves by a port. One that is down has nothing leave.
func (o *decidedOutput) Transmit(port, queue uint32, frame []byte) {
	d := o.d
	if d.now.dirty {
		d.cannot("it leaves as it was before a bucket had changed it")
	}
	d.setQueue(o.p)
	to := port
	if to == d.in {
		to = openflow.PortInPort
	}
	d.add(openflow.Output(to))
	o.Output.Transmit(port, queue, frame)
}

// setQueue adds a set-queue of the queue that the packet leaves by, as another switch's ports may have queues that those
// here have not. No action takes one back, and OpenFlow 1.0 has none that sets one.
func (d *Decision) setQueue(p *pass) {
	switch {
	case p.queue == d.queue:
	case p.queue == 0, p.v10:
		d.cannot("it leaves by a queue that only some of its actions choose")
	default:
		d.add(openflow.Action{Type: openflow.ActionSetQueue, ID: p.queue})
		d.queue = p.queue
	}
}

// flow are the fields by which a select group chooses, as flowHash.
func (d *Decision) flow() {
	m := words{wordPort: 0xffffffff, wordDst: ^uint64(0xff), wordSrc: ^uint64(0), wordIPv4: ^uint64(0), wordTransport: ^uint64(0),
		wordMPLS: 0xffffffff, wordIPv6Src: ^uint64(0), wordIPv6Src + 1: ^uint64(0), wordIPv6Dst: ^uint64(0),
		wordIPv6Dst + 1: ^uint64(0)}
	d.need(&m)
}

// bucket has a bucket be done to a copy of the packet, which is then what it was before.
func (d *Decision) bucket(p *pass, b *bucket) {
	was := d.now
	p.doBucket(b)
	changed := d.now.dirty || d.now.done != was.done
	d.now, was.done = was, d.now.done
	d.now.dirty = changed
}

// In reports whether the packet, as it came, is one that a match selects. The port is not looked at.
func (d *Decision) In(m *openflow.Match) bool {
	var f filter
	if f.parse(m) != nil {
		return false
	}
	for i := range f.mask {
		if (d.packet[i]^f.value[i])&f.mask[i] != 0 {
			return false
		}
	}
	return true
}

// Match returns the match, without a port, of packets that agree with this one, of those in a region that it is in; maybe of
// fewer, as the version has no match of any bits. False: it has none at all.
func (d *Decision) Match(v openflow.Version, region *openflow.Match) (m openflow.Match, ok bool) {
	var f filter
	if f.parse(region) != nil {
		return m, false
	}
	for i := range f.mask {
		f.mask[i] |= d.mask[i]
	}
	f.widen(&d.packet, v)
	m.OXM = f.appendOXM(nil)
	return m, m.Check() == nil
}

// widen has a filter ask for whole fields where a version has no masks, and gives it the values of a packet.
func (f *filter) widen(k *words, v openflow.Version) {
	const tag, pcp = wordPort, 7 << 13
	vid, present := lowBits(13), uint64(openflow.VLANPresent)
	switch {
	case f.mask[tag]&(vid|pcp) == 0:
	case k[tag]&present == 0: // untagged
		f.mask[tag] = f.mask[tag]&^pcp | vid
	case f.mask[tag]&vid == present && f.mask[tag]&pcp == 0 && v != openflow.V10:
	case v == openflow.V10:
		f.mask[tag] |= vid
	default:
		f.mask[tag] |= present
	}
	of := traitsOf(k)
	for i, p := range places {
		field := openflow.Field(i)
		if p.bits == 0 || p.bits == 128 || field == openflow.FieldVLANVID || !of.have(field) {
			continue
		}
		all := lowBits(p.bits)
		switch m := f.mask.get(field); {
		case m == 0 || m == all:
		case v == openflow.V10 && isAddress(field): // a prefix
			f.mask[p.word] |= all &^ lowBits(uint8(bits.TrailingZeros64(m))) << p.shift
		case v == openflow.V10 || !hasMask(field):
			f.mask.set(field)
		}
	}
	for i, m := range f.mask {
		f.value[i] = k[i] & m
	}
}

func isAddress(f openflow.Field) bool {
	return f == openflow.FieldIPv4Src || f == openflow.FieldIPv4Dst || f == openflow.FieldARPSPA || f == openflow.FieldARPTPA
}

// hasMask reports whether OpenFlow 1.3 has masks for a field of a packet of up to 64 bits.
func hasMask(f openflow.Field) bool {
	switch f {
	case openflow.FieldEthDst, openflow.FieldEthSrc, openflow.FieldARPSHA, openflow.FieldARPTHA, openflow.FieldIPv6FLabel,
		openflow.FieldIPv6ExtHdr:
		return true
	}
	return isAddress(f)
}
