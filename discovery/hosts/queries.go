package hosts

import (
	"net/netip"
	"time"

	"github.com/weirnet/weir/discovery/inventory"
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
	claim          *Sighting // the sighting elsewhere that caused the query; nil without one
	deleteIfSilent bool      // the host is deleted if it does not answer
	// A barrier follows each try. Until its reply the query may be queued anywhere between here and
	// the host's port, and silence is no evidence.
	barrier   uint64    // number of the barrier after the last try
	barrierAt time.Time // time of its reply; zero: none
	// elsewhere is true if at is not the known location: it is the one before an unverified move
	// (unverified.go), or a possible new one (predecessor.go).
	elsewhere bool
}

// queries are the open queries, one for a host at a time. After each try a barrier is sent
// (barriers.go), and until its reply silence is no evidence.
type queries struct {
	*Rows
	out      *inventory.Outbox
	barriers barriers
	open     map[netview.HostID]*query
	tries    inventory.Deadlines[*query] // for the next try, or the result
}

// start queries a host at a location; nil if too many queries are open. If the host is being
// queried already, it returns that query.
func (q *queries) start(h *netview.Host, at netview.Point) *query {
	if a := q.open[h.HostID]; a != nil {
		return a
	}
	if len(q.open) >= q.Limits.Queries {
		return nil
	}
	a := &query{id: h.HostID, at: at, started: q.Now}
	q.open[h.HostID] = a
	q.note(h.HostID, func(n *hostNote) { n.queried = q.Now })
	there := *h
	there.At = at
	q.dropSeen(&there) // so that its answer is not filtered
	q.send(a, h)
	return a
}

// send sends the next try: an ARP probe for the host's IPv4 addresses (RFC 5227, 2.1.1: from
// 0.0.0.0, so that it changes no cache) and a neighbour solicitation for its IPv6 ones; for the
// link-local address of its MAC if no address is known.
func (q *queries) send(a *query, h *netview.Host) {
	a.tries++
	a.barrier, a.barrierAt = q.barriers.after(a), time.Time{}
	ips := h.IPs[:min(len(h.IPs), maxQueriedIPs)]
	if len(ips) == 0 {
		ips = []netip.Addr{linkLocal(a.id.MAC).Netip()}
	}
	for _, ip := range ips {
		q.out.Bytes = appendQuery(q.out.Bytes, a.id, packet.AddrFrom(ip))
		q.out.Add(inventory.Frame{At: a.at, By: a, Try: a.tries})
	}
	q.Counts.Asked.Add(1)
	q.tries.Add(q.Now.Add(queryWait), a)
}

// Sent implements inventory.Sender: it notes whether a query was really sent.
func (a *query) Sent(f *inventory.Frame, ok bool) {
	if ok {
		a.sentTries = max(a.sentTries, f.Try)
	}
}

// queryResult is how a query has ended.
type queryResult uint8

const (
	queryOpen    queryResult = iota
	queryVoid                // the host is gone or elsewhere, or not every try was sent
	queryNoPort              // the port is gone, down, or a link's
	queryStalled             // the switch did not process it in time: silence is no evidence
	querySilent              // the host did not answer
)

// due sends the next try of a query, or ends it. The host's row is of the two last results.
func (q *queries) due(a *query) (queryResult, *netview.Host) {
	if q.open[a.id] != a {
		return queryVoid, nil
	}
	result, h := q.result(a)
	if result != queryOpen {
		delete(q.open, a.id)
	}
	return result, h
}

func (q *queries) result(a *query) (queryResult, *netview.Host) {
	h, known := q.Tx.Host(a.id)
	p := q.Port(a.at)
	switch {
	case !known || h.At != a.at && !a.elsewhere:
		return queryVoid, nil
	case p == nil || !p.Up || !p.Device.Connected || p.Role == netview.PortLink:
		return queryNoPort, h
	case a.sentTries == a.tries && a.barrierAt.IsZero() && q.Now.Sub(a.started) >= queryTimeout:
		return queryStalled, h
	case a.sentTries == a.tries && (a.barrierAt.IsZero() || q.Now.Sub(a.barrierAt) < queryWait):
		at := a.barrierAt.Add(queryWait) // the host has time to answer since its switch processed the query
		if a.barrierAt.IsZero() {
			at = q.Now.Add(queryWait)
		}
		q.tries.Add(at, a)
		return queryOpen, h
	case a.tries < queryTries:
		q.send(a, h)
		return queryOpen, h
	case a.sentTries < queryTries:
		return queryVoid, h
	}
	return querySilent, h
}

// answered ends the query of a host that has answered.
func (q *queries) answered(a *query) {
	delete(q.open, a.id)
	q.note(a.id, func(n *hostNote) { n.answered = true })
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
