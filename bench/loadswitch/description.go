package loadswitch

import (
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/openflow"
)

// What a switch has told of itself.
const (
	answeredFeatures uint32 = 1 << iota
	answeredDesc
	answeredPorts
)

// description is what a switch has told the controller of itself. What was answered counts from the end of its
// batch of input on, when it is handed to the connection. Told and end are the reader's.
type description struct {
	requested uint32 // told in this batch; of the reader
	answered  atomic.Uint32
	at        atomic.Int64 // age of the network at the last of them; 0: nothing was told
}

func (d *description) told(what uint32) { d.requested |= what }

// end takes note of the end of a batch of input.
func (d *description) end(now time.Duration) {
	d.at.Store(max(int64(now), 1))
	d.answered.Store(d.answered.Load() | d.requested)
	d.requested = 0
}

// whole reports whether all was told that a controller can ask for in a version.
func (d *description) whole(v openflow.Version) bool {
	want := answeredFeatures | answeredDesc
	if v != openflow.V10 {
		want |= answeredPorts
	}
	return d.answered.Load()&want == want
}

// forget has nothing be told yet: the controller is another.
func (d *description) forget() {
	d.answered.Store(0)
	d.at.Store(0)
}
