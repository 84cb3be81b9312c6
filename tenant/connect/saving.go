package connect

import (
	"errors"
	"time"

	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/journal"
	"github.com/weirnet/weir/tenant/vswitch"
)

// Journal is where the tables are written. Its methods may be called with the switch's lock held, and never wait.
type Journal interface {
	// Append is journal.Journal's.
	Append(recs []journal.Record, done func(rev store.Revision, err error)) error
	// Changed has Save be called soon.
	Changed(*Switch)
}

// Of what is written into the journal.
const (
	// SaveDelay is how long changes gather before they are written.
	SaveDelay = 20 * time.Millisecond
	// settleDelay is how long nothing changes before the journal is told that it has all.
	settleDelay = 250 * time.Millisecond
	// saveRetry is the pause after the journal has refused something.
	saveRetry  = 100 * time.Millisecond
	saveRest   = 2 * time.Millisecond // before the rest of what was too much for one batch
	batchBytes = 256 << 10
	// markWait is how long barriers wait for a store that does not answer.
	markWait = 5 * time.Second
)

// saving is what is known of the tables in the journal. Before the first change after a time without changes is confirmed, the
// journal says that the tables are being changed: who reads it after a crash knows that it may not have the last changes.
type saving struct {
	marked  bool             // the journal says so, or will before whatever is appended from now on
	marking int              // it is not known yet that it says so
	since   time.Duration    // the first of these was appended
	late    bool             // that is longer ago than markWait: barriers do not wait any more
	held    []vswitch.Origin // barriers, which wait for that
	retry   time.Duration    // no mark is tried before

	batch   *vswitch.Batch // that is being written
	begun   time.Duration  // when it was appended
	quiet   time.Duration  // of the last batch: nothing has changed since
	filling time.Duration  // when the first controller connected; 0: none has
	listed  bool           // Save will be called
	closing bool           // it is to be settled at once
	closed  bool           // nothing is written any more

	records []journal.Record // scratch
	data    []byte           // scratch
}

// saveOutcome is what has become of a batch.
type saveOutcome struct {
	batch *vswitch.Batch
	mark  bool
	ok    bool
}

// note has what has changed be written. The lock is held.
func (v *saving) note(s *Switch) {
	if s.cfg.Journal == nil || v.closed || !vswitch.Unsaved(s.core) {
		return
	}
	if !v.listed {
		v.listed = true
		s.cfg.Journal.Changed(s)
	}
	if v.marked || s.gone {
		return
	}
	if now := s.cfg.Now(); now >= v.retry {
		if v.append(s, 0, false, true) == nil {
			v.retry = now + saveRetry
		}
	}
}

// holds takes a barrier, which is to be answered, and reports whether it waits: what has changed before it is noted first. The
// lock is held.
func (v *saving) holds(s *Switch, who vswitch.Origin) bool {
	if v.note(s); v.marking == 0 || v.late {
		return false
	}
	v.held = append(v.held, who)
	return true
}

// answer answers the barriers that wait. The lock is held.
func (v *saving) answer(s *Switch) {
	held := v.held
	v.held = nil
	for _, who := range held {
		(*output)(s).Confirmed(who)
	}
}

// append appends up to so many bytes of what has changed, and what the journal is to say of it all; nil if it was refused. Mark:
// barriers wait for it. The lock is held.
func (v *saving) append(s *Switch, bytes int, settled, mark bool) *vswitch.Batch {
	v.records, v.data = v.records[:0], v.data[:0]
	batch := s.core.Save(bytes, settled, func(number uint32, data []byte) {
		v.data = append(v.data, data...)
		v.records = append(v.records, journal.Record{Number: number, Delete: data == nil, Data: data[:len(data):len(data)]})
	})
	from := 0
	for i := range v.records { // the memory may have moved
		n := len(v.records[i].Data)
		v.records[i].Data = v.data[from : from+n]
		from += n
	}
	err := s.cfg.Journal.Append(v.records, func(_ store.Revision, err error) {
		s.inbox.postSaved(saveOutcome{batch, mark, err == nil})
		s.collect()
	})
	if err != nil {
		s.core.Saved(batch, false)
		return nil
	}
	if v.marked = !settled; mark {
		if v.marking++; v.marking == 1 {
			v.since, v.late = s.cfg.Now(), false
		}
	}
	return batch
}

