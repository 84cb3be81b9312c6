package connect

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/journal"
	"github.com/weirnet/weir/tenant/vswitch"
)

// crashing is a journal, of which any prefix of what has no outcome may be there after a crash.
type crashing struct {
	disk    map[uint32][]byte
	pending []appended // without an outcome
	full    bool
	failed  bool // it has failed at times: barriers may have been answered all the same
}

type appended struct {
	records []journal.Record
	done    func(store.Revision, error)
}

func (j *crashing) Changed(*Switch) {}

func (j *crashing) Append(list []journal.Record, done func(store.Revision, error)) error {
	if j.full {
		j.failed = true
		return store.ErrFull
	}
	own := slices.Clone(list)
	for i := range own {
		own[i].Data = slices.Clone(own[i].Data)
	}
	j.pending = append(j.pending, appended{own, done})
	return nil
}

// tell tells the first outcome.
func (j *crashing) tell(ok bool) {
	if len(j.pending) == 0 {
		return
	}
	a := j.pending[0]
	if j.pending = j.pending[1:]; ok {
		a.write(j.disk)
		a.done(1, nil)
	} else {
		j.failed = true
		a.done(0, store.ErrUnavailable)
	}
}

func (a *appended) write(disk map[uint32][]byte) {
	for _, r := range a.records {
		if delete(disk, r.Number); !r.Delete {
			disk[r.Number] = r.Data
		}
	}
}

// read returns the switches that a disk has, and how many records are of nothing.
func read(disk map[uint32][]byte) (list []*vswitch.Saved, bad int) {
	var all vswitch.Records
	for number, data := range disk {
		all.Add(number, data)
	}
	list, rest := all.End()
	return list, len(rest)
}

// ordered is a physical switch whose orders wait.
type ordered struct{ list []ruleset.Order }

func (p *ordered) Order(list []ruleset.Order)       { p.list = append(p.list, list...) }
func (p *ordered) Send(uint32, []byte)              {}
func (p *ordered) Flush()                           {}
func (p *ordered) Count(vswitch.CounterKind)        {}
func (p *ordered) PortCounters(*openflow.PortStats) {}

// victim is a virtual switch before the crash.
type victim struct {
	*Switch
	physical  ordered
	states    [][]string // of its tables, after each change
	barrier   int        // the state when the last one came
	confirmed int        // the state when the last one came that was answered
	gone      bool
}

func newVictim(t *testing.T, dpid netview.DPID, j Journal, rows *vswitch.Rows, now *time.Duration) *victim {
	v := &victim{states: [][]string{nil}}
	v.Switch, _ = virtualWith(t, func(uint32, []byte) {}, func(cfg *Config) {
		cfg.Journal, cfg.ID, cfg.Epoch, cfg.Rows, cfg.Physical, cfg.DPID = j, "0123", time.Unix(1e9, 0), rows, &v.physical, dpid
		cfg.Now = func() time.Duration { return *now }
	})
	return v
}

// again makes it as it was saved.
func again(t *testing.T, x *vswitch.Saved, now *time.Duration) (*victim, error) {
	v := newVictim(t, x.DPID, &crashing{disk: make(map[uint32][]byte)}, &vswitch.Rows{}, now)
	v.cfg.Rows.Hold(x.Numbers)
	return v, Restore(v.Switch, x)
}

// tables are its entries and groups.
func (v *victim) tables() (list []string) {
	flows, _ := v.core.Tables().Multipart(openflow.V13, &openflow.FlowRequest{FlowFilter: openflow.FlowFilter{
		Table: openflow.TableAll, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}}, 0)
	for _, e := range flows.(*openflow.FlowStatsList).Flows {
		list = append(list, fmt.Sprint(e.Priority, e.Cookie, e.Instructions))
	}
	groups, _ := v.core.Tables().Multipart(openflow.V13, &openflow.GroupDescRequest{}, 0)
	for _, g := range groups.(*openflow.GroupDescList).Groups {
		list = append(list, fmt.Sprint(g))
	}
	slices.Sort(list)
	return list
}

// change changes the tables by chance.
func (v *victim) change(r *rand.Rand, cookie uint64) {
	v.with(func(core *vswitch.Switch, now time.Duration) {
		m, g := output1(uint16(1+r.IntN(6))), &openflow.GroupMod{Command: openflow.GroupAdd, Group: uint32(1 + r.IntN(3))}
		switch m.Cookie = cookie; r.IntN(6) {
		case 0:
			_ = core.GroupMod(openflow.V13, g, vswitch.Origin{}, now, (*output)(v.Switch))
			return
		case 1:
			g.Command = openflow.GroupDelete
			_ = core.GroupMod(openflow.V13, g, vswitch.Origin{}, now, (*output)(v.Switch))
			return
		case 2:
			m.Command, m.Cookie = openflow.FlowDeleteStrict, 0
		case 3:
			m.Command, m.Cookie = openflow.FlowDelete, 0
		}
		_ = core.FlowMod(openflow.V13, m, vswitch.Origin{}, now, (*output)(v.Switch))
	})
	v.states = append(v.states, v.tables())
}

