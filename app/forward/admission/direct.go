package admission

import "sync/atomic"

// DirectPerSecond is how many packets a second, of pairs that cannot have a rule, are sent on from the
// controller.
const DirectPerSecond = 1000

// Direct is what is left of them in this second. The zero Direct has none.
type Direct struct{ left atomic.Int64 }

// Second begins a second.
func (d *Direct) Second() { d.left.Store(DirectPerSecond) }

// Take reports whether a packet may be sent on, and counts it.
func (d *Direct) Take() bool { return d.left.Add(-1) >= 0 }
