package spec

import (
	"strconv"

	"github.com/weirnet/weir/intent/schema"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/topology"
)

// Spec is one intent. It is a value: copies share slices and the selector's bytes, which are
// immutable after Check.
type Spec struct {
	// ID is the user's name of it; empty: the instance generates one.
	ID   string
	Kind Kind
	// Priority is among intents, from 0 to PriorityMax: of two that match a packet at its ingress
	// port the higher wins.
	Priority uint16
	// Src and Dst are the ends. Host-to-host has one host each; the others connect points: several
	// in Src for MultipointToPoint, several in Dst for PointToMultipoint (in order after Check),
	// none for Path.
	Src, Dst []End
	// Hops are those of a Path, ingress first.
	Hops []topology.Hop
	// Selector matches packets; empty: all IPv4 and IPv6 (between hosts: everything).
	Selector openflow.Match
	// Wide is that its selector does not fix who sends (Boundless, wide.go), after Check. In requests it means
	// nothing; of an earlier version it may be stored though it is not so.
	Wide bool
}

// TextOf returns the place of a field of the content whose form is Text; nil: there is none. EnumOf,
// NumberOf, FlagOf and EndsOf are the same for their forms.
func (s *Spec) TextOf(f schema.Field) *string {
	if f == schema.ID {
		return &s.ID
	}
	return nil
}

// EnumOf returns the place of a field whose form is Enum.
func (s *Spec) EnumOf(f schema.Field) *uint8 {
	if f == schema.Kind {
		return (*uint8)(&s.Kind)
	}
	return nil
}

// NumberOf returns the place of a field whose form is Number.
func (s *Spec) NumberOf(f schema.Field) *uint16 {
	if f == schema.Priority {
		return &s.Priority
	}
	return nil
}

// FlagOf returns the place of a field whose form is Flag.
func (s *Spec) FlagOf(f schema.Field) *bool {
	if f == schema.Wide {
		return &s.Wide
	}
	return nil
}

// EndsOf returns the place of a field whose form is Ends.
func (s *Spec) EndsOf(f schema.Field) *[]End {
	switch f {
	case schema.Src:
		return &s.Src
	case schema.Dst:
		return &s.Dst
	}
	return nil
}

// Ingress are the connect points that packets come in by, of an intent that is not between hosts.
func (s *Spec) Ingress(buf []netview.Point) []netview.Point {
	if s.Kind == Path && len(s.Hops) > 0 {
		return append(buf, netview.Point{DPID: s.Hops[0].DPID, Port: s.Hops[0].In})
	}
	return s.Kind.points(s.Src, buf)
}

// Egress are the connect points that packets leave by, of an intent that is not between hosts.
func (s *Spec) Egress(buf []netview.Point) []netview.Point {
	if s.Kind == Path && len(s.Hops) > 0 {
		last := s.Hops[len(s.Hops)-1]
		return append(buf, netview.Point{DPID: last.DPID, Port: last.Out})
	}
	return s.Kind.points(s.Dst, buf)
}

// String is the intent on one line: "web: host-to-host 00:…:01 -> 00:…:02 {tcp_dst=80} priority
// 100".
func (s *Spec) String() string {
	b := make([]byte, 0, 128)
	if s.ID != "" {
		b = append(append(b, s.ID...), ": "...)
	}
	b = append(append(b, s.Kind.String()...), ' ')
	if s.Kind == Path {
		for i, h := range s.Hops {
			if i > 0 {
				b = append(b, " -> "...)
			}
			b = strconv.AppendUint(append(b, h.DPID.String()+" "...), uint64(h.In), 10)
			b = strconv.AppendUint(append(b, '>'), uint64(h.Out), 10)
		}
	} else {
		b = s.Kind.appendEndTexts(b, s.Src)
		b = s.Kind.appendEndTexts(append(b, " -> "...), s.Dst)
	}
	b = append(append(b, ' '), s.Selector.String()...)
	for _, row := range bounded {
		b = s.value(row).appendText(b, row)
	}
	return string(b)
}
