package stats

import (
	"math"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

// Switch is the newest sample of one switch's counters. It is immutable. Parts without an answer
// yet are nil.
type Switch struct {
	DPID   netview.DPID
	Ports  *Ports
	Tables *Tables
	Totals *Totals
	Flows  *Flows
}

// Counter is one of a port's counters.
type Counter uint8

// The counters of a port: packets, bytes, packets dropped, errors; received and transmitted.
const (
	RxPackets Counter = iota
	TxPackets
	RxBytes
	TxBytes
	RxDropped
	TxDropped
	RxErrors
	TxErrors
	Counters // how many there are
)

// String is the counter's name in the API: "rx_packets".
func (c Counter) String() string {
	return [...]string{"rx_packets", "tx_packets", "rx_bytes", "tx_bytes", "rx_dropped", "tx_dropped", "rx_errors",
		"tx_errors"}[c]
}

// Ports are a switch's port counters.
type Ports struct {
	AsOf time.Time // when the answer came
	List []Port    // in order of number
	// Sum is by how much each counter of all ports together went on since this instance knows the
	// switch. Unlike a port's counters it never goes back.
	Sum [Counters]uint64

	epoch uint64
}

// Find is the port of a number, or nil.
func (p *Ports) Find(number uint32) *Port {
	if p == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(p.List, number, func(p Port, n uint32) int { return int(int64(p.Number) - int64(n)) })
	if !ok {
		return nil
	}
	return &p.List[i]
}

// Port is one port's counters.
type Port struct {
	Number uint32
	Counts [Counters]uint64  // NotCounted for one that the switch does not have
	Rates  [Counters]float64 // a second, between the last two answers; NaN where nobody can tell

	age time.Duration // how long the port has been counting; 0 if the switch does not say
}

// Count is a counter's value; ok is false if the switch does not count that.
func (p *Port) Count(c Counter) (n uint64, ok bool) {
	return p.Counts[c], p.Counts[c] != NotCounted
}

// Rate is how fast a counter went on between the last two answers, a second; ok is false if there
// is no rate.
func (p *Port) Rate(c Counter) (perSecond float64, ok bool) {
	return p.Rates[c], !math.IsNaN(p.Rates[c])
}

// Tables are a switch's table counters: of table 0, and of the others that have entries or were
// looked up.
type Tables struct {
	AsOf time.Time
	List []Table // in order of number

	epoch uint64
}

// Table is one flow table's counters.
type Table struct {
	Number     uint8
	Entries    uint32 // now
	MaxEntries uint32 // OpenFlow 1.0; 0 if the switch does not say
	Lookups    uint64 // packets looked up; NotCounted
	Matched    uint64 // packets that an entry matched; NotCounted

	LookupsRate, MatchedRate float64 // a second, if Rated
	Rated                    bool
}

// Totals are the sums over all flow entries that a switch holds, anybody's. They go back when
// entries go.
type Totals struct {
	AsOf           time.Time
	Entries        uint32
	Packets, Bytes uint64 // NotCounted
}

// Flows are the counters of the firm entries that a switch holds.
type Flows struct {
	AsOf    time.Time // when the first of the answers came
	Entries map[FlowKey]Flow

	epoch uint64
}

// FlowKey names a flow entry of a switch.
type FlowKey struct {
	Table    uint8
	Priority uint16
	Match    string // Match.Key
}

// Flow is one flow entry's counters.
type Flow struct {
	Cookie         uint64
	Packets, Bytes uint64 // NotCounted
	// A second, between the last two answers, if Rated and counted: the entry was there before, and
	// did not begin anew.
	PacketsRate, BytesRate float64
	Rated                  bool
}

// Find are the counters of the entry of a rule; ok is false if the switch did not list
// that entry with that cookie.
func (f *Flows) Find(r *netview.Rule) (Flow, bool) {
	if f == nil {
		return Flow{}, false
	}
	e, ok := f.Entries[FlowKey{r.Table, r.Priority, r.Match.Key()}]
	return e, ok && e.Cookie == r.Cookie
}
