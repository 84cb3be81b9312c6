package connect

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/journal"
	"github.com/weirnet/weir/tenant/vswitch"
)

// slowJournal is one whose outcomes the test tells.
type slowJournal struct {
	mu      sync.Mutex
	full    bool
	records []map[uint32]bool // of each batch: withdrawn
	done    []func(store.Revision, error)
	all     map[uint32][]byte
	changed int
}

func (j *slowJournal) Append(recs []journal.Record, done func(store.Revision, error)) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.full {
		return store.ErrFull
	}
	next := make(map[uint32]bool)
	for _, r := range recs {
		if next[r.Number] = r.Delete; r.Delete {
			delete(j.all, r.Number)
		} else {
			j.all[r.Number] = append([]byte{}, r.Data...)
		}
	}
	j.records, j.done = append(j.records, next), append(j.done, done)
	return nil
}

func (j *slowJournal) Changed(*Switch) { j.changed++ }

// tell tells the first outcome.
func (j *slowJournal) tell(err error) {
	j.mu.Lock()
	f := j.done[0]
	j.done = j.done[1:]
	j.mu.Unlock()
	f(1, err)
}

// saved is what there is.
func (j *slowJournal) saved(t *testing.T) *vswitch.Saved {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	var r vswitch.Records
	for n, data := range j.all {
		r.Add(n, data)
	}
	list, bad := r.End()
	if len(list) != 1 || len(bad) > 0 {
		t.Fatalf("%d switches are in the journal, and %d records of nothing", len(list), len(bad))
	}
	return list[0]
}

// recording returns a switch with a journal.
func recording(t *testing.T) (*Switch, *slowJournal, <-chan []ruleset.Order, *atomic.Int64) {
	j := &slowJournal{all: make(map[uint32][]byte)}
	now := new(atomic.Int64)
	s, orders := virtualWith(t, func(uint32, []byte) {}, func(cfg *Config) {
		cfg.Journal, cfg.ID, cfg.Epoch = j, "0123", time.Unix(1e9, 0)
		cfg.Now = func() time.Duration { return time.Duration(now.Load()) }
	})
	return s, j, orders, now
}

func output1(priority uint16) *openflow.FlowMod {
	return &openflow.FlowMod{Priority: priority, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny, Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(1))}}
}

// restored reports whether the tables can be made as they were, and how many entries they have then.
func restored(t *testing.T, j *slowJournal) (entries int, err error) {
	t.Helper()
	x := j.saved(t)
	again, _ := virtualWith(t, func(uint32, []byte) {}, func(cfg *Config) {
		cfg.Journal, cfg.ID, cfg.Epoch = &slowJournal{all: make(map[uint32][]byte)}, "0123", time.Unix(1e9, 0)
		cfg.Rows.Hold(x.Numbers)
	})
	err = Restore(again, x)
	entries, _, _, _ = again.Counts()
	return entries, err
}

// TestFirstChangeIsMarked: a barrier after the first change waits until the journal says that the tables are being changed; one
// after the next change does not. When nothing has changed for a while the journal says that it has all, and the next change
// is marked again.
func TestFirstChangeIsMarked(t *testing.T) {
	s, j, orders, now := recording(t)
	c := connect(t, s, listen(t))
	change := func(priority uint16) {
		c.send(output1(priority), 1)
		s.Outcomes(outcomes(<-orders, ruleset.Installed))
	}
	change(1)
	c.send(&openflow.BarrierRequest{}, 2)
	c.send(&openflow.EchoRequest{}, 3)
	if h, text := c.next(); h.Type != openflow.TypeEchoReply {
		t.Fatalf("before the journal says that the tables are being changed the controller hears %s", text)
	}
	if _, err := restored(t, j); err == nil {
		t.Error("tables are restored that were being changed")
	}
	j.tell(nil)
	if h, text := c.next(); h.Type != openflow.TypeBarrierReply || h.XID != 2 {
		t.Fatalf("then it hears %s", text)
	}
	change(2)
	c.barrier(4)
	if j.changed != 1 || Save(s) != SaveDelay || Save(s) != saveRest {
		t.Errorf("it was asked for %d times to be saved", j.changed)
	}
	j.tell(nil)
	if wait := Save(s); wait != settleDelay {
		t.Errorf("it is saved again after %s, want %s", wait, settleDelay)
	}
	now.Add(int64(settleDelay))
	if wait := Save(s); wait != SaveDelay {
		t.Errorf("it is saved again after %s, want %s", wait, SaveDelay)
	}
	j.tell(nil)
	if wait := Save(s); wait != 0 {
		t.Errorf("it is saved again after %s, want never", wait)
	}
	if n, err := restored(t, j); n != 2 || err != nil {
		t.Errorf("%d entries are restored (%v), want 2", n, err)
	}
	change(3)
	if _, err := restored(t, j); err == nil || len(j.done) != 1 {
		t.Errorf("the change after that is not marked, or %d batches are", len(j.done))
	}
}

