package stats

import (
	"math"
	"slices"
	"time"

	"github.com/weirnet/weir/openflow"
)

// portsOf makes the sample of an answer. Was is the sample before, or nil.
func portsOf(list []openflow.PortStats, epoch uint64, at time.Time, was *Ports) *Ports {
	now := &Ports{AsOf: at, List: make([]Port, 0, len(list)), epoch: epoch}
	for i := range list {
		now.List = append(now.List, portOf(&list[i]))
	}
	slices.SortStableFunc(now.List, func(a, b Port) int { return int(int64(a.Number) - int64(b.Number)) })
	now.List = slices.CompactFunc(now.List, func(a, b Port) bool { return a.Number == b.Number })
	if was == nil {
		return now
	}
	now.Sum = was.Sum
	span := at.Sub(was.AsOf)
	if was.epoch != epoch || span <= 0 {
		return now
	}
	old := was.List
	for i := range now.List { // both are in order of number
		p := &now.List[i]
		for len(old) > 0 && old[0].Number < p.Number {
			old = old[1:]
		}
		if len(old) > 0 && old[0].Number == p.Number {
			now.compare(p, &old[0], span)
		}
	}
	return now
}

// compare fills a port's rates from its counters before, and adds to the sum.
func (n *Ports) compare(p, was *Port, span time.Duration) {
	if p.age < was.age { // the port was made anew, and counts from zero
		return
	}
	var by [Counters]uint64
	counted, all := countersAdvance(by[:], was.Counts[:], p.Counts[:])
	if !all {
		return
	}
	for c := range by {
		if counted>>c&1 != 0 {
			p.Rates[c] = rate(by[c], span)
			n.Sum[c] += by[c]
		}
	}
}

func portOf(s *openflow.PortStats) Port {
	p := Port{Number: s.Port, Counts: [Counters]uint64{
		RxPackets: s.RxPackets, TxPackets: s.TxPackets, RxBytes: s.RxBytes, TxBytes: s.TxBytes,
		RxDropped: s.RxDropped, TxDropped: s.TxDropped, RxErrors: s.RxErrors, TxErrors: s.TxErrors,
	}}
	for c := range p.Rates {
		p.Rates[c] = math.NaN()
	}
	if s.DurationSec != 1<<32-1 { // all ones: not known
		p.age = time.Duration(s.DurationSec)*time.Second + time.Duration(s.DurationNsec)
	}
	return p
}
