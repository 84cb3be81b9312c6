package host

import (
	"net/netip"
	"time"
)

// PingReport is the result of a ping so far.
type PingReport struct {
	Dst        netip.Addr
	Sent       uint64  // requests that left the host
	Unsent     uint64  // dropped, because the neighbour did not answer or its queue was full
	Received   uint64  // requests that were answered
	Lost       uint64  // sent and not answered; 0 until Done
	Duplicated uint64  // further answers to a request
	Reordered  uint64  // answers that came after the one to a later request
	Late       uint64  // answers, among the received, that took longer than the timeout
	Done       bool    // all are sent and answered, or the timeout has passed
	RTT        Summary // from when a request was meant to be sent
}

// Report is the result so far.
func (p *Ping) Report() PingReport {
	r := PingReport{Dst: p.dst.Netip(), Sent: p.tally.sent, Unsent: p.tally.unsent, Received: p.seen.Received,
		Duplicated: p.seen.Duplicated,
		Reordered:  p.seen.Reordered, Late: p.late, Done: p.stage >= done, RTT: p.rtt.summary()}
	if r.Done {
		r.Lost = r.Sent - min(r.Received, r.Sent)
	}
	return r
}

// FlowReport is the result of a flow at its sender so far; what arrived the receiver's Sink counts.
type FlowReport struct {
	Dst              netip.Addr
	SrcPort, DstPort uint16
	Sent             uint64        // datagrams that left the host
	Unsent           uint64        // dropped, because the neighbour did not answer or its queue was full
	Bytes            uint64        // of payload, of those sent
	Echoed           uint64        // datagrams that an echo port sent back
	EchoDuplicated   uint64        // beyond the first of each
	EchoReordered    uint64        // after that of a later one
	Done             bool          // no more will be sent
	RTT              Summary       // of the echoed
	Issued           uint64        // sent, unsent, and those that wait for the neighbour's answer
	Ended            time.Duration // when it was done
}

// Report is the result so far.
func (f *Flow) Report() FlowReport {
	return FlowReport{Dst: f.dst.Netip(), SrcPort: f.port, DstPort: f.spec.Port, Sent: f.tally.sent, Unsent: f.tally.unsent,
		Bytes: f.tally.sent * uint64(f.spec.Size), Echoed: f.seen.Received, EchoDuplicated: f.seen.Duplicated,
		EchoReordered: f.seen.Reordered, Done: f.stage >= done, RTT: f.rtt.summary(), Issued: f.issued, Ended: f.ended}
}

// SinkReport is the result of a flow at its receiver so far.
type SinkReport struct {
	Src              netip.Addr
	SrcPort, DstPort uint16
	Received         uint64        // different datagrams
	Bytes            uint64        // of payload, duplicates included
	Missing          uint64        // below the highest number that arrived: lost, or late
	Duplicated       uint64        // beyond the first of each
	Reordered        uint64        // after a later one
	Stale            uint64        // of the reordered: more than 1024 back, where late ones and duplicates look alike
	Unmarked         uint64        // without a stamp: otherwise only in Bytes
	First, Last      time.Duration // when the first and the last one came
	Latency          Summary       // one way, from when a datagram was meant to be sent
}

// Report is the result so far.
func (s *Sink) Report() SinkReport {
	return SinkReport{Src: s.key.src.Netip(), SrcPort: s.key.srcPort, DstPort: s.key.dstPort,
		Received: s.seen.Received, Bytes: s.bytes,
		Missing: s.seen.Missing(), Duplicated: s.seen.Duplicated, Reordered: s.seen.Reordered, Stale: s.seen.Stale,
		Unmarked: s.unmarked, First: s.first, Last: s.last, Latency: s.latency.summary()}
}
