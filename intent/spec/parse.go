package spec

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/topology"
)

// Parse reads the durable form. It accepts nothing but what Append writes of a spec that has passed
// Check; the spec that it returns shares no memory with b.
func Parse(b []byte) (Spec, error) {
	r := reader{rest: b}
	var s Spec
	format := r.whole(&s)
	switch {
	case format < format1 || format > format3:
		return Spec{}, fmt.Errorf("intent: format %d, want %d, %d or %d", format, format1, format2, format3)
	case r.unknown > 0:
		return Spec{}, fmt.Errorf("intent %q: field number %d, which this version does not know: want a newer one", s.ID, r.unknown)
	case r.short:
		return Spec{}, fmt.Errorf("intent: %d bytes, too short for a %s", len(b), s.Kind)
	}
	s.Selector.OXM = bytes.Clone(s.Selector.OXM)
	wide := s.Wide // as an earlier version may have stored it
	if err := s.Check(); err != nil {
		return Spec{}, fmt.Errorf("intent: %w", err)
	}
	s.Wide = wide
	var room [256]byte
	if !bytes.Equal(s.Append(room[:0]), b) {
		return Spec{}, fmt.Errorf("intent %q: not in the one form", s.ID)
	}
	return s, nil
}

// reader takes the durable form apart. What is missing is read as zero and noted.
type reader struct {
	rest    []byte
	form    string // what rest is the end of; "": texts are copied
	short   bool
	unknown int   // the number of a field that is not known
	room    []End // memory for two
}

// whole reads a spec, in the memory of rest, and returns its format. Of any but those that there are
// it reads no more.
func (r *reader) whole(s *Spec) (format byte) {
	format = r.take(1)[0]
	if format < format1 || format > format3 {
		return format
	}
	s.setDefaults(listed)
	r.head(s)
	if format == format3 {
		r.values(s, listed)
	}
	r.ends(s)
	if len(r.rest) > 0 {
		s.Selector.OXM = r.rest
	}
	if format != format3 {
		s.Wide = format == format2 || s.Boundless()
	}
	return format
}

// headLen is how many bytes stand before the id.
const headLen = 5

// head reads what follows the format, up to the id.
func (r *reader) head(s *Spec) {
	b := r.take(headLen - 1)
	s.Kind, s.Priority = Kind(b[0]), binary.BigEndian.Uint16(b[1:])
	s.ID = r.text(int(b[3]))
}

// text reads as many bytes as text: a part of the form, where there is one.
func (r *reader) text(n int) string {
	b := r.take(n)
	if r.short || r.form == "" {
		return string(b)
	}
	end := len(r.form) - len(r.rest)
	return r.form[end-n : end]
}

var missing [16]byte

func (r *reader) take(n int) []byte {
	if len(r.rest) < n {
		r.short, r.rest = true, nil
		if n > len(missing) {
			return nil
		}
		return missing[:n]
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// ends reads Src, Dst and Hops; both lists of ends share an array.
func (r *reader) ends(s *Spec) {
	switch s.Kind {
	case HostToHost, PointToPoint:
		list := r.room
		if list == nil {
			list = make([]End, 0, 2)
		}
		list = r.end(s.Kind, r.end(s.Kind, list))
		s.Src, s.Dst = list[:1:1], list[1:]
	case MultipointToPoint:
		list := r.several(make([]End, 0, 4))
		s.Src, s.Dst = list, r.end(s.Kind, nil)
	case PointToMultipoint:
		s.Src = r.end(s.Kind, nil)
		s.Dst = r.several(make([]End, 0, 4))
	case Path:
		n := min(int(binary.BigEndian.Uint16(r.take(2))), len(r.rest)/hopLen+1)
		s.Hops = make([]topology.Hop, 0, n)
		for range n {
			h := r.take(hopLen)
			s.Hops = append(s.Hops, topology.Hop{DPID: netview.DPID(binary.BigEndian.Uint64(h)),
				In: binary.BigEndian.Uint32(h[8:]), Out: binary.BigEndian.Uint32(h[12:])})
		}
	}
}

// several reads a count and as many points, no more than there are bytes for.
func (r *reader) several(list []End) []End {
	n := min(int(binary.BigEndian.Uint16(r.take(2))), len(r.rest)/pointLen+1)
	for range n {
		list = r.end(PointToPoint, list)
	}
	return list
}

func (r *reader) end(k Kind, list []End) []End {
	var e End
	if k == HostToHost {
		b := r.take(hostLen)
		e.Host = netview.HostID{MAC: packet.MAC(b[:6]), VLAN: binary.BigEndian.Uint16(b[6:])}
	} else {
		b := r.take(pointLen)
		e.Point = netview.Point{DPID: netview.DPID(binary.BigEndian.Uint64(b)), Port: binary.BigEndian.Uint32(b[8:])}
	}
	return append(list, e)
}

// matchOf is the match of OXM TLVs.
func matchOf(list []byte) openflow.Match { return openflow.Match{OXM: list} }
