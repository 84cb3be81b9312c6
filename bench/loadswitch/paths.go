package loadswitch

import (
	"time"

	"github.com/weirnet/weir/openflow"
)

// Tally is what switches have received of a controller since they were made.
type Tally struct {
	FlowMods uint64 // all there were
	Put      uint64 // of them, those that added an entry of a path, or replaced one
	Removed  uint64 // of them, those that deleted an entry of a path
}

// Tally adds up all switches, as of the ends of their last batches of input.
func (n *Network) Tally() Tally {
	return Tally{FlowMods: n.mods.Load(), Put: n.put.Load(), Removed: n.removed.Load()}
}

// count adds what a switch received in a batch of input.
func (n *Network) count(t *Tally) {
	n.put.Add(t.Put)
	n.removed.Add(t.Removed)
	n.mods.Add(t.FlowMods)
}

// A Step is the entry that takes a packet through a switch.
type Step struct {
	Switch  *Switch
	In, Out uint32
	At      time.Duration // age of the network when the entry was received
	Cookie  uint64
}

// maxSteps bounds how far a packet is followed: longer than any path without a loop.
const maxSteps = 256

// Follow appends the steps of an IPv4 packet that comes in at a port of a switch, until nothing
// takes it further, or it leaves by a port without a link or without a carrier. It looks at entries
// of paths only: those that match in_port, eth_type, ipv4_src and ipv4_dst, and have one output.
func (n *Network) Follow(steps []Step, sw *Switch, in, src, dst uint32) []Step {
	for range maxSteps {
		p, ok := sw.table.path(uint16(in), src, dst)
		if !ok {
			return steps
		}
		steps = append(steps, Step{Switch: sw, In: in, Out: uint32(p.out), At: time.Duration(p.at), Cookie: p.cookie})
		next, port, linked := sw.Peer(uint32(p.out))
		if !linked || sw.ports.at(uint32(p.out)).cut.Load() {
			return steps
		}
		sw, in = next, port
	}
	return steps
}

// Paths is how many entries of paths the switch holds.
func (sw *Switch) Paths() int {
	sw.table.mu.Lock()
	defer sw.table.mu.Unlock()
	return sw.table.paths.n
}

// path finds the entry of a path in the tables of forwarding, the first that has one.
func (t *flowTable) path(in uint16, src, dst uint32) (pathEntry, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for table := range uint8(Tables) {
		if p := t.paths.lookup(table, in, src, dst); p != nil {
			return *p, true
		}
	}
	return pathEntry{}, false
}

// putPath adds the entry of a path; false if the table has one in its place that is no such entry.
func (t *flowTable) putPath(p *pathEntry) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.irregular > 0 && t.paths.find(p) < 0 {
		return false
	}
	t.paths.put(p)
	return true
}

// removePath deletes the entry of a path in a place, if its cookie is right; ours is false if it
// may be one that is kept otherwise.
func (t *flowTable) removePath(place pathEntry, cookie, mask uint64) (p pathEntry, found, ours bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := t.paths.find(&place)
	if i < 0 {
		return pathEntry{}, false, t.irregular == 0
	}
	p = t.paths.slots[i]
	if (p.cookie^cookie)&mask != 0 {
		return pathEntry{}, false, true
	}
	t.paths.remove(i)
	return p, true, true
}

// expand has the entry of a flow-mod's place kept as any other: something is to happen to it that
// the entry of a path cannot be.
func (t *flowTable) expand(frame []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	place := pathPlace(frame)
	if i := t.paths.find(&place); i >= 0 {
		t.keep(t.paths.slots[i].entry())
		t.paths.remove(i)
	}
}

// expandAll does so with all that a filter selects; t.mu is held.
func (t *flowTable) expandAll(f *openflow.FlowFilter) {
	for i := 0; i < len(t.paths.slots); {
		if e := t.paths.slots[i].entry(); t.paths.slots[i].at != 0 && filterSelects(f, e) {
			t.keep(e)
			t.paths.remove(i) // another may be there now
			continue
		}
		i++
	}
}

// keep adds an entry as it is; t.mu is held.
func (t *flowTable) keep(e *entry) {
	t.insert(place{e.Table, e.Priority, e.Match.Key()}, e)
}
