package connect

import (
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
)

// saving is what is known of the tables in the journal. Before the first change after a time without changes is confirmed, the
// journal says that the tables are being changed: who reads it after a crash knows that it may not have the last changes.
type saving struct {
	marked  bool             // the journal says so, or will before whatever is appended from now on
	marking int              // it is not known yet that it says so
	held    []vswitch.Origin // barriers, which wait for that
	retry   time.Duration    // no mark is tried before

	batch   *vswitch.Batch // that is being written
	quiet   time.Duration  // of the last batch: nothing has changed since
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
		if v.append(s, 0, false, true) != nil {
			v.marked = true
			v.marking++
		} else {
			v.retry = now + saveRetry
		}
	}
}

// append appends up to so many bytes of what has changed, and what the journal is to say of it all; nil if it was refused. The
// lock is held.
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
	return batch
}

// Save writes what has changed of a switch. It returns after how long it is to be called again; 0: not before Journal.Changed.
func Save(s *Switch) (again time.Duration) {
	s.mu.Lock()
	defer s.unlock()
	v, now := &s.saving, s.cfg.Now()
	switch {
	case v.batch != nil:
		return saveRest
	case vswitch.Unsaved(s.core):
		v.quiet = now
		if v.batch = v.append(s, batchBytes, false, false); v.batch == nil {
			return saveRetry
		}
		v.marked = true // the batch says so too
		if vswitch.Unsaved(s.core) {
			return saveRest
		}
		return SaveDelay
	case v.marked && !s.gone && !v.closing && now-v.quiet < settleDelay:
		return settleDelay - (now - v.quiet)
	case v.marked && !s.gone:
		if v.batch = v.append(s, 0, true, false); v.batch == nil {
			return saveRetry
		}
		v.marked = false // who changes something now says so after that
		return SaveDelay
	}
	v.listed = false
	return 0
}

// Close writes all that has changed of a switch, and nothing later. It is called until it returns true: then the journal has it.
func Close(s *Switch) bool {
	s.mu.Lock()
	s.saving.closing = true
	s.mu.Unlock()
	if Save(s) > 0 {
		return false
	}
	s.mu.Lock()
	defer s.unlock()
	s.saving.closed = true
	return true
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
		held := v.held
		v.held = nil
		for _, who := range held {
			(*output)(s).Confirmed(who)
		}
	}
}

// Restore gives a switch, which has no connection yet, the tables of an earlier run. Its ports of then must be there. After an
// error it has neither ports nor entries.
func Restore(s *Switch, x *vswitch.Saved) (err error) {
	s.with(func(core *vswitch.Switch, now time.Duration) {
		if err = core.Restore(x, now, (*output)(s)); err != nil {
			s.core = vswitch.New(s.cfg.Config)
			s.orders = s.orders[:0]
		}
	})
	return err
}
