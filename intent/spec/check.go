package spec

import (
	"strconv"
	"strings"
)

// Check canonicalises the intent (the selector with its prerequisites, several connect points
// sorted, Wide) and rejects, with an *Error, one that no network could serve. It does not check what
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
	s.Wide = s.Boundless()
	return nil
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
		err := checkPath(s.Src, s.Dst, s.Hops)
		if err == nil {
			s.Src, s.Dst = nil, nil
		}
		return err
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
	if err := s.Kind.checkEnds("src", s.Src, mostSrc); err != nil {
		return err
	}
	if err := s.Kind.checkEnds("dst", s.Dst, mostDst); err != nil {
		return err
	}
	var err *Error
	if s.Src, err = inOrder("src", s.Src); err != nil {
		return err
	}
	if s.Dst, err = inOrder("dst", s.Dst); err != nil {
		return err
	}
	return s.Kind.checkApart(s.Src, s.Dst)
}
