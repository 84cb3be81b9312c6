package tenancy

import (
	"hash/maphash"
	"sync"
	"time"

	"github.com/weirnet/weir/netview"
)

// Bounds of what is remembered of discovery frames that tenants have sent.
const (
	probeLife = 5 * time.Second
	probesMax = 1 << 16
)

// probes are the discovery frames that tenants have sent and that have not arrived. The frames of two tenants may be equal:
// each arrival is that of the one that was sent first, as a link keeps the order.
type probes struct {
	mu     sync.Mutex
	seed   maphash.Seed
	byHash map[uint64][]sentProbe // each list in the order of sending
	count  int
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
		p.seed, p.byHash = maphash.MakeSeed(), make(map[uint64][]sentProbe)
	}
	if now-p.swept > probeLife || p.count >= probesMax {
		p.sweep(now)
	}
	if p.count >= probesMax {
		return // the frame is lost to its tenant, and nobody else gets it
	}
	h := maphash.Bytes(p.seed, frame)
	p.byHash[h] = append(p.byHash[h], sentProbe{tenant, from, now})
	p.count++
}

// arrived returns whose frame has come in at a port; 0: nobody's that is known. It is forgotten.
func (p *probes) arrived(at netview.Point, frame []byte, now time.Duration, leads func(from, to netview.Point) bool) uint16 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count == 0 {
		return 0
	}
	h := maphash.Bytes(p.seed, frame)
	list := p.byHash[h]
	for i, s := range list {
		if now-s.at <= probeLife && leads(s.from, at) {
			p.byHash[h] = append(list[:i:i], list[i+1:]...)
			p.count--
			if len(p.byHash[h]) == 0 {
				delete(p.byHash, h)
			}
			return s.tenant
		}
	}
	return 0
}

// sweep forgets what is older than probeLife.
func (p *probes) sweep(now time.Duration) {
	p.swept, p.count = now, 0
	for h, list := range p.byHash {
		first := 0
		for first < len(list) && now-list[first].at > probeLife {
			first++
		}
		if first == len(list) {
			delete(p.byHash, h)
			continue
		}
		p.byHash[h] = list[first:]
		p.count += len(list) - first
	}
}
