package inventory

import "sync/atomic"

// Counts are counters since start. They may be read at any time.
type Counts struct {
	Sent   atomic.Uint64 // probes
	Unsent atomic.Uint64 // frames that their session did not accept

	Heard     atomic.Uint64 // probes that are or make a link
	Malformed atomic.Uint64 // LLDP frames that make no link, by reason
	Foreign   atomic.Uint64
	Forged    atomic.Uint64
	Stale     atomic.Uint64
	Replayed  atomic.Uint64
	AtHost    atomic.Uint64

	Learned  atomic.Uint64 // hosts
	Moved    atomic.Uint64
	Expelled atomic.Uint64 // hosts deleted because their port became a link's
	Refused  atomic.Uint64 // hosts not learned, or not queried, because of a limit
	Hijacks  atomic.Uint64 // locations claimed for a host and rejected, but for frames of its own that circled
	Asked    atomic.Uint64 // queries to hosts
	Expired  atomic.Uint64 // hosts deleted because they did not answer
	Evicted  atomic.Uint64 // switches deleted because of a limit

	Ports   atomic.Int64  // of all known switches
	Ignored atomic.Uint64 // ports ignored because of a limit
	Passed  atomic.Uint64 // switches deleted because they disconnected within a minute

	Forgotten atomic.Uint64 // switches and hosts deleted by operators

	Replaced atomic.Uint64 // switches whose serial number changed

	DroppedProbes atomic.Uint64 // not queued because the loop was behind
	DroppedFrames atomic.Uint64

	// The current pace, in nanoseconds (probes/pace.go).
	Period atomic.Int64 // between two rounds of a port
	Lag    atomic.Int64 // from making a probe to handling it
}

// ByKind are the counters that only grow, by their names in metrics.
func (c *Counts) ByKind() map[string]uint64 {
	return map[string]uint64{
		"probes_sent": c.Sent.Load(), "probes_heard": c.Heard.Load(), "lldp_malformed": c.Malformed.Load(),
		"lldp_foreign": c.Foreign.Load(), "lldp_forged": c.Forged.Load(), "lldp_stale": c.Stale.Load(),
		"lldp_replayed": c.Replayed.Load(), "hosts_learned": c.Learned.Load(), "hosts_moved": c.Moved.Load(),
		"hosts_expelled": c.Expelled.Load(), "hosts_refused": c.Refused.Load(), "lldp_at_host": c.AtHost.Load(),
		"hosts_hijacked": c.Hijacks.Load(), "hosts_asked": c.Asked.Load(), "hosts_expired": c.Expired.Load(),
		"switches_evicted": c.Evicted.Load(), "switches_passed": c.Passed.Load(), "ports_ignored": c.Ignored.Load(),
		"switches_exchanged": c.Replaced.Load(),
		"forgotten":          c.Forgotten.Load(),
		"probes_unsent":      c.Unsent.Load(), "probes_dropped": c.DroppedProbes.Load(), "frames_dropped": c.DroppedFrames.Load(),
	}
}
