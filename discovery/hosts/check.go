package hosts

import (
	"errors"
	"fmt"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// Check compares what is kept of hosts with a snapshot taken after the last transaction, and returns what is
// left of hosts, ports and switches that are gone.
func (t *Tracker) Check(s *netview.Snapshot) error {
	c := &checker{Tracker: t, s: s}
	c.rows()
	c.deferred()
	c.barriers()
	return errors.Join(c.found...)
}

// CheckSeen is Check for the cache of known sightings, which is large.
func (t *Tracker) CheckSeen(s *netview.Snapshot) error {
	c := &checker{Tracker: t, s: s}
	c.cache()
	return errors.Join(c.found...)
}

type checker struct {
	*Tracker
	s     *netview.Snapshot
	found []error
}

func (c *checker) badf(format string, args ...any) {
	c.found = append(c.found, fmt.Errorf(format, args...))
}

// rows checks that all that is kept of hosts is of hosts that are known.
func (c *checker) rows() {
	rows := 0
	for range c.s.Hosts() {
		rows++
	}
	if rows != c.Rows.Count {
		c.badf("%d hosts, counted %d", rows, c.Rows.Count)
	}
	ofRows(c, "ages of addresses", c.Rows.ages)
	ofRows(c, "a note", c.Rows.notes)
	ofRows(c, "an open query", c.queries.open)
	ofRows(c, "an unverified move", c.moves.unverified.from)
}

func ofRows[V any](c *checker, what string, kept map[netview.HostID]V) {
	for id := range kept {
		if _, ok := c.s.Host(id); !ok {
			c.badf("%s of host %s, which is not known", what, id)
		}
	}
}

// deferred checks the sightings that wait.
func (c *checker) deferred() {
	sum := 0
	for at, list := range c.Deferred.at {
		sum += len(list)
		if p := c.Port(at); p == nil || len(list) == 0 || p.Role == netview.PortEdge || p.Role == netview.PortLink {
			c.badf("%d sightings wait at %s", len(list), at)
		}
	}
	if sum != c.Deferred.count {
		c.badf("%d sightings wait, counted %d", sum, c.Deferred.count)
	}
}

// barriers checks the queries that wait for the reply to a barrier.
func (c *checker) barriers() {
	for dpid, w := range c.queries.barriers.of {
		if c.Devices[dpid] == nil {
			c.badf("%d queries wait for a barrier of switch %s, which is not known", len(w.queries), dpid)
		}
		if n := len(w.queries); n > 2*c.Limits.Queries+keepAbandoned+1 {
			c.badf("switch %s: %d queries wait for a barrier", dpid, n)
		}
	}
}

// cache checks that known sightings are of rows, of links' ports, or wait; but for claims that are held.
func (c *checker) cache() {
	known := make(map[uint64]bool)
	for h := range c.s.Hosts() {
		for _, ip := range h.IPs {
			known[c.Seen.hashHost(h.HostID, h.At, packet.AddrFrom(ip))] = true
		}
		known[c.Seen.hashHost(h.HostID, h.At, packet.Addr{})] = true
		known[c.Seen.hashHost(h.HostID, h.At, anyAddress)] = true
	}
	for at, list := range c.Deferred.at {
		for i := range list {
			known[c.Seen.hashHost(list[i].ID, at, list[i].IP)] = true
		}
	}
	for _, d := range c.Devices {
		for _, p := range d.Ports {
			if p.Role == netview.PortLink {
				known[c.Seen.hashPort(p.At)] = true
			}
		}
	}
	others := 0
	for i := range c.Seen.sets {
		for j := range c.Seen.sets[i] {
			if hash := c.Seen.sets[i][j].hash.Load(); hash != 0 && !known[hash] {
				others++
			}
		}
	}
	if held := c.moves.claims.ends.Len(); others > 2*held {
		c.badf("%d known sightings are of nothing that is known, and %d claims are held", others, held)
	}
}