// leftoverFor is how long rules of tables that could not be restored stay after a controller has connected, which may fill
// them again.
const leftoverFor = 10 * time.Second

// Save writes what has changed of a switch. It returns after how long it is to be called again; 0: not before Journal.Changed.
func Save(s *Switch) (again time.Duration) {
	began := s.cfg.Now()
	s.mu.Lock()
	again = s.saving.save(s)
	if s.unlock() {
		s.give()
	}
	if s.cfg.Account != nil {
		s.cfg.Account.Charge(s.cfg.Now() - began)
	}
	return again
}

// save is Save, with the lock held.
func (v *saving) save(s *Switch) (again time.Duration) {
	now := s.cfg.Now()
	if v.marking > 0 && !v.late && now-v.since >= markWait {
		v.late = true
		v.answer(s)
	}
	if vswitch.Leftover(s.core) > 0 && v.filling > 0 && now >= v.filling+leftoverFor {
		vswitch.EndLeftover(s.core, now, (*output)(s))
	}
	switch {
	case v.batch != nil:
		return min(max(now-v.begun, saveRest), settleDelay)
	case vswitch.Unsaved(s.core):
		v.quiet, v.begun = now, now
		if v.batch = v.append(s, batchBytes, false, !v.marked); v.batch == nil {
			return saveRetry
		}
		if vswitch.Unsaved(s.core) {
			return saveRest
		}
		return SaveDelay
	case v.marked && !s.gone && !v.closing && now-v.quiet < settleDelay:
		return settleDelay - (now - v.quiet)
	case v.marked && !s.gone && vswitch.Leftover(s.core) == 0:
		v.begun = now
		if v.batch = v.append(s, 0, true, false); v.batch == nil { // who changes something now says so after that
			return saveRetry
		}
		return SaveDelay
	}
	if vswitch.Leftover(s.core) > 0 && !v.closing {
		return time.Second
	}
	v.listed, v.closed = false, v.closing
	return 0
}

// Close writes all that has changed of a switch, and nothing later. It is called until it returns true: then the journal has it.
func Close(s *Switch) bool {
	s.mu.Lock()
	s.saving.closing = true
	s.mu.Unlock()
	return Save(s) == 0
}

// take takes what has become of a batch. The lock is held.
func (v *saving) take(s *Switch, o saveOutcome) {
	s.core.Saved(o.batch, o.ok)
	if v.batch == o.batch {
		v.batch = nil
	}
	if !o.ok {
		v.marked, v.retry = false, s.cfg.Now()+saveRetry
	}
	if !o.mark {
		return
	}
	if v.marking--; v.marking == 0 {
		v.answer(s)
	}
}

// empty begins with empty tables, since they cannot be restored. The lock is held.
func (v *saving) empty(s *Switch, why error) {
	if errors.Is(why, vswitch.ErrUnsettled) { // the rules stay; the journal still says that the tables are being changed
		v.marked, v.listed = true, true
		s.cfg.Journal.Changed(s)
		return
	}
	s.core = vswitch.New(s.cfg.Config)
	s.orders = s.orders[:0]
}

// Restore gives a switch, which has no connection yet, the tables of an earlier run. Its ports of then must be there. After an
// error it has no entries, and no ports: but where rules of them stay for now (ErrUnsettled).
func Restore(s *Switch, x *vswitch.Saved) (err error) {
	s.with(func(core *vswitch.Switch, now time.Duration) {
		if err = core.Restore(x, now, (*output)(s)); err != nil {
			s.saving.empty(s, err)
		}
	})
	return err
}
