package spec

import (
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/weirnet/weir/netview"
)

// What the ends of an intent are follows from its kind: hosts, or connect points.

// End is one end of an intent: a host where the kind is HostToHost, else a connect point. The other
// is zero.
type End struct {
	Host  netview.HostID
	Point netview.Point
}

// checkEnds looks at one list of ends, of which a kind has most at most.
func (k Kind) checkEnds(field string, ends []End, most int) error {
	switch {
	case len(ends) == 0:
		return wrong(field, "nothing", "%s", k.wantEnd())
	case len(ends) > most:
		return wrong(field, strconv.Itoa(len(ends))+" ends", "at most %d of an intent of kind %s", most, k)
	}
	for i := range ends {
		var err *Error
		if k == HostToHost {
			err = checkHost(field, &ends[i])
		} else {
			err = k.checkPoint(nth(field, i, len(ends)), &ends[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// wantEnd is what an end of a kind is.
func (k Kind) wantEnd() string {
	if k == HostToHost {
		return "a host's id, such as 00:00:00:00:00:01 or 00:00:00:00:00:01/100"
	}
	return `a connect point, such as {"dpid":"00000000000000a1","port":3}`
}

func checkHost(field string, e *End) *Error {
	h := e.Host
	switch {
	case e.Point != (netview.Point{}):
		return wrong(field, "connect point "+e.Point.String(), "a host's id")
	case h.MAC.IsZero() || h.MAC.IsMulticast():
		return wrong(field, h.String(), "the address of one host")
	case h.VLAN > 4094:
		return wrong(field, h.String(), "a VLAN from 1 to 4094, or none")
	}
	return nil
}

func (k Kind) checkPoint(field string, e *End) *Error {
	switch {
	case e.Host != (netview.HostID{}):
		return wrong(field, "host "+e.Host.String(), "%s", k.wantEnd())
	case e.Point.Port == 0 || e.Point.Port > MaxPort:
		return wrong(field+".port", strconv.FormatUint(uint64(e.Point.Port), 10), "1 to %d", uint32(MaxPort))
	}
	return nil
}

// inOrder is the ends in order; one that is there twice is refused: another was meant, perhaps. The
// slice given is left as it is where that changes anything.
func inOrder(field string, ends []End) ([]End, *Error) {
	less := func(a, b End) int {
		if c := a.Host.Compare(b.Host); c != 0 {
			return c
		}
		return a.Point.Compare(b.Point)
	}
	sorted := ends
	if !slices.IsSortedFunc(ends, less) {
		sorted = slices.Clone(ends)
		slices.SortFunc(sorted, less)
	}
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			first := slices.Index(ends, sorted[i])
			again := first + 1 + slices.Index(ends[first+1:], sorted[i])
			return nil, wrong(nth(field, again, len(ends)),
				sorted[i].text(0)+", which "+nth(field, first, len(ends))+" is too,", "each once")
		}
	}
	return sorted, nil
}

// checkApart refuses an end that is both source and destination, and hosts that no frame can go
// between.
func (k Kind) checkApart(srcs, dsts []End) error {
	for i := range srcs {
		for j := range dsts {
			if srcs[i] == dsts[j] {
				return wrong(nth("dst", j, len(dsts)), dsts[j].text(k)+", which src has too,", "another end")
			}
		}
	}
	if k == HostToHost && srcs[0].Host.VLAN != dsts[0].Host.VLAN {
		return wrong("dst", dsts[0].Host.String(),
			"a host in the VLAN of src, %s: nothing translates between VLANs", srcs[0].Host)
	}
	return nil
}

// points appends the connect points among ends: none of a kind whose ends are hosts.
func (k Kind) points(ends []End, buf []netview.Point) []netview.Point {
	if k == HostToHost {
		return buf
	}
	for i := range ends {
		buf = append(buf, ends[i].Point)
	}
	return buf
}

// appendEnds appends the durable form of ends.
func (k Kind) appendEnds(b []byte, ends []End) []byte {
	for i := range ends {
		if k == HostToHost {
			b = append(b, ends[i].Host.MAC[:]...)
			b = binary.BigEndian.AppendUint16(b, ends[i].Host.VLAN)
			continue
		}
		b = appendPoint(b, ends[i].Point)
	}
	return b
}

// appendEndTexts appends ends as people write them.
func (k Kind) appendEndTexts(b []byte, ends []End) []byte {
	for i := range ends {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, ends[i].text(k)...)
	}
	return b
}

// text is an end as people write it; k says what a zero end is of.
func (e *End) text(k Kind) string {
	if k == HostToHost || e.Host != (netview.HostID{}) {
		return e.Host.String()
	}
	return e.Point.String()
}
