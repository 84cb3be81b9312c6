package flowtable

import (
	"math"

	"github.com/weirnet/weir/openflow"
)

// group sends a copy of the packet through a group: whatever the buckets do to it, actions after
// this one meet it as it was before.
func (p *pass) group(id uint32) {
	d := p.s.decision
	if d != nil {
		d.Groups = true
	}
	g := p.s.groups[id]
	if g == nil {
		return
	}
	if !p.s.uncounted {
		g.packets++
		g.bytes += uint64(p.size)
	}
	switch g.kind {
	case openflow.GroupTypeAll:
		for i := range g.buckets {
			p.bucket(&g.buckets[i])
		}
	case openflow.GroupTypeIndirect:
		p.bucket(&g.buckets[0])
	case openflow.GroupTypeSelect:
		p.frame.refresh()
		if d != nil {
			d.flow()
		}
		if b := g.choose(p.s, &p.frame.key); b != nil {
			p.bucket(b)
		}
	case openflow.GroupTypeFastFailover:
		for i := range g.buckets {
			if p.s.bucketLives(&g.buckets[i]) {
				p.bucket(&g.buckets[i])
				break
			}
		}
	}
}

// bucket does the actions of a bucket to a copy of the packet, unless it has been through as many
// as it may.
func (p *pass) bucket(b *bucket) {
	d := p.s.decision
	switch {
	case p.budget == 0 || p.frame.level > maxChain:
		if d != nil {
			d.cannot("it goes through too many buckets")
		}
	case d != nil:
		d.bucket(p, b)
	default:
		p.doBucket(b)
	}
}

func (p *pass) doBucket(b *bucket) {
	p.budget--
	if !p.s.uncounted {
		b.packets++
		b.bytes += uint64(p.size)
	}
	frame, queue, v10, inSet, done := p.frame, p.queue, p.v10, p.inSet, p.done
	p.frame.fork()
	p.v10, p.inSet = false, true
	for _, a := range b.ordered {
		if p.done {
			break
		}
		p.act(a)
	}
	p.frame, p.queue, p.v10, p.inSet, p.done = frame, queue, v10, inSet, done
}

// bucketLives reports whether what a bucket watches is live. A bucket that watches nothing is live.
func (s *Switch) bucketLives(b *bucket) bool {
	watches := false
	if b.WatchPort != openflow.PortAny {
		watches = true
		if p := s.ports.find(b.WatchPort); p != nil && p.live() {
			return true
		}
	}
	if b.WatchGroup != openflow.GroupAny {
		watches = true
		if g := s.groups[b.WatchGroup]; g != nil && s.groupLives(g) {
			return true
		}
	}
	return !watches
}

// groupLives reports whether one of its buckets does. Groups have no loops, not even of watches;
// but there may be many ways from one to another, so that each is judged once a call.
func (s *Switch) groupLives(g *group) bool {
	if g.judged != s.calls {
		g.judged, g.live = s.calls, s.anyLive(g.buckets)
	}
	return g.live
}

func (s *Switch) anyLive(buckets []bucket) bool {
	for i := range buckets {
		if s.bucketLives(&buckets[i]) {
			return true
		}
	}
	return false
}

// choose is the bucket of a select group for the flow of a packet; nil if none can be. Each bucket
// draws a number from the flow and its own place, weighted so that the chance of the best is its
// share of the weights (rendezvous hashing): when a bucket dies, only its flows move.
func (g *group) choose(s *Switch, key *words) *bucket {
	flow := key.flowHash(s.cfg.Seed ^ uint64(g.id)*mix2)
	var best *bucket
	bestScore := math.Inf(1)
	for i := range g.buckets {
		b := &g.buckets[i]
		if b.Weight == 0 || !s.bucketLives(b) {
			continue
		}
		draw := (float64(mix(flow, uint64(i), mix1*uint64(i))>>11) + 0.5) / (1 << 53)
		if score := -math.Log(draw) / float64(b.Weight); best == nil || score < bestScore {
			best, bestScore = b, score
		}
	}
	return best
}

// flowHash is a hash of what stays the same in all packets of a flow: addresses, types, tag and
// ports.
func (w *words) flowHash(seed uint64) uint64 {
	h := mix(seed, w[wordPort]&0xffffffff, w[wordDst]&^0xff)
	h = mix(h, w[wordSrc], w[wordIPv4])
	h = mix(h, w[wordTransport], w[wordMPLS]&0xffffffff)
	h = mix(h, w[wordIPv6Src], w[wordIPv6Src+1])
	return mix(h, w[wordIPv6Dst], w[wordIPv6Dst+1])
}
