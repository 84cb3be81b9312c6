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
	return w.view.transact(func(tables *working) { do(&DesiredTx{tables, w.owner}) })
}

// Put is Update with one Put.
func (w *Desired) Put(r Rule) Revision {
	return w.Update(func(tx *DesiredTx) { tx.Put(r) })
}

// Delete is Update with one Delete.
func (w *Desired) Delete(key RuleKey) Revision {
	return w.Update(func(tx *DesiredTx) { tx.Delete(key) })
}

// DesiredTx is a running transaction; it is valid inside Update only.
type DesiredTx struct {
	tables *working
	owner  string
}

// Put desires one rule, whatever else this owner desires; Owner, Revision, State, Reason and Reporter of the
// rule are ignored. It costs the logarithm of the number of rules, and is otherwise as Set: of a rule that is
// desired already as it is nothing changes, and if another owner desires the same key already ours waits.
func (tx *DesiredTx) Put(r Rule) {
	key := r.Key()
	tx.put(key, r, tx.mine(key))
}

// Delete withdraws one rule, if this owner desires it. It costs the logarithm of the number of rules.
func (tx *DesiredTx) Delete(key RuleKey) {
	if old := tx.mine(key); old != nil {
		tx.withdraw(key, old)
	}
}

// mine finds this owner's claim to a key.
func (tx *DesiredTx) mine(key RuleKey) (mine *ownedRule) {
	tx.tables.rules.ascend(claim{key: key}, func(c claim, r *ownedRule) bool {
		if c.key == key && r.Owner == tx.owner {
			mine = r
		}
		return c.key == key && mine == nil
	})
	return mine
}

// put claims a key for a rule.
func (tx *DesiredTx) put(key RuleKey, r Rule, old *ownedRule) {
	r.Owner, r.State, r.Reason, r.Reporter, r.Revision = tx.owner, RulePending, "", "", tx.tables.revision
	tx.claim(key, r, old)
}

// Set replaces all rules that this owner desires at a switch, and costs the number of rules of all owners
// there; DPID of rules is ignored, and so is what Put ignores. The state of an unchanged rule is kept;
// new and changed ones become pending. If another owner desires the same key already, that one stays
// and ours is refused: RuleFailed, with the reason, in Snapshot.Conflicts; it takes over when the other
// is withdrawn. The slices inside rules belong to the view from then on. Of several with the same key
// the last counts.
func (tx *DesiredTx) Set(dpid DPID, rules []Rule) {
	mine := make(map[RuleKey]*ownedRule)
	var keys []RuleKey
	tx.tables.rules.ascend(firstClaim(dpid), func(c claim, r *ownedRule) bool {
		if c.key.DPID == dpid && r.Owner == tx.owner {
			mine[c.key] = r
			keys = append(keys, c.key)
		}
		return c.key.DPID == dpid
	})
	desired := make(map[RuleKey]bool, len(rules))
	for i := range slices.Backward(rules) {
		r := rules[i]
		r.DPID = dpid
		key := r.Key()
		if desired[key] {
			continue
		}
		desired[key] = true
		tx.put(key, r, mine[key])
	}
	for _, key := range keys {
		if !desired[key] {
			tx.withdraw(key, mine[key])
		}
	}
}

// claim adds a rule, in place of an older one of the same owner and key if there is one.
func (tx *DesiredTx) claim(key RuleKey, r Rule, old *ownedRule) {
	w := tx.tables
	if old != nil && sameRule(&old.Rule, &r) {
		return
	}
	next := &ownedRule{Rule: r}
	if old != nil {
		next.turn = old.turn
	} else {
		w.nextSeq++
		next.turn = w.nextSeq
	}
	if first, _ := holder(w.rules.rows, key); first != nil && first.turn < next.turn {
		next.State, next.Reason = RuleFailed, "desired by "+first.Owner+" already"
		w.rules.put(claim{key, next.turn}, next)
		return
	}
	w.rules.put(claim{key, next.turn}, next)
	w.record(Change{Kind: KindRule, Rule: &next.Rule})
}

// withdraw removes a claim; if it held the key, the next one gets it.
func (tx *DesiredTx) withdraw(key RuleKey, old *ownedRule) {
	w := tx.tables
	held, _ := holder(w.rules.rows, key)
	w.rules.remove(claim{key, old.turn})
	if held != old {
		return
	}
	next, others := holder(w.rules.rows, key)
	if next == nil {
		w.record(Change{Kind: KindRule, Deleted: true, Rule: &old.Rule})
		return
	}
	promoted := *next
	promoted.State, promoted.Reason, promoted.Revision = RulePending, "", w.revision
	w.rules.put(claim{key, promoted.turn}, &promoted)
	w.record(Change{Kind: KindRule, Rule: &promoted.Rule})
	for _, r := range others {
		refused := *r
		refused.Reason = "desired by " + promoted.Owner + " already"
		w.rules.put(claim{key, r.turn}, &refused)
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

// PutMeter desires one meter, whatever else this owner desires.
func (tx *DesiredTx) PutMeter(m Meter) { tx.claimMeter(m, tx.myMeter(m.DPID, m.ID)) }

// DeleteMeter withdraws one meter, if this owner desires it.
func (tx *DesiredTx) DeleteMeter(dpid DPID, id uint32) {
	if old := tx.myMeter(dpid, id); old != nil {
		tx.withdrawMeter(dpid, id, old)
	}
}

// myMeter finds this owner's claim to a meter.
func (tx *DesiredTx) myMeter(dpid DPID, id uint32) (mine *ownedMeter) {
	tx.tables.meters.ascend(meterClaim{dpid: dpid, id: id}, func(c meterClaim, m *ownedMeter) bool {
		same := c.dpid == dpid && c.id == id
		if same && m.owner == tx.owner {
			mine = m
		}
		return same && mine == nil
	})
	return mine
}

// SetMeters replaces all meters that this owner desires at a switch; DPID of meters is ignored. If
// another owner desires the same id already, that one stays, and ours takes over when the other is
// withdrawn. Of several with the same id the last counts.
func (tx *DesiredTx) SetMeters(dpid DPID, meters []Meter) {
	w := tx.tables
	mine := make(map[uint32]*ownedMeter)
	var ids []uint32
	w.meters.ascend(meterClaim{dpid: dpid}, func(c meterClaim, m *ownedMeter) bool {
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
	w := tx.tables
	next := &ownedMeter{Meter: m, owner: tx.owner}
	switch {
	case old == nil:
		w.nextSeq++
		next.turn = w.nextSeq
	case old.Meter == m:
		return
	default:
		next.turn = old.turn
	}
	w.meters.put(meterClaim{m.DPID, m.ID, next.turn}, next)
	if meterHolder(w.meters.rows, m.DPID, m.ID) == next {
		w.record(Change{Kind: KindMeter, Meter: &next.Meter})
	}
}

func (tx *DesiredTx) withdrawMeter(dpid DPID, id uint32, old *ownedMeter) {
	w := tx.tables
	held := meterHolder(w.meters.rows, dpid, id)
	w.meters.remove(meterClaim{dpid, id, old.turn})
	if held != old {
		return
	}
	if next := meterHolder(w.meters.rows, dpid, id); next != nil {
		w.record(Change{Kind: KindMeter, Meter: &next.Meter})
	} else {
		w.record(Change{Kind: KindMeter, Deleted: true, Meter: &old.Meter})
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
