package discovery

import (
	"net/netip"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

const (
	queryTries    = 2
	queryWait     = 300 * time.Millisecond // for an answer, once the switch has processed the query
	queryTimeout  = 5 * time.Second        // for the switch to process it; then the query is inconclusive
	maxQueriedIPs = 8                      // addresses queried at a time
)

// queryMAC is the source of queries to hosts: an unused, locally administered address.
var queryMAC = packet.MAC{0x02, 0x57, 0x52, 0x00, 0x00, 0x01}

// queryIP is its link-local address (RFC 4291, appendix A).
var queryIP = linkLocal(queryMAC)

// query checks that a host is still at its known location. Any frame of it from there is an answer.
type query struct {
	id             netview.HostID
	at             netview.Point
	started        time.Time
	tries          int
	sentTries      int       // tries of which a frame was really sent
	claim          *sighting // the sighting elsewhere that caused the query; nil without one
	deleteIfSilent bool      // the host is deleted if it does not answer
	// A barrier follows each try. Until its reply the query may be queued anywhere between here and
	// the host's port, and silence is no evidence.
	barrier   uint64    // number of the barrier after the last try
	barrierAt time.Time // time of its reply; zero: none
	// elsewhere is true if at is not the known location: it is the one before an unverified move
	// (unverified.go), or a possible new one (successor.go).
	elsewhere bool
}

// startQuery queries a host at its location; nil if too many queries are open. If the host is being
// queried already, it returns that query.
func (c *Core) startQuery(h *netview.Host) *query { return c.startQueryAt(h, h.At) }

func (c *Core) startQueryAt(h *netview.Host, at netview.Point) *query {
	if a := c.queries[h.HostID]; a != nil {
		return a
	}
	if len(c.queries) >= c.limits.Queries {
		return nil
	}
	a := &query{id: h.HostID, at: at, started: c.now}
	c.queries[h.HostID] = a
	c.noteHost(h.HostID, func(n *hostNote) { n.queried = c.now })
	there := *h
	there.At = at
	c.dropSeen(&there) // so that its answer is not filtered
	c.sendQuery(a, h)
	return a
}

// sendQuery sends the next try: an ARP probe for its IPv4 addresses (RFC 5227, 2.1.1: from 0.0.0.0,
// so that it changes no cache) and a neighbour solicitation for its IPv6 ones; for the link-local
// address of its MAC if no address is known.
func (c *Core) sendQuery(a *query, h *netview.Host) {
	a.tries++
	a.barrier, a.barrierAt = c.barrierAfter(a), time.Time{}
	ips := h.IPs[:min(len(h.IPs), maxQueriedIPs)]
	if len(ips) == 0 {
		ips = []netip.Addr{linkLocal(a.id.MAC).Netip()}
	}
	for _, ip := range ips {
		begin := len(c.frames)
		c.frames = appendQuery(c.frames, a.id, packet.AddrFrom(ip))
		c.sends = append(c.sends, outgoing{at: a.at, query: a, try: a.tries, begin: begin, end: len(c.frames)})
	}
	c.Counts.Asked.Add(1)
	c.queryTries.add(c.now.Add(queryWait), a)
}

// appendQuery appends the frame that queries a host for one of its addresses.
func appendQuery(b []byte, id netview.HostID, ip packet.Addr) []byte {
	var k packet.Key
	if ip.Is4() {
		k = packet.NewARPRequest(queryMAC, [4]byte{}, ip.As4())
	} else {
		k = packet.NewNDSolicit(queryMAC, queryIP, ip)
	}
	k.EthDst = id.MAC
	if id.VLAN != 0 {
		k.VLAN, k.Layers = packet.VLANPresent|id.VLAN, k.Layers|packet.LayerVLAN
	}
	if ip.Is4() {
		return packet.AppendARP(b, &k)
	}
	return packet.AppendND(b, &k, 0)
}

// linkLocal returns the link-local address of an interface identifier made from a MAC.
func linkLocal(m packet.MAC) packet.Addr {
	return packet.Addr{0xfe, 0x80, 8: m[0] ^ 2, 9: m[1], 10: m[2], 11: 0xff, 12: 0xfe, 13: m[3], 14: m[4], 15: m[5]}
}

// querySent notes whether a query was really sent.
func (c *Core) querySent(s *outgoing, ok bool) {
	if !ok {
		c.Counts.Unsent.Add(1)
		return
	}
	s.query.sentTries = max(s.query.sentTries, s.try)
}

// dueQuery sends the next try, or concludes that the host is silent. If not every try was sent, or
// the switch has not processed it, silence is no evidence.
func (c *Core) dueQuery(a *query) {
	if c.queries[a.id] != a {
		return
	}
	h, known := c.tx.Host(a.id)
	p := c.port(a.at)
	switch {
	case !known || h.At != a.at && !a.elsewhere:
		delete(c.queries, a.id)
	case p == nil || !p.up || !p.device.connected || p.role == netview.PortLink: // the port is gone or down
		delete(c.queries, a.id)
		if a.claim != nil {
			c.hostClaimed(h, a.claim)
		}
	case a.sentTries == a.tries && a.barrierAt.IsZero() && c.now.Sub(a.started) >= queryTimeout:
		delete(c.queries, a.id)
		c.queryStalled(a)
	case a.sentTries == a.tries && !c.answerTimeOver(a):
		at := a.barrierAt.Add(queryWait)
		if a.barrierAt.IsZero() {
			at = c.now.Add(queryWait)
		}
		c.queryTries.add(at, a)
	case a.tries < queryTries:
		c.sendQuery(a, h)
	default:
		delete(c.queries, a.id)
		if a.sentTries == queryTries {
			c.hostSilent(a, h)
		}
	}
}

// answerTimeOver reports whether the host has had its time to answer since its switch processed the
// query.
func (c *Core) answerTimeOver(a *query) bool {
	return !a.barrierAt.IsZero() && c.now.Sub(a.barrierAt) >= queryWait
}

// queryStalled ends a query that the switch did not process: it ignores commands, or its session is
// stalled. The host stays where it is, and counts as alive if the query was for a port's sake.
func (c *Core) queryStalled(a *query) {
	if p := c.port(a.at); p != nil {
		p.alive = true
	}
	if h, known := c.tx.Host(a.id); a.elsewhere {
		if known && a.claim != nil {
			c.hostClaimed(h, a.claim) // the query was for another location: it says nothing about the claim
		}
		return
	}
	if p, q := c.port(a.at), c.claimedPort(a); p != nil && q != nil && mayBeSameSwitch(p.device, q.device) {
		c.holdClaim(a.claim)
	} else if a.claim != nil {
		c.rejectClaim(a.claim, "its switch, %s, does not answer, so that it cannot be asked", a.at.DPID)
	}
}

// claimedPort returns the port where a queried host was seen; nil without a claim.
func (c *Core) claimedPort(a *query) *port {
	if a.claim == nil {
		return nil
	}
	return c.port(a.claim.at)
}

// hostSilent acts on a host that did not answer.
func (c *Core) hostSilent(a *query, h *netview.Host) {
	switch {
	case a.elsewhere:
		if c.unverified[a.id] == a.at {
			c.endUnverified(a.id)
		}
		if a.claim != nil { // now query its known location
			c.hostClaimed(h, a.claim)
		}
	case a.claim != nil:
		c.acceptClaim(a.claim)
	case a.deleteIfSilent && !c.control.suspected():
		c.silent = append(c.silent, h)
	}
}

// hostAnswered treats a sighting as the answer of a queried host.
func (c *Core) hostAnswered(p *port, s *sighting) {
	if h, ok := c.tx.Host(s.id); ok && h.At == s.at {
		p.alive = true
	}
	a := c.queries[s.id]
	if a == nil || a.at != s.at || a.elsewhere && c.unverified[s.id] == s.at { // moveBack ends that
		return
	}
	delete(c.queries, s.id)
	c.noteHost(s.id, func(n *hostNote) { n.answered = true })
	if a.claim != nil {
		c.hostStillThere(a)
	}
}

// queryPortHosts queries hosts of a port at which an unexpected probe was heard. If none of the
// port's hosts answers, a link may be made.
func (c *Core) queryPortHosts(p *port) {
	if p.querying || !p.queriedAt.IsZero() && c.now.Sub(p.queriedAt) < missedProbes*c.pace.period {
		return
	}
	p.queriedAt, p.querying, p.alive = c.now, true, false
	for i, h := range c.hostsAt(p.at) {
		c.dropSeen(h)
		if i < maxQueriedIPs && c.startQuery(h) == nil {
			p.alive = true // they cannot be queried now
		}
	}
	c.portQueries.add(c.now.Add((queryTries+1)*queryWait), deadline{p.at, p.queriedAt})
}

// duePortQuery marks a port as vacated if no host has spoken since they were queried and each had
// the time to.
func (c *Core) duePortQuery(d deadline) {
	p := c.port(d.at)
	if p == nil || !p.querying || !p.queriedAt.Equal(d.since) {
		return
	}
	for _, h := range c.hostsAt(p.at) {
		if a := c.queries[h.HostID]; a != nil && a.at == p.at && !p.alive {
			c.portQueries.add(c.now.Add(queryWait), d)
			return
		}
	}
	p.querying = false
	if !p.alive && p.up && p.device.connected {
		p.vacatedAt = c.now
		c.startProbing(p)
	}
}
