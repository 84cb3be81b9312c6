package vswitch

import (
	"sync"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/tenant"
)

// Watcher is a tenant with read-only regions, and knows which frames are in them. Any goroutine may use it.
type Watcher struct {
	Tenant uint16 // its number

	mu    sync.Mutex
	table *flowtable.Switch
	found bool
}

func newWatcher(d *tenant.Definition) (*Watcher, error) {
	w := &Watcher{Tenant: d.Number, table: flowtable.New(flowtable.Config{Tables: 1})}
	w.table.AddPort(openflow.Port{Number: framesIn}, 0, w)
	w.table.AddPort(openflow.Port{Number: 1}, 0, w)
	for i := range d.Watched {
		if err := w.table.FlowMod(openflow.V13, &openflow.FlowMod{Priority: 1, Match: d.Watched[i].Match,
			Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
			Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(1))}}, 0, w); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Watches reports whether a frame is in a read-only region of the tenant.
func (w *Watcher) Watches(frame []byte) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.found = false
	w.table.Receive(framesIn, frame, 0, w)
	return w.found
}

// Transmit notes that the frame is in a region. It, and what follows, is for the table.
func (w *Watcher) Transmit(uint32, uint32, []byte) { w.found = true }

// PacketIn does nothing.
func (w *Watcher) PacketIn(*flowtable.PacketIn) {}

// FlowRemoved does nothing.
func (w *Watcher) FlowRemoved(*openflow.FlowRemoved) {}

// PortStatus does nothing.
func (w *Watcher) PortStatus(openflow.PortReason, openflow.Port) {}

// Watchers returns the tenants with read-only regions.
func (f *Frames) Watchers() []*Watcher { return f.watchers }

// watches reports whether a frame is in a read-only region of a tenant.
func (f *Frames) watches(tenant uint16, frame []byte) bool {
	for _, w := range f.watchers {
		if w.Tenant == tenant {
			return w.Watches(frame)
		}
	}
	return false
}
