package tenancy

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/journal"
	"github.com/weirnet/weir/tenant"
	"github.com/weirnet/weir/tenant/connect"
	"github.com/weirnet/weir/tenant/vswitch"
)

// saver has the tables of virtual switches written into the journal. Its part is Tenancies.Saver.
type saver struct {
	part    loop.Part
	journal *journal.Journal // nil: the tables are kept nowhere
	log     func(msg string, args ...any)
	now     func() time.Time

	mu      sync.Mutex // guards what follows
	changed []*connect.Switch
	rows    map[uint16]*vswitch.Rows // by the tenant's number; a later tenant of a number has those of the one before

	waiting map[*connect.Switch]time.Time // the part's: when each is to be saved
	// saved are the tables of an earlier run that have no switch yet, by tenant and switch: the Tenancies' part's, after Load.
	saved map[uint16]map[netview.DPID]*vswitch.Saved
}

// switchJournal is what one switch knows of it.
type switchJournal struct{ *saver }

// Append implements connect.Journal.
func (j switchJournal) Append(recs []journal.Record, done func(store.Revision, error)) error {
	return j.journal.Append(recs, done)
}

// Changed implements connect.Journal.
func (j switchJournal) Changed(s *connect.Switch) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.changed = append(j.changed, s)
	j.part.Bell.Ring()
}

// of returns the journal of a switch; nil if there is none.
func (s *saver) of() connect.Journal {
	if s.journal == nil {
		return nil
	}
	return switchJournal{s}
}

// take takes the switches that have changed, and are to be saved at a time.
func (s *saver) take(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sw := range s.changed {
		s.waiting[sw] = at
	}
	s.changed = nil
}

