package forward

import (
	"github.com/weirnet/weir/app/forward/admission"
	"github.com/weirnet/weir/app/forward/outlet"
	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/topology"
)

// Datapath is a switch with its connection and the pairs that enter the network there. It outlives
// the switch's sessions, since the switch keeps its rules.
type Datapath struct {
	target
	ingress
	installer installer
	moves     moves

	hops []topology.Hop // scratch of PacketIn
}

func newDatapath(dpid netview.DPID, s *shared) *Datapath {
	d := &Datapath{target: target{id: dpid}}
	d.ingress = ingress{shared: s, at: &d.target, installs: make(map[pairs.Pair]*install),
		quota: admission.NewQuota(s.cfg.MaxPairsPort)}
	d.installer.ingress = &d.ingress
	d.installer.send = sender{shared: s, at: &d.target, Writer: outlet.NewWriter(&s.count.Counts)}
	d.installer.waiting = waiting{shared: s, sender: &d.installer.send}
	d.moves.installer = &d.installer
	return d
}

// BatchEnd is called on the goroutine that reads from the switch when all input that had arrived is
// handled: one barrier to each switch written to confirms the rules of all pairs of the batch
// there.
func (d *Datapath) BatchEnd() {
	d.switches.heard(d.silence.hears(d.clock.beats.Load()))
	d.installer.batchEnd()
}

// FlowRemoved forgets the pair whose ingress rule expired or was removed. It is called on the
// goroutine that reads from the switch.
func (d *Datapath) FlowRemoved(m *openflow.FlowRemoved) {
	if !d.paths.Ours(m.Cookie) {
		return
	}
	pr, ok := pairs.OfMatch(m.Match)
	if !ok {
		return
	}
	d.mu.Lock()
	fl, known := d.pairs.Get(pr)
	if known && d.paths.WroteIngress(fl, m.Cookie) {
		d.expired(pr, fl, m.Reason)
	}
	d.mu.Unlock()
	if !d.paths.ThisRun(m.Cookie) {
		d.inherited.expired(d.id, pr, m.Cookie)
	}
}

// Refused handles the refusal of a pair's rule, identified by match and cookie. It is called on the
// goroutine that reads from the switch, before the answer to the barrier that follows the rule.
func (d *Datapath) Refused(m openflow.Match, cookie uint64, code openflow.ErrorCode) {
	pr, ok := pairs.OfMatch(m)
	if !ok {
		return
	}
	d.count.Refused.Add(1)
	d.refusals.refused(&d.target, code)
	d.giveUp(pr, cookie)
	if p := d.paths.ByCookie(cookie, d.id); p != nil && p.Ingress() != d.id {
		if ingress := d.switches.get(p.Ingress()); ingress != nil {
			ingress.giveUp(pr, cookie)
		}
	}
}

// giveUp fails an install of a pair or, if the pair's first rule was refused, forgets the
// pair.
func (d *Datapath) giveUp(pr pairs.Pair, cookie uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.installer.giveUp(pr) {
		return
	}
	if fl, ok := d.pairs.Get(pr); ok && d.paths.WroteIngress(fl, cookie) {
		d.remove(pr, fl)
	}
}

// deleteRule deletes a rule of a pair here.
func (d *Datapath) deleteRule(out *outlet.Conn, pr pairs.Pair, cookie uint64, port uint32) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.installer.send.Delete(out, pr, cookie, port)
}
