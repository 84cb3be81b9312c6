package vswitch

import (
	"slices"

	"github.com/weirnet/weir/plan"
)

// recorded is what has a record in the journal: a row, a group or a meter, or the switch itself.
type recorded interface {
	// journal returns what is known of the record.
	journal() *record
	// appendRecord appends the record to b; false if there is to be none: the row, the group or the meter is gone.
	appendRecord(b []byte, s *Switch) ([]byte, bool)
}

// record is what is known of one in the journal. Its number is that of a row, also of what is none.
type record struct {
	number  uint32
	listed  bool // among those that are to be written
	writing bool // by a Batch that has no outcome
	kept    bool // the journal may have one
	freed   bool // the number is free when the journal has none
}

func (r *record) journal() *record { return r }

// unsaved are those that are not in the journal as they are now.
type unsaved struct {
	rows *Rows
	list []recorded
	head *head  // nil: nothing is recorded
	data []byte // memory for a record
}

// begin has what changes from now on be recorded.
func (u *unsaved) begin() {
	u.head = &head{record: record{number: u.rows.take().number}, settled: true}
}

// Batch is what goes into the journal together.
type Batch struct{ of []written }

type written struct {
	what recorded
	gone bool // the record is withdrawn
}

// changed notes that something is to be written.
func (u *unsaved) changed(x recorded) {
	if r := x.journal(); u.head != nil && !r.listed {
		r.listed = true
		u.list = append(u.list, x)
	}
}

// headChanged notes that the record of the switch is to be written, if there is one: the first comes with what it is the head
// of.
func (u *unsaved) headChanged() {
	if u.head != nil && u.head.kept {
		u.changed(u.head)
	}
}

// release gives the number of what is gone back, as soon as the journal has nothing of it: what another switch writes under
// this number comes after that.
func (u *unsaved) release(x recorded) {
	r := x.journal()
	if r.freed = true; !r.listed && !r.writing && !r.kept {
		u.giveBack(x)
	}
}

func (u *unsaved) giveBack(x recorded) {
	r := freeRow{number: x.journal().number}
	if row, is := x.(*row); is {
		r.incarnation = row.incarnation
	}
	u.rows.give(r)
}

// Unsaved reports whether something of a switch is to be written into the journal.
func Unsaved(s *Switch) bool { return len(s.unsaved.list) > 0 }

// Save calls write for each record that is to be written, up to so many bytes: with its number in the journal and its bytes,
// which are valid during the call; nil if it is to be withdrawn. What has become of them is told by Saved. Settled has the
// record of the switch say that all of it is in the journal, or not.
func (s *Switch) Save(bytes int, settled bool, write func(number uint32, data []byte)) *Batch {
	b, u := new(Batch), &s.unsaved
	// The head is written again with what follows it, while it is not known whether it was written.
	if h := u.head; !h.freed && (h.settled != settled || !h.kept || h.listed || h.writing) {
		h.settled = settled
		b.add(h, s, write)
	}
	done := 0
	for size := 0; done < len(u.list) && size < bytes; done++ {
		x := u.list[done]
		if u.list[done] = nil; x.journal().listed {
			size += b.add(x, s, write)
		}
	}
	if u.list = u.list[done:]; len(u.list) == 0 {
		u.list = nil
	}
	return b
}

// add writes a record of a switch, and returns its size.
func (b *Batch) add(x recorded, s *Switch, write func(uint32, []byte)) int {
	r, u := x.journal(), &s.unsaved
	data, is := x.appendRecord(u.data[:0], s)
	u.data = data
	switch r.listed = false; {
	case is:
		write(plan.TenantOwner(s.cfg.Tenant, r.number), data)
	case r.kept:
		write(plan.TenantOwner(s.cfg.Tenant, r.number), nil)
	default:
		if r.freed {
			u.giveBack(x)
		}
		return 0
	}
	r.writing, r.kept = true, true
	b.of = append(b.of, written{x, !is})
	return len(data) + 16
}

// Saved takes what has become of a batch: it is in the journal, or nothing of it is. The next batch is taken after that.
func (s *Switch) Saved(b *Batch, ok bool) {
	for _, w := range b.of {
		r := w.what.journal()
		switch r.writing = false; {
		case !ok:
			s.unsaved.changed(w.what)
		case w.gone && !r.listed:
			if r.kept = false; r.freed {
				s.unsaved.giveBack(w.what)
			}
		}
	}
}

// headGone notes that the switch is gone. Its own record is withdrawn first: the others are of nothing then.
func (u *unsaved) headGone() {
	if u.head != nil {
		u.head.listed = true
		u.list = slices.Insert(u.list, 0, recorded(u.head))
		u.release(u.head)
	}
}
