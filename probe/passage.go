package probe

import (
	"slices"

	"github.com/weirnet/weir/packet"
)

// Passage is when one packet passed an interface.
type Passage struct {
	Packet
	// Out is of a packet that the interface sent towards the path.
	Out bool
	// First and Last are the times of its fragments, whichever they were.
	First, Last Stamp
	Fragments   int // 1: it was whole
	Bytes       int // of IP's payload
}

// Counts are the frames that an interface saw.
type Counts struct {
	Frames     int // of the stations
	Foreign    int // of anybody else, and what is not IP
	Merged     int // longer than the interface's MTU allows: a device has merged or not yet cut them
	Unfinished int // packets of which fragments are missing
}

// maxUnfinished is how many packets may wait for fragments. The one that has waited longest is
// counted as unfinished, when there are more.
const maxUnfinished = 4096

// Assembler puts the frames that one interface saw together to packets.
type Assembler struct {
	stations []packet.Addr
	mtu      int
	counts   Counts
	open     map[train]*unfinished
	order    []train // of open, from the oldest on
	passages []Passage
}

// train is what the fragments of a packet share at one interface.
type train struct {
	src, dst packet.Addr
	proto    uint8
	out      bool
	id       uint32
}

type unfinished struct {
	passage Passage
	known   bool   // the first part was there, which says what the packet is
	end     int    // bytes of the packet, when the last part was there
	parts   []part // sorted, not overlapping
}

type part struct{ from, to int }

// NewAssembler makes one for an interface with an MTU, 0 for any. Frames between other addresses
// than the stations' are foreign; without stations none is.
func NewAssembler(mtu int, stations ...packet.Addr) *Assembler {
	return &Assembler{stations: stations, mtu: mtu, open: map[train]*unfinished{}}
}

// Add takes a frame of length bytes, of which the beginning is given, and reports whether a packet
// is complete with it, which is then the last of Passages.
func (a *Assembler) Add(at Stamp, out bool, length int, beginning []byte) bool {
	f, ok := Parse(beginning)
	if !ok {
		a.counts.Foreign++
		return false
	}
	return a.AddFrame(at, out, length, &f)
}

// AddFrame is Add for a frame that was parsed.
func (a *Assembler) AddFrame(at Stamp, out bool, length int, f *Frame) bool {
	if !a.ours(f) {
		a.counts.Foreign++
		return false
	}
	a.counts.Frames++
	if a.mtu > 0 && length > a.mtu+packet.EthernetLen+2*packet.VLANTagLen {
		a.counts.Merged++
	}
	if f.Whole() {
		a.passages = append(a.passages, Passage{Packet: f.Packet, Out: out, First: at, Last: at, Fragments: 1, Bytes: f.Len})
		return true
	}
	return a.addPart(at, out, f)
}

func (a *Assembler) ours(f *Frame) bool {
	return len(a.stations) == 0 || slices.Contains(a.stations, f.Src) && slices.Contains(a.stations, f.Dst)
}

func (a *Assembler) addPart(at Stamp, out bool, f *Frame) bool {
	key := train{src: f.Src, dst: f.Dst, proto: f.Proto, out: out, id: f.ID}
	u := a.open[key]
	if u != nil && !u.room(f) { // a copy: of a packet that is sent again, or twice on its way
		a.drop(key)
		u = nil
	}
	if u == nil {
		u = a.begin(key, at, out)
	}
	u.add(at, f)
	if !u.whole() {
		return false
	}
	a.close(key)
	a.passages = append(a.passages, u.passage)
	return true
}

func (a *Assembler) begin(key train, at Stamp, out bool) *unfinished {
	if len(a.order) == maxUnfinished {
		a.drop(a.order[0])
	}
	u := &unfinished{passage: Passage{Out: out, First: at, Last: at}}
	a.open[key], a.order = u, append(a.order, key)
	return u
}

// drop gives a packet up whose fragments do not come.
func (a *Assembler) drop(key train) {
	a.close(key)
	a.counts.Unfinished++
}

// close forgets a packet that waited: mostly one of the last that began.
func (a *Assembler) close(key train) {
	delete(a.open, key)
	for i := len(a.order) - 1; i >= 0; i-- {
		if a.order[i] == key {
			a.order = slices.Delete(a.order, i, i+1)
			return
		}
	}
}

// room reports whether a part is not there yet.
func (u *unfinished) room(f *Frame) bool {
	return !slices.ContainsFunc(u.parts, func(p part) bool { return f.Offset < p.to && f.Offset+f.Len > p.from })
}

func (u *unfinished) add(at Stamp, f *Frame) {
	p := &u.passage
	p.First, p.Last = min(p.First, at), max(p.Last, at)
	p.Fragments++
	p.Bytes += f.Len
	if f.Offset == 0 {
		p.Packet, u.known = f.Packet, true
	}
	if !f.More {
		u.end = f.Offset + f.Len
	}
	u.parts = append(u.parts, part{f.Offset, f.Offset + f.Len})
}

// whole reports whether all parts are there: they do not overlap, so it is a matter of their sum.
func (u *unfinished) whole() bool { return u.known && u.end > 0 && u.passage.Bytes == u.end }

// Passages are those of all packets that were seen whole, in the order in which they were complete.
func (a *Assembler) Passages() []Passage { return a.passages }

// Pop takes the last of Passages away, for who follows packets while they go.
func (a *Assembler) Pop() Passage {
	last := len(a.passages) - 1
	p := a.passages[last]
	a.passages = a.passages[:last]
	return p
}

// Counts are the present ones; packets that still wait for fragments count as unfinished.
func (a *Assembler) Counts() Counts {
	c := a.counts
	c.Unfinished += len(a.open)
	return c
}

// Reset forgets passages and counts, for the next measurement.
func (a *Assembler) Reset() {
	a.counts, a.passages, a.order = Counts{}, nil, nil
	clear(a.open)
}
