package paths

import (
	"encoding/binary"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// The durable form of a path, numbers as unsigned varints: its number of hops, each the datapath id, the
// in port, the number of out ports and these; then what it is. Of a tree follow the number of edges and for each
// the two hops and the out port; of one with tags for each hop its tag (0: none) and, in the lowest bit, whether
// the switch writes tags as OpenFlow 1.0 does.
const (
	isTree   = 1
	isTagged = 2
)

// Append appends the durable form.
func (path *Path) Append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(path.route.Hops)))
	for _, h := range path.route.Hops {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(h.DPID)), uint64(h.In))
		b = binary.AppendUvarint(b, uint64(len(h.Out())))
		for _, port := range h.Out() {
			b = binary.AppendUvarint(b, uint64(port))
		}
	}
	what := byte(0)
	if path.IsTree() {
		what |= isTree
	}
	if path.Tagged() {
		what |= isTagged
	}
	b = append(b, what)
	if path.IsTree() {
		b = binary.AppendUvarint(b, uint64(len(path.Edges())))
		for _, j := range path.Edges() {
			b = binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(b, uint64(j.From)), uint64(j.To)), uint64(j.Out))
		}
	}
	if path.Tagged() {
		for _, h := range path.route.Hops {
			b = binary.AppendUvarint(b, dialectOf(h)|uint64(h.Tag)<<1)
		}
	}
	return b
}

// dialectOf is 1 of a hop that writes tags as OpenFlow 1.0 does.
func dialectOf(h *ruleset.Hop) uint64 {
	if _, v := h.Ways(openflow.V13); v == openflow.V10 {
		return 1
	}
	return 0
}

// Decoder reads paths in their durable form, one after the other. The zero Decoder reads nothing.
type Decoder struct {
	rest []byte
	bad  bool
	hops []topology.Hop // scratch
}

// Reset has it read b.
func (d *Decoder) Reset(b []byte) { d.rest, d.bad = b, false }

// More reports whether there is more to read.
func (d *Decoder) More() bool { return len(d.rest) > 0 && !d.bad }

// Bad reports whether something could not be read. What was read then is not to be used.
func (d *Decoder) Bad() bool { return d.bad }

func (d *Decoder) next(most uint64) uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 || v > most {
		d.rest, d.bad = nil, true
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// Read reads a path of a registry, which makes it if it is new; nil if it is bad. Most are no trees and have no
// tags, and are read without allocating if the path is known.
func (d *Decoder) Read(r *Registry) *Path {
	begin := d.rest
	if hops, ok := d.path(); ok {
		return r.Along(hops)
	}
	d.rest, d.bad = begin, false
	return d.whole(r)
}

// path reads the hops of a path; false if it is a tree, has tags, or is bad.
func (d *Decoder) path() ([]topology.Hop, bool) {
	d.hops = d.hops[:0]
	for n := d.next(1 << 16); n > 0 && !d.bad; n-- {
		h := topology.Hop{DPID: netview.DPID(d.next(1<<64 - 1)), In: uint32(d.next(1<<32 - 1))}
		if d.next(1<<16) != 1 {
			return nil, false
		}
		h.Out = uint32(d.next(1<<32 - 1))
		d.hops = append(d.hops, h)
	}
	return d.hops, d.next(isTree|isTagged) == 0 && !d.bad && len(d.hops) > 0
}

// whole reads a tree, or a path or tree with tags.
func (d *Decoder) whole(r *Registry) *Path {
	hops := make([]*ruleset.Hop, 0, 8)
	for n := d.next(1 << 16); n > 0 && !d.bad; n-- {
		h := &ruleset.Hop{DPID: netview.DPID(d.next(1<<64 - 1)), In: uint32(d.next(1<<32 - 1))}
		var out []uint32
		for k := d.next(1 << 16); k > 0 && !d.bad; k-- {
			out = append(out, uint32(d.next(1<<32-1)))
		}
		h.Do = ruleset.Outputs(h.In, out...)
		hops = append(hops, h)
	}
	what := d.next(isTree | isTagged)
	edges := []Edge{}
	if what&isTree != 0 {
		last := uint64(max(len(hops), 1) - 1)
		for n := d.next(1 << 20); n > 0 && !d.bad; n-- {
			edges = append(edges, Edge{int32(d.next(last)), int32(d.next(last)), uint32(d.next(1<<32 - 1))})
		}
	}
	if d.bad || what == 0 || len(hops) == 0 {
		d.bad = true
		return nil
	}
	if what&isTagged != 0 {
		return d.tagged(r, hops, edges, what&isTree != 0)
	}
	return r.Tree(hops, edges)
}

// tagged reads the tags of a path or a tree.
func (d *Decoder) tagged(r *Registry, hops []*ruleset.Hop, edges []Edge, tree bool) *Path {
	b := tagBuilder{edges: edges, tree: tree}
	old := make(map[netview.DPID]bool) // switches that write tags as OpenFlow 1.0 does
	for _, h := range hops {
		v := d.next(uint64(ruleset.TagMax)<<1 | 1)
		if len(h.Out()) != 1 && !tree {
			d.bad = true
		}
		b.add(h, ruleset.Tag(v>>1))
		if v>>1 == 0 {
			b.entries++
		}
		if v&1 != 0 {
			old[h.DPID] = true
		}
	}
	b.dialects = func(dpid netview.DPID) openflow.Version {
		if old[dpid] {
			return openflow.V10
		}
		return openflow.V13
	}
	if d.bad || !b.ordered() {
		d.bad = true
		return nil
	}
	return b.path(r)
}
