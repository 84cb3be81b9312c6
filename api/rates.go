package api

import (
	"sync"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/netview"
)

// Two answers of a switch make a rate when they are at least, and at most, so far apart.
const (
	minRateSpan = time.Second
	maxRateSpan = 5 * time.Minute
)

// rates remembers for each switch the counters that rates are computed from: at most two answers a switch.
type rates struct {
	mu       sync.Mutex
	switches map[netview.DPID]*samples
}

type samples struct{ last, before *sample }

type sample struct {
	at    time.Time
	ports map[uint32]PortStats
}

// since notes an answer and returns the one to compute rates from, or nil.
func (r *rates) since(dpid netview.DPID, now *sample, known func(netview.DPID) bool) *sample {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.switches == nil {
		r.switches = make(map[netview.DPID]*samples)
	}
	s := r.switches[dpid]
	if s == nil {
		r.forget(known)
		s = new(samples)
		r.switches[dpid] = s
	}
	if s.last == nil || now.at.Sub(s.last.at) >= minRateSpan {
		s.last, s.before = now, s.last
	}
	if s.before == nil || now.at.Sub(s.before.at) > maxRateSpan {
		return nil
	}
	return s.before
}

// forget drops the switches that the view does not have any more, so that what is kept is bounded by the view.
func (r *rates) forget(known func(netview.DPID) bool) {
	for dpid := range r.switches {
		if !known(dpid) {
			delete(r.switches, dpid)
		}
	}
}

// addRates fills the rates of a port from an earlier answer. A counter that went back (the switch restarted) has none.
func addRates(item *client.PortCounters, now, was PortStats, span time.Duration) {
	rate := func(now, was uint64) *float64 {
		if now < was || span <= 0 {
			return nil
		}
		r := float64(now-was) / span.Seconds()
		return &r
	}
	item.RxBytesRate = rate(now.RxBytes, was.RxBytes)
	item.TxBytesRate = rate(now.TxBytes, was.TxBytes)
	item.RxPacketsRate = rate(now.RxPackets, was.RxPackets)
	item.TxPacketsRate = rate(now.TxPackets, was.TxPackets)
}
