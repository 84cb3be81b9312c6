package proxyarp

import "sync/atomic"

// Counts are what happened since the start. They may be read at any time.
type Counts struct {
	Answered  atomic.Uint64 // questions
	Limited   atomic.Uint64 // questions not answered, as the port had its share
	Learned   atomic.Uint64 // addresses
	Clashes   atomic.Uint64 // addresses that two hosts claimed
	Misplaced atomic.Uint64 // claims from where their host is not, or of a host that was not found
	Refused   atomic.Uint64 // claims not taken, as a limit was reached
	Dropped   atomic.Uint64 // claims and DHCP messages dropped, as the loop was behind
	Leases    atomic.Uint64 // addresses that a DHCP server gave to a known host
	Unasked   atomic.Uint64 // words of DHCP servers that no known host had asked for
	Malformed atomic.Uint64 // datagrams on DHCP's ports that are not DHCP
	Unsent    atomic.Uint64 // answers that the session did not take
}

// ByKind are the counters by their names in metrics.
func (c *Counts) ByKind() map[string]uint64 {
	return map[string]uint64{
		"answered": c.Answered.Load(), "limited": c.Limited.Load(), "learned": c.Learned.Load(), "clashes": c.Clashes.Load(),
		"misplaced": c.Misplaced.Load(), "refused": c.Refused.Load(), "dropped": c.Dropped.Load(), "leases": c.Leases.Load(),
		"unasked": c.Unasked.Load(), "malformed": c.Malformed.Load(), "unsent": c.Unsent.Load(),
	}
}
