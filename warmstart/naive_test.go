package warmstart

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"time"

	"github.com/weirnet/weir/netview"
)

// appendFile appends the file that holds some facts. Stable is the part of it that changes only
// when a fact does.
func appendFile(b []byte, f *Facts) (file, stable []byte) {
	start := len(b)
	b = binary.AppendUvarint(appendHead(b), uint64(len(f.Switches)))
	for _, s := range f.Switches {
		b = appendSwitch(b, s)
	}
	b = binary.AppendUvarint(b, uint64(len(f.Trees)))
	for _, t := range f.Trees {
		b = appendTree(b, t)
	}
	b = binary.AppendUvarint(b, uint64(len(f.Links)))
	for _, l := range f.Links {
		b = appendLink(b, l)
	}
	b = binary.AppendUvarint(b, uint64(len(f.Hosts)))
	for _, h := range f.Hosts {
		b = appendHost(b, h)
	}
	end := len(b)
	for _, h := range f.Hosts {
		b = binary.AppendVarint(b, h.Seen.Unix())
	}
	sum := sha256.Sum256(b[start:])
	b = append(b, sum[:]...)
	return b, b[start:end]
}

// naiveTake takes the facts of a snapshot. Were are the ends of links that were lost when facts
// were taken last; they are brought up to date.
func naiveTake(s *netview.Snapshot, were *naiveEnds, tree treeOfSwitch) *Facts {
	f := new(Facts)
	*were = were.lost(s)
	for row := range s.Switches() {
		f.Switches = append(f.Switches, row)
		for i := range row.Ports {
			at := netview.Point{DPID: row.DPID, Port: row.Ports[i].Number}
			if to, ok := (*were)[at]; ok {
				f.Links = append(f.Links,
					&netview.Link{LinkKey: netview.LinkKey{Src: at, Dst: to}, State: netview.LinkUnconfirmed})
			}
		}
		if links, off, ok := tree(s, row.DPID); ok {
			f.Trees = append(f.Trees, Tree{row.DPID, links, off})
		}
	}
	for row := range s.Links() {
		if row.Up {
			f.Links = append(f.Links, row)
		}
	}
	for row := range s.Hosts() {
		f.Hosts = append(f.Hosts, row)
	}
	return f
}

// naiveEnds are the ports at which links were that are down, with where they led.
type naiveEnds map[netview.Point]netview.Point

// lost adds those that a snapshot shows to be down, and drops those of which more is known.
func (e naiveEnds) lost(s *netview.Snapshot) naiveEnds {
	now := make(naiveEnds)
	maps.Copy(now, e)
	since := make(map[netview.Point]time.Time)
	for row := range s.Links() {
		if at, ok := since[row.Src]; !row.Up && (!ok || row.Since.After(at)) {
			now[row.Src], since[row.Src] = row.Dst, row.Since
		}
	}
	maps.DeleteFunc(now, func(at, _ netview.Point) bool {
		sw, ok := s.Switch(at.DPID)
		if !ok {
			return true
		}
		p, ok := sw.Port(at.Port)
		return !ok || p.Role != netview.PortUnknown
	})
	return now
}
