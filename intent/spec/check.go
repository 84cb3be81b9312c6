package spec

import (
	"slices"
	"strconv"
	"strings"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// Check canonicalises the intent (the selector with its prerequisites, several connect points
// sorted) and rejects, with an *Error, one that no network could serve. It does not check what
// depends on the network (such as whether a switch exists). An empty ID is valid: the engine
// generates one.
func (s *Spec) Check() error {
	if err := CheckID(s.ID); err != nil {
		return err
	}
	if s.Kind == 0 {
		return wrong("kind", "nothing", "one of %s", strings.Join(KindNames(), ", "))
	}
	if !s.Kind.Known() {
		return wrong("kind", strconv.Itoa(int(s.Kind)), "one of %s", strings.Join(KindNames(), ", "))
	}
	if err := s.checkValues(bounded); err != nil {
		return err
	}
	if err := s.checkEnds(); err != nil {
		return err
	}
	if err := s.checkSelector(); err != nil {
		return err
	}
	return s.checkWide()
}

// CheckID rejects invalid ids; the empty id is valid. An id is a part of a URL's path, of lists and
// of commands, so it has letters, digits and a few signs only.
func CheckID(id string) error {
	if len(id) > MaxID {
		return wrong("id", strconv.Quote(id[:32]+"…")+" of "+strconv.Itoa(len(id))+" bytes", "at most %d", MaxID)
	}
	for i := 0; i < len(id); i++ {
		if !idBytes[id[i]] {
			return wrong("id", strconv.Quote(id), "letters, digits and . _ : @ + = , ~ -")
		}
	}
	if id == "." || id == ".." {
		return wrong("id", strconv.Quote(id), "an id that is not a folder's name")
	}
	return nil
}

// idBytes are those that an id may have.
var idBytes = func() (set [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:@+=,~-") {
		set[c] = true
	}
	return set
}()

// checkEnds looks at Src, Dst and Hops.
func (s *Spec) checkEnds() error {
	if s.Kind == Path {
		return s.checkPath()
	}
	if len(s.Hops) > 0 {
		return wrong("hops", strconv.Itoa(len(s.Hops))+" hops", "none: only an intent of kind path has them")
	}
	s.Hops = nil
	mostSrc, mostDst := 1, 1
	switch s.Kind {
	case MultipointToPoint:
		mostSrc = MaxEnds
	case PointToMultipoint:
		mostDst = MaxEnds
	}
	if err := s.checkList("src", s.Src, mostSrc); err != nil {
		return err
	}
	if err := s.checkList("dst", s.Dst, mostDst); err != nil {
		return err
	}
	var err *Error
	if s.Src, err = inOrder("src", s.Src); err != nil {
		return err
	}
	if s.Dst, err = inOrder("dst", s.Dst); err != nil {
		return err
	}
	return s.checkApart()
}

func (s *Spec) checkList(field string, ends []End, most int) error {
	switch {
	case len(ends) == 0:
		return wrong(field, "nothing", "%s", s.wantEnd())
	case len(ends) > most:
		return wrong(field, strconv.Itoa(len(ends))+" ends", "at most %d of an intent of kind %s", most, s.Kind)
	}
	for i := range ends {
		var err *Error
		if s.Kind == HostToHost {
			err = checkHost(field, &ends[i])
		} else {
			err = s.checkPoint(nth(field, i, len(ends)), &ends[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Spec) wantEnd() string {
	if s.Kind == HostToHost {
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

func (s *Spec) checkPoint(field string, e *End) *Error {
	switch {
	case e.Host != (netview.HostID{}):
		return wrong(field, "host "+e.Host.String(), "%s", s.wantEnd())
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
func (s *Spec) checkApart() error {
	for i := range s.Src {
		for j := range s.Dst {
			if s.Src[i] == s.Dst[j] {
				return wrong(nth("dst", j, len(s.Dst)), s.Dst[j].text(s.Kind)+", which src has too,", "another end")
			}
		}
	}
	if s.Kind == HostToHost && s.Src[0].Host.VLAN != s.Dst[0].Host.VLAN {
		return wrong("dst", s.Dst[0].Host.String(),
			"a host in the VLAN of src, %s: nothing translates between VLANs", s.Src[0].Host)
	}
	return nil
}

// checkPath looks at the hops, one by one: whether links join them is the network's matter.
func (s *Spec) checkPath() error {
	switch {
	case len(s.Src) > 0:
		return wrong("src", s.Src[0].text(s.Kind),
			"nothing: an intent of kind path has hops, and begins where the first comes in")
	case len(s.Dst) > 0:
		return wrong("dst", s.Dst[0].text(s.Kind), "nothing: an intent of kind path has hops, and ends where the last goes out")
	case len(s.Hops) == 0:
		return wrong("hops", "nothing", `a list such as [{"dpid":"00000000000000a1","in":1,"out":2}], ingress first`)
	case len(s.Hops) > MaxHops:
		return wrong("hops", strconv.Itoa(len(s.Hops))+" hops", "at most %d", MaxHops)
	}
	s.Src, s.Dst = nil, nil
	for i, h := range s.Hops {
		if err := checkHop(i, h); err != nil {
			return err
		}
		for j, g := range s.Hops[:i] {
			if g.DPID == h.DPID && g.In == h.In {
				return wrong(nth("hops", i, len(s.Hops)), h.DPID.String()+" in by port "+strconv.FormatUint(uint64(h.In), 10),
					"a switch and port that the path has not come in by before, at hops[%d]", j)
			}
		}
	}
	return nil
}

func checkHop(i int, h topology.Hop) error {
	field := "hops[" + strconv.Itoa(i) + "]"
	number := func(p uint32) string { return strconv.FormatUint(uint64(p), 10) }
	switch {
	case h.In == 0 || h.In > MaxPort:
		return wrong(field+".in", number(h.In), "1 to %d", uint32(MaxPort))
	case h.Out == 0 || h.Out > MaxPort:
		return wrong(field+".out", number(h.Out), "1 to %d", uint32(MaxPort))
	case h.Out == h.In:
		return wrong(field+".out", number(h.Out), "another port than the one it comes in by")
	}
	return nil
}
