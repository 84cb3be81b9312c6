package host

import (
	"net/netip"
	"time"
)

// StreamReport is what one end of a stream has come to.
type StreamReport struct {
	Peer        netip.Addr
	PeerPort    uint16
	Port        uint16 // of this host
	Active      bool   // opened by this host
	State       string // connecting, accepting, open, closed, failed
	Done        bool   // closed or failed
	Err         error  // of a failed one: ErrRefused, ErrReset, ErrTimedOut, ErrSilent
	Started     time.Duration
	Established time.Duration // 0: not yet
	Ended       time.Duration // 0: not yet

	Acked           uint64 // bytes that the peer has acknowledged
	Segments        uint64 // sent, whatever they carried
	Unsent          uint64 // of them dropped, because the neighbour did not answer
	Retransmitted   uint64 // segments sent again
	Timeouts        uint64 // retransmission timers that ran out
	FastRetransmits uint64 // losses that duplicate acknowledgments told of
	DuplicateAcks   uint64

	Delivered  uint64 // bytes received, in order and once
	SegmentsIn uint64 // with payload
	Duplicated uint64 // of them with nothing new
	Reordered  uint64 // of them before their turn
	Outside    uint64 // segments outside the window
	Misplaced  uint64 // bytes that were not those of Content at their place; all, if the sender is no emulated host

	RTT Summary // of segments that were sent once
}

// String is the stage's name in reports.
func (g streamStage) String() string {
	return [...]string{"connecting", "accepting", "open", "closed", "failed"}[g]
}

// Report is what this end of the stream has come to now.
func (s *Stream) Report() StreamReport {
	q, r := &s.snd, &s.rcv
	return StreamReport{Peer: s.key.peer.Netip(), PeerPort: s.key.peerPort, Port: s.key.local, Active: s.active,
		State: s.stage.String(), Done: s.stage >= closed, Err: s.err, Started: s.started, Established: s.since, Ended: s.end,
		Acked: q.acked(), Segments: s.tally.sent, Unsent: s.tally.unsent, Retransmitted: q.retransmitted, Timeouts: q.timeouts,
		FastRetransmits: q.fastRetransmits, DuplicateAcks: q.duplicateAcks, Delivered: r.delivered, SegmentsIn: r.segments,
		Duplicated: r.duplicates, Reordered: r.early, Outside: r.outside, Misplaced: r.misplaced, RTT: q.rtt.summary()}
}

// Port is the stream's port at this host.
func (s *Stream) Port() uint16 { return s.key.local }