// turn saves the switches whose time has come, and returns when the next one's has.
func (s *saver) turn() (next time.Time) {
	now := s.now()
	s.take(now.Add(connect.SaveDelay))
	for sw, at := range s.waiting {
		if !at.After(now) {
			again := connect.Save(sw)
			if at = now.Add(again); again == 0 {
				delete(s.waiting, sw)
				continue
			}
			s.waiting[sw] = at
		}
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	return next
}

// finish writes what is left, as long as the context allows.
func (s *saver) finish(ctx context.Context, all []*connect.Switch) {
	if s.journal == nil {
		return
	}
	for len(all) > 0 {
		if all = slices.DeleteFunc(all, connect.Close); len(all) == 0 {
			return
		}
		select {
		case <-ctx.Done():
			s.log("tables of tenants that were changed last are not in the journal: the next start makes them empty", "switches", len(all))
			return
		case <-time.After(connect.SaveDelay / 10):
		}
	}
}

// Load reads the tables of an earlier run, which the journal has, and has those of this one be kept. It is called before
// Begin. The journal runs until after End.
func (s *Tenancies) Load(j *journal.Journal, kept *journal.Kept) error {
	var records vswitch.Records
	if err := kept.Each(func(r journal.Record) error {
		records.Add(r.Number, r.Data)
		return nil
	}); err != nil {
		return fmt.Errorf("tables of tenants in the store: %w", err)
	}
	s.saver.journal, s.saver.saved = j, make(map[uint16]map[netview.DPID]*vswitch.Saved)
	list, bad := records.End()
	s.saver.hold(list, bad)
	s.saver.withdraw(bad)
	for _, x := range list {
		at := s.saver.saved[x.Tenant]
		if at == nil {
			at = make(map[netview.DPID]*vswitch.Saved)
			s.saver.saved[x.Tenant] = at
		}
		if other := at[x.DPID]; other != nil { // of before another one took its place, and that was not all written
			other.Numbers = append(other.Numbers, x.Numbers...)
			other.Spoil(errTwice)
			continue
		}
		at[x.DPID] = x
	}
	return nil
}

var errTwice = errors.New("one took the place of another when Weir ended")

// hold has the numbers of records count as taken.
func (s *saver) hold(list []*vswitch.Saved, bad []uint32) {
	numbers := make(map[uint16][]uint32)
	for _, n := range bad {
		tenant, _ := plan.TenantRow(n)
		numbers[tenant] = append(numbers[tenant], n)
	}
	for _, x := range list {
		numbers[x.Tenant] = append(numbers[x.Tenant], x.Numbers...)
	}
	for tenant, all := range numbers {
		s.rowsOf(tenant).Hold(all)
	}
}

// rowsOf returns the numbers of a tenant's rows.
func (s *saver) rowsOf(tenant uint16) *vswitch.Rows {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := s.rows[tenant]
	if rows == nil {
		rows = &vswitch.Rows{First: uint16(rand.Uint32())}
		s.rows[tenant] = rows
	}
	return rows
}

// savedOf returns the tables of an earlier run, once; nil if there are none.
func (s *saver) savedOf(d *tenant.Definition, dpid netview.DPID) *vswitch.Saved {
	x := s.saved[d.Number][dpid]
	if delete(s.saved[d.Number], dpid); x != nil && x.ID != d.ID {
		s.withdraw(x.Numbers)
		return nil
	}
	return x
}

// forget withdraws the tables of an earlier run of which nothing will be made: their tenants, or what these had there, are gone.
func (s *saver) forget(all *tenant.Tenants) {
	if len(s.saved) == 0 {
		return
	}
	numbers := make(map[uint16]*tenant.Definition)
	for _, d := range all.All() {
		numbers[d.Number] = d
	}
	for number, at := range s.saved {
		d := numbers[number]
		for dpid, x := range at {
			if d != nil && d.ID == x.ID {
				if ports, whole := d.At(dpid); len(ports) > 0 || whole {
					continue
				}
			}
			s.withdraw(x.Numbers)
			delete(at, dpid)
		}
	}
}

// withdrawAtOnce is how many records are withdrawn together: each has ten bytes at most.
const withdrawAtOnce = 10_000

// withdraw takes records out of the journal, and then gives their numbers back. Those that the journal refuses to withdraw are
// found again at the next start.
func (s *saver) withdraw(numbers []uint32) {
	for some := range slices.Chunk(numbers, withdrawAtOnce) {
		list := make([]journal.Record, len(some))
		for i, n := range some {
			list[i] = journal.Record{Number: n, Delete: true}
		}
		if err := s.journal.Append(list, func(_ store.Revision, err error) {
			for _, n := range some {
				if tenant, _ := plan.TenantRow(n); err == nil {
					s.rowsOf(tenant).Free(n)
				}
			}
		}); err != nil {
			s.log("old tables of tenants stay in the journal", "error", err)
			return
		}
	}
}

// Saver is the part that writes tables into the journal; it is run beside that of the Tenancies.
func (s *Tenancies) Saver() *loop.Part { return &s.saver.part }

// restore gives a new virtual switch the tables of an earlier run, if there are any.
func (t *tenancy) restore(v *virtual, ports []openflow.Port) {
	x := t.of.saver.savedOf(t.definition, v.physical.dpid)
	if x == nil {
		return
	}
	v.setPorts(withSaved(ports, x.Ports))
	if err := connect.Restore(v.sw, x); err != nil {
		if !errors.Is(err, vswitch.ErrUnsettled) { // else the records are those of rules that stay for now
			v.setPorts(nil)
			t.of.saver.withdraw(x.Numbers)
		}
		v.mu.Lock()
		v.restarted = Restart{At: t.of.cfg.Now(), Why: err}
		v.mu.Unlock()
		t.of.cfg.Log.Warn("the tables of a tenant's switch are empty, as after its restart", "tenant", t.definition.Name,
			"dpid", v.physical.dpid, "reason", err)
	}
}

// withSaved returns ports, and those that there were and are not any more, without a link.
func withSaved(ports []openflow.Port, were []uint32) []openflow.Port {
	list := slices.Clone(ports)
	for _, number := range were {
		if !slices.ContainsFunc(ports, func(p openflow.Port) bool { return p.Number == number }) {
			list = append(list, openflow.Port{Number: number, State: openflow.PortStateDown})
		}
	}
	return list
}

// Restart is that a virtual switch has begun with empty tables though the run before had some.
type Restart struct {
	At  time.Time
	Why error // nil: it has not
}
