package config

import (
	"cmp"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/netview"
)

// PortLocal is the number of a switch's own port, OFPP_LOCAL of OpenFlow 1.3; it is written
// "local".
const PortLocal = 0xfffffffe

// portMax is the highest number of a port that is no reserved one, OFPP_MAX of OpenFlow 1.3.
const portMax = 0xffffff00

// LinkRef names a link in a configuration: from A to B or, if Both, both directions, and then A is
// the lesser.
type LinkRef struct {
	A, B netview.Point
	Both bool
}

// String returns DPID/PORT->DPID/PORT or DPID/PORT<->DPID/PORT.
func (l LinkRef) String() string {
	if l.Both {
		return FormatPoint(l.A) + "<->" + FormatPoint(l.B)
	}
	return FormatPoint(l.A) + "->" + FormatPoint(l.B)
}

// Keys returns the directions that it names.
func (l LinkRef) Keys() []netview.LinkKey {
	k := netview.LinkKey{Src: l.A, Dst: l.B}
	if l.Both {
		return []netview.LinkKey{k, k.Reverse()}
	}
	return []netview.LinkKey{k}
}

// Undirected returns the same link, both directions.
func (l LinkRef) Undirected() LinkRef {
	if l.B.Compare(l.A) < 0 {
		return LinkRef{l.B, l.A, true}
	}
	return LinkRef{l.A, l.B, true}
}

func (l LinkRef) compare(m LinkRef) int {
	both := func(r LinkRef) int {
		if r.Both {
			return 1
		}
		return 0
	}
	return cmp.Or(l.A.Compare(m.A), l.B.Compare(m.B), both(l)-both(m))
}

// FormatPoint returns DPID/PORT as it is written: PORT is a number or "local".
func FormatPoint(p netview.Point) string {
	if p.Port == PortLocal {
		return p.DPID.String() + "/local"
	}
	return p.String()
}

// ParseDPID reads a datapath id: up to 16 hexadecimal digits.
func ParseDPID(s string) (netview.DPID, error) {
	v, err := client.ParseDPID(s)
	return netview.DPID(v), err
}

// ParsePort reads a port's number, or "local".
func ParsePort(s string) (uint32, error) {
	if s == "local" {
		return PortLocal, nil
	}
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil || n == 0 || n > portMax {
		return 0, fmt.Errorf("port %q: want a number from 1 to %d, or local", s, portMax)
	}
	return uint32(n), nil
}

// ParsePoint reads DPID/PORT.
func ParsePoint(s string) (netview.Point, error) {
	id, number, ok := strings.Cut(s, "/")
	if !ok {
		return netview.Point{}, fmt.Errorf("port %q: want DPID/PORT, such as 00000000000000a1/3", s)
	}
	dpid, err := ParseDPID(id)
	if err != nil {
		return netview.Point{}, err
	}
	port, err := ParsePort(number)
	return netview.Point{DPID: dpid, Port: port}, err
}

// ParseLink reads DPID/PORT->DPID/PORT or DPID/PORT<->DPID/PORT.
func ParseLink(s string) (LinkRef, error) {
	a, b, ok := strings.Cut(s, "->")
	if !ok {
		return LinkRef{}, fmt.Errorf("link %q: want DPID/PORT->DPID/PORT for one direction, or DPID/PORT<->DPID/PORT for both", s)
	}
	a, both := strings.CutSuffix(a, "<")
	src, err := ParsePoint(strings.TrimSpace(a))
	if err != nil {
		return LinkRef{}, fmt.Errorf("link %q: %w", s, err)
	}
	dst, err := ParsePoint(strings.TrimSpace(b))
	switch {
	case err != nil:
		return LinkRef{}, fmt.Errorf("link %q: %w", s, err)
	case src == dst:
		return LinkRef{}, fmt.Errorf("link %q: both ends are one port", s)
	case both && dst.Compare(src) < 0:
		src, dst = dst, src
	}
	return LinkRef{src, dst, both}, nil
}

// textType is a type whose values are written in one way and read in several.
type textType struct {
	parse   func(string) (any, error)
	format  func(any) string
	compare func(a, b any) int
	what    string // in docs
}

// textTypes are the types of keys and of scalars that are not those of Go.
var textTypes = map[reflect.Type]textType{
	reflect.TypeFor[netview.DPID]():  textOf(ParseDPID, netview.DPID.String, cmp.Compare[netview.DPID], "datapath id"),
	reflect.TypeFor[netview.Point](): textOf(ParsePoint, FormatPoint, netview.Point.Compare, "DPID/PORT"),
	reflect.TypeFor[LinkRef]():       textOf(ParseLink, LinkRef.String, LinkRef.compare, "link"),
	reflect.TypeFor[AppName](): textOf(func(s string) (AppName, error) { return AppName(s), nil },
		func(n AppName) string { return string(n) }, cmp.Compare[AppName], "name of an application"),
}

func textOf[T any](parse func(string) (T, error), format func(T) string, compare func(a, b T) int, what string) textType {
	return textType{
		parse:   func(s string) (any, error) { return parse(s) },
		format:  func(v any) string { return format(v.(T)) },
		compare: func(a, b any) int { return compare(a.(T), b.(T)) },
		what:    what,
	}
}