// TestLeftover: the rules of tables that were being changed when Weir ended stay until a controller has been there for a while,
// and what it adds in their places stays then.
func TestLeftover(t *testing.T) {
	s, j, orders, _ := recording(t)
	c := connect(t, s, listen(t))
	for priority := range uint16(3) {
		c.send(output1(priority), 1)
		s.Outcomes(outcomes(<-orders, ruleset.Installed))
	}
	for len(j.done) > 0 {
		j.tell(nil)
	}
	Save(s)
	x := j.saved(t)
	var now atomic.Int64
	again, ordered := virtualWith(t, func(uint32, []byte) {}, func(cfg *Config) {
		cfg.Journal, cfg.ID, cfg.Epoch = &slowJournal{all: make(map[uint32][]byte)}, "0123", time.Unix(1e9, 0)
		cfg.Now = func() time.Duration { return time.Duration(now.Load()) }
		cfg.Rows.Hold(x.Numbers)
	})
	if err := Restore(again, x); err != vswitch.ErrUnsettled {
		t.Fatalf("restored with error %v", err)
	}
	if list := <-ordered; len(list) != 3 || list[0].Remove {
		t.Fatalf("rules that are to stay: %v", list)
	} else {
		again.Outcomes(outcomes(list, ruleset.Installed))
	}
	now.Store(int64(time.Hour))
	if wait := Save(again); wait != time.Second || len(ordered) > 0 {
		t.Fatalf("without a controller something is ordered, or it is saved again after %s", wait)
	}
	c = connect(t, again, listen(t))
	c.send(output1(1), 1)
	again.Outcomes(outcomes(<-ordered, ruleset.Installed))
	now.Add(int64(leftoverFor) - 1)
	if Save(again); len(ordered) > 0 {
		t.Errorf("too soon: %v", <-ordered)
	}
	now.Add(1)
	Save(again)
	list := <-ordered
	if len(list) != 2 || !list[0].Remove || !list[1].Remove {
		t.Errorf("when a controller has been there for %s, ordered is %v", leftoverFor, list)
	}
	again.Outcomes(outcomes(list, ruleset.Removed))
	if n, _, _, waiting := again.Counts(); n != 1 || waiting > 0 || vswitch.Leftover(again.core) > 0 {
		t.Errorf("%d entries, %d orders wait, %d are left over", n, waiting, vswitch.Leftover(again.core))
	}
}

// TestJournalThatTakesNothing: controllers are answered all the same, and all is written when it takes something again.
func TestJournalThatTakesNothing(t *testing.T) {
	s, j, orders, now := recording(t)
	c := connect(t, s, listen(t))
	c.send(output1(1), 1)
	s.Outcomes(outcomes(<-orders, ruleset.Installed))
	c.send(&openflow.BarrierRequest{}, 2)
	c.send(&openflow.EchoRequest{}, 3)
	c.next()
	j.tell(store.ErrUnavailable)
	if h, text := c.next(); h.Type != openflow.TypeBarrierReply {
		t.Fatalf("when the journal has failed the controller hears %s", text)
	}
	j.full = true
	if wait := Save(s); wait != saveRetry {
		t.Errorf("it is saved again after %s, want %s", wait, saveRetry)
	}
	c.barrier(4)
	now.Add(int64(saveRetry))
	j.full = false
	for !Close(s) {
		j.tell(nil)
	}
	if n, err := restored(t, j); n != 1 || err != nil {
		t.Errorf("%d entries are restored (%v), want 1", n, err)
	}
}

// TestStoreThatDoesNotAnswer: barriers wait for the journal for markWait at most.
func TestStoreThatDoesNotAnswer(t *testing.T) {
	s, _, orders, now := recording(t)
	c := connect(t, s, listen(t))
	c.send(output1(1), 1)
	s.Outcomes(outcomes(<-orders, ruleset.Installed))
	c.send(&openflow.BarrierRequest{}, 2)
	c.send(&openflow.EchoRequest{}, 3)
	if h, text := c.next(); h.Type != openflow.TypeEchoReply {
		t.Fatalf("before the journal says that the tables are being changed the controller hears %s", text)
	}
	Save(s)
	now.Add(int64(markWait))
	Save(s)
	if h, text := c.next(); h.Type != openflow.TypeBarrierReply || h.XID != 2 {
		t.Fatalf("then it hears %s", text)
	}
	c.barrier(4)
}

// TestLateRefusalIsMarked: a barrier that follows what the physical switch has changed by itself waits too until the journal says
// that the tables are being changed.
func TestLateRefusalIsMarked(t *testing.T) {
	s, j, orders, now := recording(t)
	c := connect(t, s, listen(t))
	c.send(output1(1), 1)
	list := <-orders
	j.tell(nil)
	c.send(&openflow.BarrierRequest{}, 2)
	c.send(&openflow.EchoRequest{}, 3)
	c.next()
	for Save(s) > 0 {
		if len(j.done) > 0 {
			j.tell(nil)
		}
		now.Add(int64(settleDelay))
	}
	if n, err := restored(t, j); n != 1 || err != nil {
		t.Fatalf("%d entries are restored (%v), want 1", n, err)
	}
	s.Outcomes(outcomes(list, ruleset.Refused))
	if h, text := c.next(); h.Type != openflow.TypeError {
		t.Fatalf("of the refusal the controller hears %s", text)
	}
	c.send(&openflow.EchoRequest{}, 4)
	if h, text := c.next(); h.Type != openflow.TypeEchoReply {
		t.Fatalf("before the journal says that the tables are being changed it hears %s", text)
	}
	j.tell(nil)
	if h, text := c.next(); h.Type != openflow.TypeBarrierReply || h.XID != 2 {
		t.Fatalf("then it hears %s", text)
	}
}
