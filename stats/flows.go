package stats

import (
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// gather takes one part of the firm entries, with rates since they were read before. Entries that
// the switch listed without being asked for them are ignored.
func (f *Flows) gather(list []openflow.FlowStats, s plan.Selector, before *Flows) {
	for i := range list {
		e := &list[i]
		if s.Has(e.Cookie) {
			key := FlowKey{e.Table, e.Priority, e.Match.Key()}
			now := Flow{Cookie: e.Cookie, Packets: e.Packets, Bytes: e.Bytes}
			now.since(before, key, f)
			f.Entries[key] = now
		}
	}
}

// since makes an entry's rates.
func (f *Flow) since(before *Flows, key FlowKey, now *Flows) {
	if before == nil || before.epoch != now.epoch || !now.AsOf.After(before.AsOf) {
		return
	}
	was, ok := before.Entries[key]
	if !ok || was.Cookie != f.Cookie {
		return
	}
	var by [2]uint64
	if _, ok = countersAdvance(by[:], []uint64{was.Packets, was.Bytes}, []uint64{f.Packets, f.Bytes}); ok {
		span := now.AsOf.Sub(before.AsOf)
		f.PacketsRate, f.BytesRate, f.Rated = rate(by[0], span), rate(by[1], span), true
	}
}

func newFlows(at time.Time, epoch uint64) *Flows {
	return &Flows{AsOf: at, Entries: make(map[FlowKey]Flow), epoch: epoch}
}
