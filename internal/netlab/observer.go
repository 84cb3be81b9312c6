package netlab

import (
	"testing"
	"time"

	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/nic"
)

// observer shows the beginnings of the frames that go by an interface, either way, with the
// kernel's own time stamps. The interface stays as it is.
type observer struct {
	t   testing.TB
	nic *nic.NIC
}

// drain is how long nothing has to go by until an observer has shown all.
const drain = 20 * time.Millisecond

// watch has see called for each frame, by one goroutine, until end.
func (h *Host) watch(see func(f *nic.Frame)) *observer {
	h.lab.t.Helper()
	n, err := nic.Open(nic.Config{Interface: h.Dev, Namespace: h.Netns, Kept: probe.Kept, AsIs: true})
	if err != nil {
		h.lab.t.Fatal(err)
	}
	n.Watch(see)
	return &observer{t: h.lab.t, nic: n}
}

// end waits until all has been shown. The test fails if the observer has lost frames.
func (o *observer) end() {
	for before := ^uint64(0); ; {
		c := o.nic.Counters()
		if c.Lost > 0 {
			o.t.Errorf("an observer lost %d of %d frames", c.Lost, c.Seen+c.Lost)
		}
		if c.Seen == before {
			break
		}
		before = c.Seen
		time.Sleep(drain)
	}
	if err := o.nic.Close(); err != nil {
		o.t.Error(err)
	}
}
