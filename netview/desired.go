package netview

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/weirnet/weir/openflow"
)

// ownedRule is a desired rule and its claim's sequence number.
type ownedRule struct {
	Rule
	turn uint64
}

// ownedMeter is a desired meter, its owner, and its claim's sequence number.
type ownedMeter struct {
	Meter
	owner string
	turn  uint64
}

// Desired writes one application's firm rules and meters.
type Desired struct {
	view  *View
	owner string
}

// Desired returns the writer of an application's desired rules. Each name has one owner: a second
// call with it panics.
func (v *View) Desired(owner string) *Desired {
	v.own(fmt.Sprintf("Desired(%q)", owner))
	return &Desired{v, owner}
}

// Update runs one transaction and returns the revision that shows it, published when Update
// returns. If do panics nothing of it is.
func (w *Desired) Update(do func(tx *DesiredTx)) Revision {
	return w.view.transact(func() { do(&DesiredTx{w.view, w.owner}) })
}

// DesiredTx is a running transaction; it is valid inside Update only.
type DesiredTx struct {
	view  *View
	owner string
}

// Set replaces all rules that this owner desires at a switch; DPID, Owner, State and Reason of
// rules are ignored. The state of an unchanged rule is kept; new and changed ones become pending.
// If another owner desires the same key already, that one stays and ours is refused: RuleFailed,
// with the reason, in Snapshot.Conflicts; it takes over when the other is withdrawn. The slices
// inside rules belong to the view from then on. Of several with the same key the last counts.
func (tx *DesiredTx) Set(dpid DPID, rules []Rule) {
	v := tx.view
	mine := make(map[RuleKey]*ownedRule)
	var keys []RuleKey
	v.rules.ascend(firstClaim(dpid), func(c claim, r *ownedRule) bool {
		if c.key.DPID == dpid && r.Owner == tx.owner {
			mine[c.key] = r
			keys = append(keys, c.key)
		}
		return c.key.DPID == dpid
	})
	desired := make(map[RuleKey]bool, len(rules))
	for i := range slices.Backward(rules) {
		r := rules[i]
		r.DPID, r.Owner, r.State, r.Reason = dpid, tx.owner, RulePending, ""
		key := r.Key()
		if desired[key] {
			continue
		}
		desired[key] = true
		tx.claim(key, r, mine[key])
	}
	for _, key := range keys {
		if !desired[key] {
			tx.withdraw(key, mine[key])
		}
	}
}

// claim adds a rule, in place of an older one of the same owner and key if there is one.
func (tx *DesiredTx) claim(key RuleKey, r Rule, old *ownedRule) {
	v := tx.view
	if old != nil && sameRule(&old.Rule, &r) {
		return
	}
	next := &ownedRule{Rule: r}
	if old != nil {
		next.turn = old.turn
	} else {
		v.nextSeq++
		next.turn = v.nextSeq
	}
	if first, _ := holder(v.rules.rows, key); first != nil && first.turn < next.turn {
		next.State, next.Reason = RuleFailed, "desired by "+first.Owner+" already"
		v.rules.put(claim{key, next.turn}, next)
		return
	}
	v.rules.put(claim{key, next.turn}, next)
	v.record(Change{Kind: KindRule, Rule: &next.Rule})
}

// withdraw removes a claim; if it held the key, the next one gets it.
func (tx *DesiredTx) withdraw(key RuleKey, old *ownedRule) {
	v := tx.view
	held, _ := holder(v.rules.rows, key)
	v.rules.remove(claim{key, old.turn})
	if held != old {
		return
	}
	next, others := holder(v.rules.rows, key)
	if next == nil {
		v.record(Change{Kind: KindRule, Deleted: true, Rule: &old.Rule})
		return
	}
	promoted := *next
	promoted.State, promoted.Reason = RulePending, ""
	v.rules.put(claim{key, promoted.turn}, &promoted)
	v.record(Change{Kind: KindRule, Rule: &promoted.Rule})
	for _, r := range others {
		refused := *r
		refused.Reason = "desired by " + promoted.Owner + " already"
		v.rules.put(claim{key, r.turn}, &refused)
	}
}

