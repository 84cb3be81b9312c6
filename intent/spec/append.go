package spec

import (
	"encoding/binary"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// The durable form, numbers in network byte order:
//
//	format (1) kind (1) priority (2) length of the id (1) id
//	format 3: a list of values (values.go)
//	host-to-host:        host (8), host (8): address (6), VLAN (2)
//	point-to-point:      point (12), point (12): datapath id (8), port (4)
//	multipoint-to-point: count (2), points; point
//	point-to-multipoint: point; count (2), points
//	path:                count (2), hops (16): datapath id (8), in (4), out (4)
//	the selector's OXM TLVs, to the end
//
// Format 1 is of an intent that is Wide exactly if it is Boundless, as all are now. Format 2 is of one of an
// earlier version that said Wide and is not Boundless, and else the same. Format 3 is of one with a value that
// came later, which stands in its list; so does Wide.
const (
	format1  = 1
	format2  = 2
	format3  = 3
	hostLen  = 8
	pointLen = 12
	hopLen   = 16
)

// Append appends the durable form of a spec that Check has passed.
func (s *Spec) Append(b []byte) []byte {
	format := byte(format1)
	switch {
	case s.needsList():
		format = format3
	case s.Wide && !s.Boundless():
		format = format2
	}
	b = append(b, format, byte(s.Kind), byte(s.Priority>>8), byte(s.Priority), byte(len(s.ID)))
	b = append(b, s.ID...)
	if format == format3 {
		b = s.appendValues(b, listed)
	}
	switch s.Kind {
	case Path:
		b = binary.BigEndian.AppendUint16(b, uint16(len(s.Hops)))
		for _, h := range s.Hops {
			b = appendHop(b, h)
		}
	default:
		if s.Kind == MultipointToPoint {
			b = binary.BigEndian.AppendUint16(b, uint16(len(s.Src)))
		}
		b = s.Kind.appendEnds(b, s.Src)
		if s.Kind == PointToMultipoint {
			b = binary.BigEndian.AppendUint16(b, uint16(len(s.Dst)))
		}
		b = s.Kind.appendEnds(b, s.Dst)
	}
	return append(b, s.Selector.OXM...)
}

// SameForm reports whether a stored form means the same as one of a spec that Check has passed. They differ where
// an earlier version stored another Wide.
func SameForm(stored string, form []byte) bool {
	if stored == string(form) || len(stored) == 0 || stored[0] == format1 {
		return stored == string(form)
	}
	s := Read(stored)
	s.Wide = s.Boundless()
	return string(s.Append(nil)) == string(form)
}

func appendPoint(b []byte, p netview.Point) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(b, uint64(p.DPID)), p.Port)
}

func appendHop(b []byte, h topology.Hop) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(h.DPID))
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, h.In), h.Out)
}
