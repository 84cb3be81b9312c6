package forward

import (
	"fmt"
	"sync"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/topology"
)

// Bounds for switches that refuse rules.
const (
	// RefusedMax is the longest time, in seconds, for which a switch that refuses rules is sent
	// none of new pairs. It starts with one second and doubles; then one pair tries.
	RefusedMax = 60
	// RefusedForgotten is after how many seconds without a refusal such a switch counts as one that
	// takes rules.
	RefusedForgotten = 3 * RefusedMax
	// DirectPerSecond is how many packets a second, of pairs that cannot have a rule, are sent on
	// from the controller.
	DirectPerSecond = 1000
)

// refusal is whether a switch refuses rules of new pairs. Its methods may be called from any
// goroutine.
type refusal struct {
	mu       sync.Mutex
	active   bool
	until    uint32 // second
	doubling uint32
	last     uint32 // second of the last refusal
	probe    uint32 // second in which a pair was admitted as a probe
}

// refused records a refusal and reports whether it is the first.
func (r *refusal) refused(now uint32) (first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first = !r.active
	if first || now >= r.until || r.last < r.probe {
		r.doubling = min(r.doubling+1, 7)
		r.until = now + min(uint32(1)<<(r.doubling-1), RefusedMax)
	}
	r.active, r.last = true, now
	return first
}

// admits reports whether a new pair may be tried now.
func (r *refusal) admits(now uint32) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !r.active:
		return true
	case now < r.until:
		return false
	}
	r.probe, r.until = now, now+1
	return true
}

// over reports, once, whether the switch has stopped refusing: the last try was not refused, or
// none was made for long.
func (r *refusal) over(now uint32) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.active || !(r.probe > r.last && now > r.probe) && now-r.last < RefusedForgotten {
		return false
	}
	r.active, r.until, r.doubling, r.last, r.probe = false, 0, 0, 0, 0
	return true
}

// Refused handles the refusal of a pair's rule, identified by match and cookie. It is called on the
// goroutine that reads from the switch, before the answer to the barrier that follows the rule.
func (d *Datapath) Refused(m openflow.Match, cookie uint64, code openflow.ErrorCode) {
	f := d.f
	pr, ok := pairOfMatch(m)
	if !ok {
		return
	}
	f.count.Refused.Add(1)
	if d.refusal.refused(f.seconds.Load()) {
		f.refusing.Add(1)
		if f.cfg.Alarms != nil {
			f.cfg.Alarms.Raise(netview.AlarmTableFull, d.id.String(), fmt.Sprintf(
				"refuses the rules of pairs (%s): their packets go by the controller, %d a second at most", code,
				DirectPerSecond))
		}
	}
	d.giveUpRefused(pr, cookie)
	if p := f.paths.byCookie(cookie, f.thisGeneration(cookie), d.id); p != nil && p.hops[0].DPID != d.id {
		if ingress := f.datapath(p.hops[0].DPID); ingress != nil {
			ingress.giveUpRefused(pr, cookie)
		}
	}
}

// giveUpRefused fails an install of a pair or, if the pair's first rule was refused, forgets the
// pair.
func (d *Datapath) giveUpRefused(pr pair, cookie uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if w := d.installs[pr]; w != nil {
		w.failed = true
		w.refused = true
		return
	}
	if fl, ok := d.pairs.get(pr); ok && d.f.wroteIngress(fl, cookie) {
		d.removeFlow(pr, fl)
	}
}

// accepts reports whether the switches of these hops may be sent the rule of a pair; those that an
// older path crosses too may always, since it replaces one. It costs one load while no switch
// refuses anything.
func (f *Forward) accepts(hops []topology.Hop, old *path) bool {
	if f.refusing.Load() == 0 {
		return true
	}
	for _, h := range hops {
		if d := f.datapath(h.DPID); d != nil && (old == nil || old.indexOf(h.DPID) < 0) && !d.admits() {
			return false
		}
	}
	return true
}

// admits reports whether this switch may be sent the rule of a new pair.
func (d *Datapath) admits() bool {
	return d.f.refusing.Load() == 0 || d.refusal.admits(d.f.seconds.Load())
}

// withdraw deletes the ingress rule of a pair whose path is broken and that can have no other, so
// that its packets come to the controller. d.mu is held.
func (d *Datapath) withdraw(out *switchConn, pr pair, fl flow, old *path) {
	if d.deleteRule(out, pr, d.f.cookieAt(old, 0), fl.out) {
		d.endPair(pr, fl)
	} else {
		d.retryMoves = true
	}
}

// directHeld sends on the packets that waited for a rule which was refused. d.mu is held.
func (d *Datapath) directHeld(out *switchConn, w *install) {
	d.heldPackets -= len(w.held)
	for _, h := range w.held {
		d.sendDirect(out, h.inPort, w.pr, h.frame)
	}
	w.held = nil
}

// sendUnruled sends a packet on for which no rule may be written, unless the switch has forwarded it
// itself. d.mu is held.
func (d *Datapath) sendUnruled(out *switchConn, pin *openflow.PacketIn, pr pair, copied bool) {
	if !copied {
		d.sendDirect(out, pin.InPort, pr, wholeFrame(pin))
	}
}

// wholeFrame returns the packet's bytes, nil if the switch sent only its beginning.
func wholeFrame(pin *openflow.PacketIn) []byte {
	if len(pin.Data) < int(pin.TotalLen) {
		return nil
	}
	return pin.Data
}

// acceptsAgain records that a switch has stopped refusing rules.
func (f *Forward) acceptsAgain(d *Datapath) {
	f.refusing.Add(-1)
	if f.cfg.Alarms != nil {
		f.cfg.Alarms.Clear(netview.AlarmTableFull, d.id.String())
	}
}

// sendDirect sends a packet of a pair that can have no rule straight to its destination's switch;
// d.mu is held. Packets above DirectPerSecond and truncated ones are dropped.
func (d *Datapath) sendDirect(out *switchConn, inPort uint32, pr pair, frame []byte) {
	f := d.f
	dst, known := f.hosts.get(pr.dstKey())
	if !known || len(frame) == 0 || f.directsLeft.Add(-1) < 0 {
		f.count.NoPath.Add(1)
		return
	}
	f.count.Unruled.Add(1)
	if dst.at.DPID == d.id {
		d.release(out, openflow.NoBuffer, inPort, dst.at.Port, frame)
		return
	}
	if to := f.connOf(dst.at.DPID); to != nil {
		d.release(to, openflow.NoBuffer, openflow.PortController, dst.at.Port, frame)
		to.Flush()
	}
}
