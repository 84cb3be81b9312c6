package discovery

import (
	"sync"

	"github.com/weirnet/weir/discovery/hosts"
	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/discovery/probes"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// input is one event.
type input struct {
	kind     inputKind
	reason   openflow.PortReason
	dpid     netview.DPID   // of inputDown, inputPort, inputFormerLinks and inputBarrier
	epoch    uint64         // of inputDown, inputFormerLinks and inputBarrier: the session's
	at       netview.Point  // of inputProbe
	probe    probes.Probe   // of inputProbe
	arrival  arrival        // of inputProbe
	sighting hosts.Sighting // of inputFrame, inputAddress
	facts    *SwitchFacts   // of inputUp
	port     *openflow.Port // of inputPort
	ports    []uint32       // of inputFormerLinks
	number   uint64         // of inputBarrier
	forget   *forgetRequest // of inputForget
}

// breaks reports whether paths may have failed: a session is lost, or a port is gone or down.
func (in *input) breaks() bool {
	switch in.kind {
	case inputDown:
		return true
	case inputPort:
		return in.reason == openflow.PortDeleted || !inventory.Up(in.port)
	default:
		return false
	}
}

type inputKind uint8

const (
	inputUp inputKind = iota
	inputDown
	inputPort
	inputFormerLinks
	inputBarrier
	inputForget
	inputProbe // this and later kinds may be dropped
	inputFrame
	inputAddress
)

// inbox queues events, in order. Facts must not be lost: when too many wait, their sessions block, but for
// who reports former links: that may be a turn of flowsync on the goroutine that empties the inbox, and comes once
// a session. Probes and frames are dropped, frames long before probes.
type inbox struct {
	mu     sync.Mutex
	room   *sync.Cond // signals that facts may be put again, or that the inbox is closed
	list   []input
	facts  int
	limits inventory.Limits
	closed bool
}

func newInbox(l inventory.Limits) *inbox {
	i := &inbox{limits: l}
	i.room = sync.NewCond(&i.mu)
	return i
}

// put adds an input. ok is false if it was dropped; wake is true if the inbox was empty.
func (b *inbox) put(in input) (ok, wake bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch in.kind {
	case inputFrame, inputAddress:
		ok = len(b.list) < b.limits.Frames
	case inputProbe:
		ok = len(b.list) < b.limits.Probes
	default:
		for in.kind != inputFormerLinks && b.facts >= b.limits.Facts && !b.closed {
			b.room.Wait()
		}
		ok = true
	}
	if !ok || b.closed {
		return false, false
	}
	if in.kind < inputProbe {
		b.facts++
	}
	b.list = append(b.list, in)
	return true, len(b.list) == 1
}

// drain removes and returns all inputs, and reuses the emptied list.
func (b *inbox) drain(emptied []input) []input {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.list
	b.list = emptied[:0]
	if b.facts > 0 {
		b.facts = 0
		b.room.Broadcast()
	}
	return list
}

// close unblocks all callers of put; later inputs are dropped.
func (b *inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.room.Broadcast()
}
