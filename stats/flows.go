package stats

import (
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// gather takes one part of the firm entries. A switch that does not select as it was told is not believed.
func (f *Flows) gather(list []openflow.FlowStats, s plan.Selector) {
	for i := range list {
		e := &list[i]
		if s.Has(e.Cookie) {
			f.Entries[FlowKey{e.Table, e.Priority, e.Match.Key()}] = Flow{e.Cookie, e.Packets, e.Bytes}
		}
	}
}

func newFlows(at time.Time) *Flows { return &Flows{AsOf: at, Entries: make(map[FlowKey]Flow)} }
