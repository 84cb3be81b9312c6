package paths

import (
	"encoding/binary"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// The durable form of a path, numbers as unsigned varints: its number of hops, each the datapath id, the
// in port, the number of out ports and these; then 0 for a path, or 1, the number of edges and for each
// the two hops and the out port.

// Append appends the durable form.
func (path *Path) Append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(path.route.Hops)))
	for _, h := range path.route.Hops {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(h.DPID)), uint64(h.In))
		b = binary.AppendUvarint(b, uint64(len(h.Out)))
		for _, port := range h.Out {
			b = binary.AppendUvarint(b, uint64(port))
		}
	}
	if path.treeEdges == nil {
		return append(b, 0)
	}
	b = binary.AppendUvarint(append(b, 1), uint64(len(path.Edges())))
	for _, j := range path.Edges() {
		b = binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(b, uint64(j.From)), uint64(j.To)), uint64(j.Out))
	}
	return b
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

// Read reads a path of a registry, which makes it if it is new; nil if it is bad. Most are no trees, and
// are read without allocating if the path is known.
func (d *Decoder) Read(r *Registry) *Path {
	begin := d.rest
	if hops, ok := d.path(); ok {
		return r.Along(hops)
	}
	d.rest, d.bad = begin, false
	return d.tree(r)
}

// path reads the hops of a path; false if it is a tree, or bad.
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
	return d.hops, d.next(1) == 0 && !d.bad && len(d.hops) > 0
}

func (d *Decoder) tree(r *Registry) *Path {
	hops := make([]*ruleset.Hop, 0, 8)
	for n := d.next(1 << 16); n > 0 && !d.bad; n-- {
		h := &ruleset.Hop{DPID: netview.DPID(d.next(1<<64 - 1)), In: uint32(d.next(1<<32 - 1))}
		for k := d.next(1 << 16); k > 0 && !d.bad; k-- {
			h.Out = append(h.Out, uint32(d.next(1<<32-1)))
		}
		hops = append(hops, h)
	}
	tree := d.next(1) == 1
	edges, last := []Edge{}, uint64(max(len(hops), 1)-1)
	for n := d.next(1 << 20); n > 0 && !d.bad; n-- {
		edges = append(edges, Edge{int32(d.next(last)), int32(d.next(last)), uint32(d.next(1<<32 - 1))})
	}
	if d.bad || !tree || len(hops) == 0 {
		d.bad = true
		return nil
	}
	return r.Tree(hops, edges)
}
