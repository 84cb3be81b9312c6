package sim

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// A network that is changed as planned loses no packet, and sends none twice or by the controller:
// not one that was in flight when a path was left, either. So links are long here, and numbered
// frames follow each other closely: there are always some on each link of their path.

// stream is frames from one host to another, which are counted by their numbers.
type stream struct {
	from, to *station
	sent     uint32
	arrived  map[uint32]int // copies of each
}

// streams are those of a run. They are numbered by their place in the list.
type streams struct {
	w    *world
	list []*stream
}

// streamHead begins what a frame of a stream carries: its EtherType, for local experiments (IEEE
// 802), and a word that no other message has.
var streamHead = []byte{0x88, 0xb6, 's', 't', 'r', 'm'}

const (
	streamEvery = 20 * time.Millisecond
	streamWarms = 3 * time.Second  // before the first change: the first frames go by the controller
	streamLate  = 45 * time.Second // in half of the seeds nothing changes before: then the latency of links is known
	// after the last event: paths that were left for a time are taken again when they have been
	// calm for long enough
	streamAfter = 45 * time.Second
	streamSpan  = time.Second // what a frame may take
)

// NewPlannedPlan draws the plan of a seed in which nothing fails: links and switches are drained
// and given back while hosts talk, some by intents.
func NewPlannedPlan(seed uint64) *Plan {
	r := rand.New(rand.NewPCG(seed, randPlan))
	p := &Plan{Seed: seed, Version: openflow.V13, Switches: 3 + r.IntN(5)}
	if r.IntN(4) == 0 {
		p.Version = openflow.V10
	}
	for i := range p.Switches { // a ring, and chords
		p.Links = append(p.Links, LinkPlan{A: i, B: (i + 1) % p.Switches})
	}
	for range r.IntN(4) {
		if a, b := r.IntN(p.Switches), r.IntN(p.Switches); a != b {
			p.Links = append(p.Links, LinkPlan{A: a, B: b})
		}
	}
	for i := range p.Links {
		p.Links[i].Delay = time.Duration(5+r.IntN(40)) * time.Millisecond
		if seed%2 == 0 {
			p.Links[i].Delay *= 3
		}
	}
	p.addHosts(r)
	for range 4 {
		a, b := r.IntN(len(p.Hosts)), r.IntN(len(p.Hosts))
		if a == b {
			b = (a + 1) % len(p.Hosts)
		}
		p.Streams = append(p.Streams, StreamPlan{a, b})
	}
	p.plannedEvents(r)
	return p
}

// plannedEvents draws drains, one after the other, and asks for intents between hosts before them.
func (p *Plan) plannedEvents(r *rand.Rand) {
	p.Intents = r.IntN(3)
	for i := range p.Intents {
		// 24: between hosts, in the lowest priority
		p.Events = append(p.Events, Event{Kind: AskIntent, A: i, B: 24 * r.IntN(1<<10)})
	}
	at := streamWarms
	if p.Seed%4 < 2 {
		at += streamLate
	}
	for range 3 + r.IntN(5) {
		at += time.Duration(2000+r.IntN(3000)) * time.Millisecond
		e := Event{At: at, For: time.Duration(2000+r.IntN(6000)) * time.Millisecond, Kind: DrainLink, A: r.IntN(len(p.Links))}
		if r.IntN(3) == 0 {
			e.Kind, e.A = DrainSwitch, r.IntN(p.Switches)
		}
		at += e.For
		p.Events = append(p.Events, e)
	}
}

// begin has the streams begin before the first change, and go on until a while after the last
// event.
func (x *streams) begin(last time.Duration) time.Duration {
	w := x.w
	first := w.plan.Events[slices.IndexFunc(w.plan.Events, func(e Event) bool { return e.Kind != AskIntent })].At - streamWarms
	for i, s := range w.plan.Streams {
		s := &stream{from: w.net.stations[s.From], to: w.net.stations[s.To], arrived: make(map[uint32]int)}
		x.list = append(x.list, s)
		w.After(first+time.Duration(i)*time.Millisecond, func() { x.goOn(s, uint32(i), epoch.Add(last+streamAfter)) })
	}
	// who was plugged in before its switch had a session was not heard, and has no reason to ask
	// for anybody
	for _, h := range w.net.stations {
		h.do(func(now time.Duration) { h.stack.AnnounceAt(now + first + streamWarms/2) })
	}
	return last + streamAfter + streamSpan
}

// goOn sends the next frame of a stream.
func (x *streams) goOn(s *stream, number uint32, end time.Time) {
	if x.w.now.After(end) {
		return
	}
	b := make([]byte, 60)
	copy(b, s.to.mac[:])
	copy(b[6:], s.from.mac[:])
	copy(b[12:], streamHead)
	binary.BigEndian.PutUint32(b[18:], number)
	binary.BigEndian.PutUint32(b[22:], s.sent)
	s.sent++
	s.from.do(func(time.Duration) { s.from.Send(b) })
	x.w.After(streamEvery, func() { x.goOn(s, number, end) })
}

// arrived counts a frame that came to a host, if it is one of a stream.
func (x *streams) arrived(h *station, frame []byte) bool {
	if len(frame) < 26 || !bytes.Equal(frame[12:18], streamHead) {
		return false
	}
	if s := x.list[binary.BigEndian.Uint32(frame[18:])]; packet.MAC(frame[:6]) == s.to.mac && h == s.to {
		s.arrived[binary.BigEndian.Uint32(frame[22:])]++
	}
	return true
}

// warm is how many frames of a stream are sent before it is judged.
const warm = uint32(streamWarms / streamEvery)

// detoured looks for frames of streams in what a switch sends to its controller.
func (x *streams) detoured(b []byte) {
	if len(x.list) == 0 {
		return
	}
	at := bytes.Index(b, streamHead)
	if at < 0 || at+14 > len(b) {
		return
	}
	s, n := x.list[binary.BigEndian.Uint32(b[at+6:])], binary.BigEndian.Uint32(b[at+10:])
	if n >= warm {
		x.w.fail("frame %d from %s to %s goes by the controller, though nothing failed", n, s.from.name(), s.to.name())
	}
}

// judge wants each frame to have arrived once.
func (x *streams) judge() {
	for _, s := range x.list {
		for n := warm; n < s.sent; n++ {
			if got := s.arrived[n]; got != 1 {
				x.w.fail("frame %d of %d from %s to %s arrived %d times, though nothing failed", n, s.sent,
					s.from.name(), s.to.name(), got)
				return
			}
		}
	}
}
