package netview

import (
	"bytes"
	"cmp"
	"strings"
)

// Compare orders points by switch, then port.
func (p Point) Compare(q Point) int {
	if c := cmp.Compare(p.DPID, q.DPID); c != 0 {
		return c
	}
	return cmp.Compare(p.Port, q.Port)
}

// Compare orders links by source, then destination.
func (k LinkKey) Compare(l LinkKey) int {
	if c := k.Src.Compare(l.Src); c != 0 {
		return c
	}
	return k.Dst.Compare(l.Dst)
}

// Reverse is the other direction of the link.
func (k LinkKey) Reverse() LinkKey { return LinkKey{Src: k.Dst, Dst: k.Src} }

// String is the link as SRC->DST.
func (k LinkKey) String() string { return k.Src.String() + "->" + k.Dst.String() }

// Compare orders hosts by address, then VLAN.
func (h HostID) Compare(i HostID) int {
	if c := bytes.Compare(h.MAC[:], i.MAC[:]); c != 0 {
		return c
	}
	return cmp.Compare(h.VLAN, i.VLAN)
}

// Compare orders rules by switch, table, falling priority, and match.
func (k RuleKey) Compare(l RuleKey) int {
	if c := cmp.Compare(k.DPID, l.DPID); c != 0 {
		return c
	}
	if c := cmp.Compare(k.Table, l.Table); c != 0 {
		return c
	}
	if c := cmp.Compare(l.Priority, k.Priority); c != 0 {
		return c
	}
	return strings.Compare(k.Match, l.Match)
}

// hostPlace is the key of a host in the index by place.
type hostPlace struct {
	at   Point
	host HostID
}

func compareHostPlaces(a, b hostPlace) int {
	if c := a.at.Compare(b.at); c != 0 {
		return c
	}
	return a.host.Compare(b.host)
}

// claim is the key of a desired rule: several owners may desire the same rule key, and the earliest
// (smallest seq) has it.
type claim struct {
	key RuleKey
	seq uint64
}

func compareClaims(a, b claim) int {
	if c := a.key.Compare(b.key); c != 0 {
		return c
	}
	return cmp.Compare(a.seq, b.seq)
}

// meterClaim is the key of a desired meter, likewise.
type meterClaim struct {
	dpid DPID
	id   uint32
	turn uint64
}

func compareMeterClaims(a, b meterClaim) int {
	return cmp.Or(cmp.Compare(a.dpid, b.dpid), cmp.Compare(a.id, b.id), cmp.Compare(a.turn, b.turn))
}