// holder returns the first claim to a key, and the others.
func holder(rules rows[claim, ownedRule], key RuleKey) (first *ownedRule, others []*ownedRule) {
	rules.ascend(claim{key: key}, func(c claim, r *ownedRule) bool {
		switch {
		case c.key != key:
			return false
		case first == nil:
			first = r
		default:
			others = append(others, r)
		}
		return true
	})
	return first, others
}

// SetMeters replaces all meters that this owner desires at a switch; DPID of meters is ignored. If
// another owner desires the same id already, that one stays, and ours takes over when the other is
// withdrawn. Of several with the same id the last counts.
func (tx *DesiredTx) SetMeters(dpid DPID, meters []Meter) {
	v := tx.view
	mine := make(map[uint32]*ownedMeter)
	var ids []uint32
	v.meters.ascend(meterClaim{dpid: dpid}, func(c meterClaim, m *ownedMeter) bool {
		if c.dpid == dpid && m.owner == tx.owner {
			mine[c.id] = m
			ids = append(ids, c.id)
		}
		return c.dpid == dpid
	})
	desired := make(map[uint32]bool, len(meters))
	for _, m := range slices.Backward(meters) {
		if !desired[m.ID] {
			m.DPID = dpid
			desired[m.ID] = true
			tx.claimMeter(m, mine[m.ID])
		}
	}
	for _, id := range ids {
		if !desired[id] {
			tx.withdrawMeter(dpid, id, mine[id])
		}
	}
}

func (tx *DesiredTx) claimMeter(m Meter, old *ownedMeter) {
	v := tx.view
	next := &ownedMeter{Meter: m, owner: tx.owner}
	switch {
	case old == nil:
		v.nextSeq++
		next.turn = v.nextSeq
	case old.Meter == m:
		return
	default:
		next.turn = old.turn
	}
	v.meters.put(meterClaim{m.DPID, m.ID, next.turn}, next)
	if meterHolder(v.meters.rows, m.DPID, m.ID) == next {
		v.record(Change{Kind: KindMeter, Meter: &next.Meter})
	}
}

func (tx *DesiredTx) withdrawMeter(dpid DPID, id uint32, old *ownedMeter) {
	v := tx.view
	held := meterHolder(v.meters.rows, dpid, id)
	v.meters.remove(meterClaim{dpid, id, old.turn})
	if held != old {
		return
	}
	if next := meterHolder(v.meters.rows, dpid, id); next != nil {
		v.record(Change{Kind: KindMeter, Meter: &next.Meter})
	} else {
		v.record(Change{Kind: KindMeter, Deleted: true, Meter: &old.Meter})
	}
}

func meterHolder(meters rows[meterClaim, ownedMeter], dpid DPID, id uint32) (first *ownedMeter) {
	meters.ascend(meterClaim{dpid: dpid, id: id}, func(c meterClaim, m *ownedMeter) bool {
		if c.dpid == dpid && c.id == id {
			first = m
		}
		return false
	})
	return first
}

// sameRule reports whether the switch would hold the same entry for both. Their keys are equal.
func sameRule(a, b *Rule) bool {
	return a.Cookie == b.Cookie && slices.EqualFunc(a.Instructions, b.Instructions, sameInstruction)
}

func sameInstruction(a, b openflow.Instruction) bool {
	return a.Type == b.Type && a.Table == b.Table && a.Meter == b.Meter && a.Metadata == b.Metadata &&
		a.MetadataMask == b.MetadataMask && a.Experimenter == b.Experimenter && bytes.Equal(a.Data, b.Data) &&
		slices.EqualFunc(a.Actions, b.Actions, sameAction)
}

func sameAction(a, b openflow.Action) bool {
	return a.Type == b.Type && a.TTL == b.TTL && a.EtherType == b.EtherType && a.MaxLen == b.MaxLen &&
		a.Port == b.Port && a.ID == b.ID && bytes.Equal(a.Data, b.Data)
}
