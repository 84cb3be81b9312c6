package load

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/window"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// source is the load of one switch: which packets it sends and which of them wait. It is the
// switch's tap.
type source struct {
	sw       *loadswitch.Switch
	version  openflow.Version
	clock    func() time.Duration
	buffered bool             // while measuring; probes always are
	learning bool             // every packet comes from a newcomer
	mod      openflow.FlowMod // of the reader
	probing  atomic.Bool      // only what names a buffer is an answer: an unknown host's frame may be flooded
	got      []uint32         // tokens answered in this batch; of the reader
	messages uint64           // flow-mods and packet-outs about packets, in this batch; of the reader

	mu       sync.Mutex
	window   *window.Window
	template *frameTemplate
	random   uint64
	known    []bool // hosts that were asked for and answered
	unknown  int
	turn     int           // the host that is asked for next, if it is not known
	refill   bool          // an answer is followed by the next packet
	from     time.Duration // the part of the run that counts
	to       time.Duration
	// draw chooses the hosts of the next packet; nil if there are none left.
	draw        func(token uint32) (src, dst *loadswitch.Host)
	lastNewHost loadswitch.Host // the last newcomer
	newHosts    uint32          // how many there were
	asked       map[int]uint32  // tokens of those that introduce hosts, if newcomers are wanted
	out         []byte
	tally       tally
	latency     report.Histogram // ns
	lost        error            // the connection would not take a packet
}

// tally counts events since the source began.
type tally struct {
	Sent     uint64 // packet-ins
	Answered uint64 // packet-ins, once each
	Counted  uint64 // of those, answered while the run counts
	Again    uint64 // answers to packets that had been answered, or were given up
	Messages uint64 // flow-mods and packet-outs that name a packet or are soft rules
	waiting  int    // packet-ins that wait now; of a load's total only
}

func (t *tally) add(o tally) {
	t.Sent += o.Sent
	t.Answered += o.Answered
	t.Counted += o.Counted
	t.Again += o.Again
	t.Messages += o.Messages
}

// never is later than any time of a load.
const never = time.Duration(1<<63 - 1)

func newSource(sw *loadswitch.Switch, c *Config, clock func() time.Duration) *source {
	s := &source{sw: sw, version: c.Version, clock: clock, buffered: c.Buffered, latency: report.NewHistogram(),
		template: newFrameTemplate(c.Version, uint32(sw.Index), c.CopyVLAN), learning: c.Learning,
		random: c.Seed*0x9e3779b97f4a7c15 + uint64(sw.Index) + 1,
		known:  make([]bool, len(sw.Hosts)), unknown: len(sw.Hosts)}
	s.window = window.New(c.slots())
	s.draw = s.pair
	if c.Learning {
		s.draw, s.asked = s.newHostFor, make(map[int]uint32)
	}
	return s
}

// Frame recognises answers.
func (s *source) Frame(_ *session.Session, h openflow.Header, frame []byte) bool {
	var a answer
	switch h.Type {
	case openflow.TypeFlowMod:
		a = readModification(s.version, frame)
		if s.learning && !a.known {
			if token, ok := s.learnedToken(frame); ok {
				a = answer{token: token, known: true, ours: true}
			}
		}
	case openflow.TypePacketOut:
		a = readPacketOut(frame, uint32(s.sw.Index), s.buffered || s.probing.Load())
	default:
		return false
	}
	if a.ours {
		s.messages++
	}
	if a.known {
		s.got = append(s.got, a.token)
	}
	return a.ours
}

// BatchEnd counts what was answered and sends what follows.
func (s *source) BatchEnd(conn *session.Session) {
	if s.messages == 0 {
		return
	}
	now := s.clock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tally.Messages += s.messages
	s.messages = 0
	n := 0
	for _, token := range s.got {
		p, ok := s.window.Answer(token)
		switch {
		case !ok:
			s.tally.Again++
		case p.Note >= 0:
			s.confirm(int(p.Note))
		default:
			s.count(&p, now)
			n++
		}
	}
	s.got = s.got[:0]
	if s.refill && n > 0 {
		s.sendNow(conn, n, now)
	}
}

// count takes note of an answer; s.mu is held. Its latency counts if it was meant to be sent within
// the run, whenever it is answered; its answer counts if that is within the run.
func (s *source) count(p *window.Slot, now time.Duration) {
	s.tally.Answered++
	if p.Intended >= s.from && p.Intended < s.to {
		s.latency.Record(int64(now - p.Intended))
	}
	if now >= s.from && now < s.to {
		s.tally.Counted++
	}
}

// confirm notes that a host is known.
func (s *source) confirm(host int) {
	if !s.known[host] {
		s.known[host] = true
		s.unknown--
	}
}

// sendNow sends n packets that are meant to be sent now; s.mu is held.
func (s *source) sendNow(conn *session.Session, n int, now time.Duration) {
	s.out = s.out[:0]
	for range n {
		s.add(now)
	}
	s.flush(conn)
}

// add appends the next packet; false if too many wait, or there is none. s.mu is held.
func (s *source) add(intended time.Duration) bool {
	token, ok := s.window.Take(intended, -1)
	if !ok {
		return false
	}
	src, dst := s.draw(token)
	if src == nil {
		s.window.Answer(token)
		return false
	}
	s.out = s.template.append(s.out, src, dst, token, s.buffered)
	s.tally.Sent++
	return true
}

// flush hands over what was appended; s.mu is held.
func (s *source) flush(conn *session.Session) {
	if len(s.out) == 0 {
		return
	}
	if err := conn.SendBytes(s.out); err != nil && s.lost == nil {
		s.lost = err
	}
	s.out = s.out[:0]
}

// pair draws two hosts that are at different ports.
func (s *source) pair(uint32) (src, dst *loadswitch.Host) {
	hosts := s.sw.Hosts
	n := uint64(len(hosts))
	for {
		s.random ^= s.random << 13
		s.random ^= s.random >> 7
		s.random ^= s.random << 17
		a, _ := bits.Mul64(s.random, n)
		b, _ := bits.Mul64(s.random*0x9e3779b97f4a7c15, n)
		if src, dst = &hosts[a], &hosts[b]; src.At.Port != dst.At.Port {
			return src, dst
		}
	}
}

// probe sends, to hosts not known yet, up to limit packets that ask for them; what was not answered
// before is given up.
func (s *source) probe(limit int) {
	conn := s.sw.Session()
	s.mu.Lock()
	defer s.mu.Unlock()
	if conn == nil || s.unknown == 0 {
		return
	}
	s.window.Abandon()
	for range s.known {
		i := s.turn
		s.turn = (i + 1) % len(s.known) // who is never answered does not stand in the others' way
		if s.known[i] {
			continue
		}
		if limit--; limit < 0 {
			s.turn = i
			break
		}
		dst := &s.sw.Hosts[i]
		src := s.elsewhere(i)
		token, _ := s.window.Take(0, int32(i))
		if s.learning { // who is notified of is the sender
			src, dst = dst, src
			s.asked[i] = token
		}
		s.out = s.template.append(s.out, src, dst, token, true)
	}
	s.flush(conn)
}

// elsewhere is a host at another port than host i.
func (s *source) elsewhere(i int) *loadswitch.Host {
	hosts := s.sw.Hosts
	for j := 1; j < len(hosts); j++ {
		if h := &hosts[(i+j)%len(hosts)]; h.At.Port != hosts[i].At.Port {
			return h
		}
	}
	return &hosts[i]
}
