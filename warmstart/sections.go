package warmstart

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

// A treeOfSwitch returns one switch's part of the broadcast tree, false if it has none.
type treeOfSwitch func(*netview.Snapshot, netview.DPID) (links, off []uint32, ok bool)

// sections are the encoded facts of a view, by switch: a change of the view concerns few of them,
// and the others are not read, copied or encoded again.
type sections struct {
	tree     treeOfSwitch // may be nil
	snap     *netview.Snapshot
	switches []*section // in the order of their ids
	hosts    []byte
	count    int  // of hosts
	changed  bool // since they were written
	scratch  []byte
	sum      hash.Hash
}

// section is the encoded facts of one switch: its row, its tree, the links from its ports that are
// down, and those that are up. Each is empty if there is nothing of the kind.
type section struct {
	dpid                netview.DPID
	row, tree, down, up []byte
	ends                map[uint32]netview.Point // by port: see recordDown
}

// remembered reports whether facts of a source are kept: what somebody states is stated again after a restart,
// and must not come back as found out.
func remembered(source *netview.FactSource) bool { return source.Evidence() != netview.Stated }

// reset takes all facts of a snapshot.
func (k *sections) reset(snap *netview.Snapshot) {
	k.snap = snap
	for _, s := range slices.Backward(k.switches) { // may delete s
		k.updateSwitch(s.dpid)
	}
	for row := range snap.Switches() {
		k.updateSwitch(row.DPID)
	}
	k.updateHosts()
}

// update takes the facts of a snapshot, given all changes since the last one.
func (k *sections) update(snap *netview.Snapshot, changes []netview.Change) {
	k.snap = snap
	var concerned []netview.DPID
	hosts := false
	for i := range changes {
		switch c := &changes[i]; c.Kind {
		case netview.KindSwitch:
			concerned = append(concerned, c.Switch.DPID)
		case netview.KindLink:
			concerned = append(concerned, c.Link.Src.DPID)
		case netview.KindRule:
			concerned = append(concerned, c.Rule.DPID)
		case netview.KindHost:
			hosts = true
		}
	}
	slices.Sort(concerned)
	for _, dpid := range slices.Compact(concerned) {
		k.updateSwitch(dpid)
	}
	if hosts {
		k.updateHosts()
	}
}

// updateSwitch encodes the facts of one switch.
func (k *sections) updateSwitch(dpid netview.DPID) {
	i, had := slices.BinarySearchFunc(k.switches, dpid, func(s *section, dpid netview.DPID) int {
		return cmp.Compare(s.dpid, dpid)
	})
	row, ok := k.snap.Switch(dpid)
	ok = ok && !row.Transient && remembered(row.Source)
	switch {
	case !ok && had:
		k.switches, k.changed = slices.Delete(k.switches, i, i+1), true
		return
	case !ok:
		return
	case !had:
		k.switches = slices.Insert(k.switches, i, &section{dpid: dpid})
	}
	s := k.switches[i]
	k.replace(&s.row, appendSwitch(k.scratch[:0], row))
	k.replace(&s.tree, k.appendTree(k.scratch[:0], dpid))
	s.recordDown(k.snap, row)
	k.replace(&s.down, s.appendDown(k.scratch[:0], row))
	k.replace(&s.up, k.appendUp(k.scratch[:0], dpid))
}

// replace replaces an encoded part, if it differs. The new one is in the scratch buffer.
func (k *sections) replace(part *[]byte, now []byte) {
	if k.scratch = now; !bytes.Equal(*part, now) {
		*part, k.changed = append((*part)[:0], now...), true
	}
}

func (k *sections) appendTree(b []byte, dpid netview.DPID) []byte {
	if k.tree == nil {
		return b
	}
	links, off, ok := k.tree(k.snap, dpid)
	if !ok {
		return b
	}
	return appendTree(b, Tree{dpid, links, off})
}

func (k *sections) appendUp(b []byte, dpid netview.DPID) []byte {
	for row := range k.snap.LinksFrom(dpid) {
		if row.Up && remembered(row.Source) {
			b = appendLink(b, row)
		}
	}
	return b
}

// updateHosts encodes all hosts together: the times at which they are seen change more often than
// anything else.
func (k *sections) updateHosts() {
	b := k.scratch[:0]
	k.count = 0
	for row := range k.snap.Hosts() {
		if remembered(row.Source) {
			b = appendHost(b, row)
			k.count++
		}
	}
	k.replace(&k.hosts, b)
}

// recordDown records the far ends of links that are down, by the switch's port. The view soon
// forgets such a link, and the port must not be taken for a host's then: so an end stays until more
// is known of the port.
func (s *section) recordDown(snap *netview.Snapshot, row *netview.Switch) {
	var since map[uint32]time.Time
	for l := range snap.LinksFrom(s.dpid) {
		if l.Up || !remembered(l.Source) {
			continue
		}
		if since == nil {
			since = make(map[uint32]time.Time)
		}
		if at, ok := since[l.Src.Port]; !ok || l.Since.After(at) { // of two, the later one
			if s.ends == nil {
				s.ends = make(map[uint32]netview.Point)
			}
			s.ends[l.Src.Port], since[l.Src.Port] = l.Dst, l.Since
		}
	}
	for port := range s.ends {
		if p, ok := row.Port(port); !ok || p.Role != netview.PortUnknown {
			delete(s.ends, port)
		}
	}
}

// appendDown appends the links that are down, by port.
func (s *section) appendDown(b []byte, row *netview.Switch) []byte {
	for i := range row.Ports {
		at := netview.Point{DPID: s.dpid, Port: row.Ports[i].Number}
		if to, ok := s.ends[at.Port]; ok {
			b = appendLink(b, &netview.Link{LinkKey: netview.LinkKey{Src: at, Dst: to}, State: netview.LinkUnconfirmed})
		}
	}
	return b
}

// append appends the file, and returns the checksum of the part that changes only when a fact does.
func (k *sections) append(b []byte) (file []byte, stable [sha256.Size]byte) {
	trees, links := 0, 0
	for _, s := range k.switches {
		links += (len(s.down) + len(s.up)) / linkLen
		if len(s.tree) > 0 {
			trees++
		}
	}
	start := len(b)
	b = binary.AppendUvarint(appendHead(b), uint64(len(k.switches)))
	for _, s := range k.switches {
		b = append(b, s.row...)
	}
	b = binary.AppendUvarint(b, uint64(trees))
	for _, s := range k.switches {
		b = append(b, s.tree...)
	}
	b = binary.AppendUvarint(b, uint64(links))
	for _, s := range k.switches {
		b = append(b, s.down...)
	}
	for _, s := range k.switches {
		b = append(b, s.up...)
	}
	b = append(binary.AppendUvarint(b, uint64(k.count)), k.hosts...)
	if k.sum == nil {
		k.sum = sha256.New()
	}
	k.sum.Reset()
	k.sum.Write(b[start:])
	k.sum.Sum(stable[:0])
	end := len(b)
	for row := range k.snap.Hosts() {
		if remembered(row.Source) {
			b = binary.AppendVarint(b, row.Seen.Unix())
		}
	}
	k.sum.Write(b[end:])
	return k.sum.Sum(b), stable
}
