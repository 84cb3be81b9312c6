package tenancy

import (
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"github.com/weirnet/weir/netview"
)

// Bounds of what is remembered of discovery frames that tenants have sent.
const (
	probeLife = 5 * time.Second
	probesMax = 4096 // of each tenant
)

// probes are the discovery frames that tenants have sent and that have not arrived. The frames of two tenants may be equal:
// each arrival is that of the one that was sent first, as a link keeps the order.
type probes struct {
	mu     sync.Mutex
	seed   maphash.Seed
	byHash map[uint64][]sentProbe // each list in the order of sending
	count  map[uint16]int         // by tenant
	swept  time.Duration
}

// sentProbe is a frame on its way.
type sentProbe struct {
	tenant uint16
	from   netview.Point
	at     time.Duration
}

// sent notes a frame.
func (p *probes) sent(tenant uint16, from netview.Point, frame []byte, now time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byHash == nil {
		p.seed, p.byHash, p.count = maphash.MakeSeed(), make(map[uint64][]sentProbe), make(map[uint16]int)
	}
	if now-p.swept > time.Second {
		p.sweep(now)
	}
	if p.count[tenant] >= probesMax {
		return // the frame is lost to its tenant, and nobody else gets it
	}
	h := maphash.Bytes(p.seed, frame)
	p.byHash[h] = append(p.byHash[h], sentProbe{tenant, from, now})
	p.count[tenant]++
}

// way is how well a port that a frame was sent out of fits the port that it came in at.
type way uint8

const (
	wayNone    way = iota // a link leads elsewhere
	wayUnknown            // no link is known at either
	wayKnown              // a link leads there
)

// arrived returns whose frame has come in at a port; 0: nobody's that is known. It is forgotten. A way that is known comes
// before one that is not.
func (p *probes) arrived(at netview.Point, frame []byte, now time.Duration, leads func(from, to netview.Point) way) uint16 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.byHash) == 0 {
		return 0
	}
	h := maphash.Bytes(p.seed, frame)
	list, found := p.byHash[h], -1
	for i, s := range list {
		if now-s.at > probeLife {
			continue
		}
		w := leads(s.from, at)
		if w == wayKnown || w == wayUnknown && found < 0 {
			found = i
		}
		if w == wayKnown {
			break
		}
	}
	if found < 0 {
		return 0
	}
	tenant := list[found].tenant
	if p.byHash[h] = append(list[:found:found], list[found+1:]...); len(p.byHash[h]) == 0 {
		delete(p.byHash, h)
	}
	p.count[tenant]--
	return tenant
}

// sweep forgets what is older than probeLife.
func (p *probes) sweep(now time.Duration) {
	p.swept = now
	clear(p.count)
	for h, list := range p.byHash {
		list = slices.DeleteFunc(list, func(s sentProbe) bool { return now-s.at > probeLife })
		for _, s := range list {
			p.count[s.tenant]++
		}
		if p.byHash[h] = list; len(list) == 0 {
			delete(p.byHash, h)
		}
	}
}
