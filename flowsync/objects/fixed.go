package objects

import (
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset/object"
)

// Fix says that a meter with a fixed number (of those below plan.MeterProtectionFirst) is wanted, which drops packets
// above a rate.
func (t *Table) Fix(number, rate, burst uint32) {
	r := t.byNumber[meters][number]
	if r == nil {
		r = &row{kind: meters, fixed: true}
		t.number(r, number)
	}
	if !r.desired && r.held != nothing { // rules that were sent without it may have it
		t.fixed = append(t.fixed, r.number)
	}
	r.desired, r.stale = true, false
	m, err := object.NewMeter(object.PacketsPerSecond, openflow.Band{Type: openflow.BandDrop, Rate: rate, Burst: burst})
	switch {
	case err != nil:
		t.becomesOther(r)
		r.content = nil
		t.refuse(r, &Refusal{Reason: err.Error()})
	case r.content == nil || *r.content.Digest() != *m.Digest():
		t.becomesOther(r)
		r.content, r.refusal = m, nil
	}
	t.touch(r)
}

// becomesOther says that the content of a row changes: if the switch has it, it has another one from then on.
func (t *Table) becomesOther(r *row) {
	if r.held == it {
		t.set(r, something)
		r.other = r.content.String()
	}
}

// Unfix says that a meter with a fixed number is not wanted any more. It is deleted when no rule uses it.
func (t *Table) Unfix(number uint32) {
	if r := t.byNumber[meters][number]; r != nil {
		r.desired, r.refusal = false, nil
		t.touch(r)
	}
}

// Fixed returns the meters with fixed numbers that are wanted, by number.
func (t *Table) Fixed() (numbers []uint32) {
	for _, r := range t.all() {
		if r.fixed && r.desired {
			numbers = append(numbers, r.number)
		}
	}
	return numbers
}

// Refused returns why a meter with a fixed number is wanted and not at the switch; "" if it is, or was not refused.
func (t *Table) Refused(number uint32) string {
	if r := t.byNumber[meters][number]; r != nil && r.fixed && r.refusal != nil && r.held == nothing {
		return r.refusal.Reason
	}
	return ""
}