// execute has the physical switch do what was ordered.
func (v *victim) execute() {
	list := v.physical.list
	v.physical.list = nil
	v.Outcomes(outcomes(list, ruleset.Installed))
	v.note()
}

// note notes that the last barrier was answered, if it was.
func (v *victim) note() {
	if len(v.saving.held) == 0 && vswitch.Waiting(v.core) == 0 {
		v.confirmed = v.barrier
	}
}

// TestCrashAnywhere: whatever the journal has at a crash, a switch that can be made anew has tables as they were at the last
// barrier that was answered, or after that; where the journal has failed at times, as they were at some time. Two switches of a
// tenant share their numbers, and others take their places.
func TestCrashAnywhere(t *testing.T) {
	exact := 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 9))
		fails := seed%3 == 0
		j, rows, now := &crashing{disk: make(map[uint32][]byte)}, &vswitch.Rows{}, time.Duration(0)
		all := []*victim{newVictim(t, 1, j, rows, &now), newVictim(t, 2, j, rows, &now)}
		for step := range uint64(150) {
			v := all[r.IntN(len(all))]
			switch n := r.IntN(12); {
			case n < 4 && !v.gone:
				v.change(r, step)
			case n < 5 && !v.gone:
				v.locked(func(core *vswitch.Switch, _ time.Duration) { core.Barrier(vswitch.Origin{}, (*output)(v.Switch)) })
				v.barrier = len(v.states) - 1
			case n < 6:
				now += time.Duration(r.IntN(300)) * time.Millisecond
			case n < 8:
				for range 1 + r.IntN(4) {
					now += time.Duration(r.IntN(100)) * time.Millisecond
					Save(v.Switch)
					j.tell(!fails || r.IntN(4) > 0)
				}
			case n < 9:
				Save(v.Switch)
			case n < 10:
				j.tell(!fails || r.IntN(4) > 0)
			case n < 11:
				j.full = fails && r.IntN(4) == 0
			case r.IntN(8) == 0 && !v.gone:
				v.Withdraw()
				v.gone = true
				all = append(all, newVictim(t, netview.DPID(len(all)+1), j, rows, &now))
			}
			if v.note(); r.IntN(3) > 0 {
				v.execute()
			}
			if r.IntN(4) == 0 {
				exact += crash(t, seed, j, all, &now)
			}
		}
		j.full = false
		for _, v := range all {
			for v.execute(); !Close(v.Switch); now += SaveDelay {
				j.tell(true)
			}
		}
		list, bad := read(j.disk)
		for _, x := range list {
			v := all[x.DPID-1]
			if is, err := again(t, x, &now); err != nil || v.gone || !slices.Equal(is.tables(), v.tables()) {
				t.Fatalf("seed %d: in the end switch %d is made anew with %v (%v), it had %v", seed, x.DPID, is.tables(), err, v.tables())
			}
			all[x.DPID-1] = nil
		}
		for _, v := range all {
			if v != nil && !v.gone && len(v.tables()) > 0 || bad > 0 {
				t.Fatalf("seed %d: in the end the journal has no %+v, and %d records of nothing", seed, v, bad)
			}
		}
	}
	if t.Logf("%d switches were made anew", exact); exact < 1000 {
		t.Error("the test shows nothing")
	}
}

// crash looks what there is after a crash, whatever of the pending records was written. It returns how many switches can be made
// anew.
func crash(t *testing.T, seed uint64, j *crashing, all []*victim, now *time.Duration) (exact int) {
	t.Helper()
	disk := maps.Clone(j.disk)
	for n := 0; ; n++ {
		there := make(map[netview.DPID]bool)
		list, bad := read(disk)
		if bad > 0 && !slices.ContainsFunc(all, func(v *victim) bool { return v.gone }) {
			t.Fatalf("seed %d: after a crash %d records are of nothing", seed, bad)
		}
		for _, x := range list {
			there[x.DPID] = true
			is, err := again(t, x, now)
			if err != nil {
				if errors.Is(err, vswitch.ErrUnsettled) {
					continue
				}
				t.Fatalf("seed %d: %v", seed, err)
			}
			exact++
			v, from := all[x.DPID-1], 0
			if !j.failed {
				from = v.confirmed
			}
			tables := is.tables()
			if !slices.ContainsFunc(v.states[from:], func(was []string) bool { return slices.Equal(was, tables) }) {
				t.Fatalf("seed %d: switch %d has %v after a crash, of %v", seed, x.DPID, tables, v.states[from:])
			}
		}
		for i, v := range all {
			if !v.gone && !j.failed && len(v.states[v.confirmed]) > 0 && !there[netview.DPID(i+1)] {
				t.Fatalf("seed %d: switch %d, which has confirmed %v, is not there after a crash", seed, i+1, v.states[v.confirmed])
			}
		}
		if n == len(j.pending) {
			return exact
		}
		j.pending[n].write(disk)
	}
}
