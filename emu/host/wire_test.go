package host

import (
	"container/heap"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/weirnet/weir/packet"
)

// hub is a wire that joins hosts: what one sends all others get, after a delay, unless it is lost.
// It knows what it did.
type hub struct {
	t       testing.TB
	hosts   []*Host
	now     time.Duration
	events  arrivalQueue
	order   int
	random  *rand.Rand
	delay   time.Duration
	jitter  time.Duration // more delay, up to this: reorders
	loss    float64
	dup     float64
	lose    func(frame []byte) bool // further frames to lose
	seen    func(at time.Duration, from int, frame []byte, lost bool)
	arrived func(to int, frame []byte)
}

// arrival is a frame in flight.
type arrival struct {
	at    time.Duration
	order int
	to    int
	frame []byte
}

type arrivalQueue []arrival

func (q arrivalQueue) Len() int { return len(q) }
func (q arrivalQueue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].order < q[j].order
}
func (q arrivalQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *arrivalQueue) Push(x any)   { *q = append(*q, x.(arrival)) }
func (q *arrivalQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// plug is one host's end of a hub.
type plug struct {
	w    *hub
	from int
}

func (p plug) Send(frame []byte) {
	w := p.w
	if len(frame) < packet.EthernetLen {
		w.t.Errorf("a frame of %d bytes", len(frame))
	}
	lost := w.loss > 0 && w.random.Float64() < w.loss || w.lose != nil && w.lose(frame)
	if w.seen != nil {
		w.seen(w.now, p.from, frame, lost)
	}
	if lost {
		return
	}
	copies := 1
	if w.dup > 0 && w.random.Float64() < w.dup {
		copies = 2
	}
	for range copies {
		for to := range w.hosts {
			if to != p.from {
				at := w.now + w.delay
				if w.jitter > 0 {
					at += time.Duration(w.random.Int64N(int64(w.jitter)))
				}
				if w.order++; w.order > maxCarried {
					w.t.Fatalf("%d frames: they never end", w.order)
				}
				heap.Push(&w.events, arrival{at: at, order: w.order, to: to, frame: append([]byte(nil), frame...)})
			}
		}
	}
}

// maxCarried is more frames than any test causes.
const maxCarried = 2_000_000

func newHub(t testing.TB, seed uint64) *hub {
	return &hub{t: t, random: rand.New(rand.NewPCG(seed, 0)), delay: time.Millisecond}
}

// add attaches a host.
func (w *hub) add(cfg Config) *Host {
	w.t.Helper()
	h, err := New(cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	w.hosts = append(w.hosts, h)
	return h
}

// run lets time pass, event by event.
func (w *hub) run(d time.Duration) {
	end := w.now + d
	for {
		next, due := end+1, -1
		for i, h := range w.hosts {
			if at, ok := h.Step(w.now, plug{w, i}); ok && at < next {
				next, due = max(at, w.now), i
			}
		}
		if len(w.events) > 0 && w.events[0].at <= next {
			e := heap.Pop(&w.events).(arrival)
			if e.at > end {
				heap.Push(&w.events, e)
				break
			}
			w.now = max(w.now, e.at)
			if w.arrived != nil {
				w.arrived(e.to, e.frame)
			}
			w.hosts[e.to].Receive(e.frame, w.now, plug{w, e.to})
			continue
		}
		if due < 0 {
			break
		}
		w.now = next
	}
	w.now = end
}

// config is host n, numbered from 1: 02:00:00:00:00:0n, 10.0.0.n/8, fd00::n/64.
func config(n byte) Config {
	v6 := [16]byte{0: 0xfd, 15: n}
	return Config{Name: "h" + string('0'+rune(n)), MAC: packet.MAC{2, 0, 0, 0, 0, n},
		IPv4: netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 0, 0, n}), 8),
		IPv6: netip.PrefixFrom(netip.AddrFrom16(v6), 64), Seed: uint64(n)}
}

// pair is two hosts on a hub.
func pair(t testing.TB, seed uint64) (w *hub, a, b *Host) {
	w = newHub(t, seed)
	return w, w.add(config(1)), w.add(config(2))
}

var (
	addr4 = netip.MustParseAddr("10.0.0.2")
	addr6 = netip.MustParseAddr("fd00::2")
)

// Sinks are the flows that have arrived here; the slice is the host's.
func (h *Host) Sinks() []*Sink { return h.udp.sinkRow }
