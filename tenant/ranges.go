package tenant

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/weirnet/weir/openflow"
)

// Range is the values of a field from one to another, both included. They are as long as the field, in network byte order.
// FieldVLANVID has the bit VLANPresent in both.
type Range struct {
	Field     openflow.Field
	Low, High []byte
}

// Written is a region as it was written: one that has ranges stands for as many regions as it takes to say these by values
// and masks of OpenFlow 1.3.
type Written struct {
	Region
	Ranges   []Range // of fields that Match does not have
	ReadOnly bool    // it is of Watched
}

// ParseRange reads LOW-HIGH. It returns false for a value that is no range, also for one of which both ends are the same.
func ParseRange(f openflow.Field, text string) (r Range, ok bool, err error) {
	low, high, ok := strings.Cut(text, "-")
	if !ok {
		return r, false, nil
	}
	r.Field = f
	if r.Low, err = parseEnd(f, low); err != nil {
		return r, false, err
	}
	if r.High, err = parseEnd(f, high); err != nil {
		return r, false, err
	}
	if bytes.Compare(r.Low, r.High) > 0 {
		return r, false, errors.New("a range LOW-HIGH, the lower value first")
	}
	return r, true, nil
}

// parseEnd reads one end of a range. The error says what is wanted.
func parseEnd(f openflow.Field, text string) ([]byte, error) {
	var m openflow.Match
	if text == "" {
		return nil, errors.New("a range LOW-HIGH, with both values")
	}
	if err := m.SetText(f.String(), text); err != nil {
		_, want, _ := strings.Cut(err.Error(), ": want ")
		return nil, fmt.Errorf("a range LOW-HIGH, and for %q %s", text, cmp.Or(want, "a value without a mask"))
	}
	value, mask, has := m.Lookup(f)
	untagged := has && f == openflow.FieldVLANVID && value[0]&byte(openflow.VLANPresent>>8) == 0
	if !has || untagged || mask != nil || strings.Contains(text, "/") {
		return nil, fmt.Errorf("a range LOW-HIGH, and for %q a value without a mask", text)
	}
	return value, nil
}

// String is the range as ParseRange reads it.
func (r *Range) String() string { return valueText(r.Field, r.Low) + "-" + valueText(r.Field, r.High) }

func valueText(f openflow.Field, value []byte) (text string) {
	var m openflow.Match
	m.Set(f, value, nil)
	m.Each(func(_, value string) { text = value })
	return text
}

// count is how many regions the range takes.
func (r *Range) count() *big.Int {
	if !r.Field.Maskable() {
		n := new(big.Int).Sub(new(big.Int).SetBytes(r.High), new(big.Int).SetBytes(r.Low))
		return n.Add(n, big.NewInt(1))
	}
	n := int64(0)
	r.each(func(_, _ []byte) { n++ })
	return big.NewInt(n)
}

// each calls f for each value and mask that the range consists of: prefixes, the fewest that there are, none of which has a
// value of another; single values, with a mask of nil, where OpenFlow 1.3 has no mask of the field. The slices are f's.
func (r *Range) each(f func(value, mask []byte)) {
	if !r.Field.Maskable() {
		for v := bytes.Clone(r.Low); ; increment(v) {
			if f(bytes.Clone(v), nil); bytes.Equal(v, r.High) {
				return
			}
		}
	}
	bits := 8 * len(r.Low)
	r.prefixes(make([]byte, len(r.Low)), bits-r.Field.Bits(), bits, f)
}

// prefixes calls f for each prefix of the range that begins with the first n of a value's bits; the others are 0 in value.
func (r *Range) prefixes(value []byte, n, bits int, f func(value, mask []byte)) {
	first, last, mask := value, bytes.Clone(value), make([]byte, len(value))
	for i := range bits {
		if bit := byte(0x80) >> (i % 8); i < n {
			mask[i/8] |= bit // also beyond the field, where Canonical leaves it out
		} else {
			last[i/8] |= bit
		}
	}
	switch {
	case bytes.Compare(last, r.Low) < 0 || bytes.Compare(first, r.High) > 0:
	case bytes.Compare(r.Low, first) <= 0 && bytes.Compare(last, r.High) <= 0:
		f(bytes.Clone(first), mask)
	default:
		r.prefixes(value, n+1, bits, f)
		upper := bytes.Clone(value)
		upper[n/8] |= 0x80 >> (n % 8)
		r.prefixes(upper, n+1, bits, f)
	}
}

// increment adds one.
func increment(v []byte) {
	for i := len(v) - 1; i >= 0; i-- {
		if v[i]++; v[i] != 0 {
			return
		}
	}
}

// checkCount refuses a space of too many regions, before they are made.
func checkCount(list []Written) error {
	all, most, ranges := new(big.Int), big.NewInt(RegionsMax), false
	for i := range list {
		n, text := big.NewInt(1), ""
		for k := range list[i].Ranges {
			r := &list[i].Ranges[k]
			n.Mul(n, r.count())
			ranges, text = true, text+fmt.Sprintf(",%s=%s", r.Field, r)
		}
		if n.Cmp(most) > 0 {
			return &Error{fmt.Sprintf("space[%d].match", i), text[1:], fmt.Sprintf("at most %d regions in a space: this makes %s, as "+
				"OpenFlow 1.3 matches values and masks", RegionsMax, n)}
		}
		all.Add(all, n)
	}
	switch {
	case all.Cmp(most) <= 0:
		return nil
	case ranges:
		return &Error{"space", all.String() + " regions, with those that ranges make", fmt.Sprintf("at most %d", RegionsMax)}
	}
	return &Error{"space", fmt.Sprintf("%s regions", all), fmt.Sprintf("at most %d", RegionsMax)}
}

// regions are those that it stands for. It is made canonical: the prerequisites of ranges are in its match.
func (w *Written) regions(field string) ([]Region, error) {
	list := []Region{w.Region}
	if len(w.Ranges) == 0 {
		err := w.check(field, w.ReadOnly)
		return []Region{w.Region}, err
	}
	w.Ranges = slices.Clone(w.Ranges)
	slices.SortFunc(w.Ranges, func(a, b Range) int { return cmp.Compare(a.Field, b.Field) })
	whole := w.Match.Clone()
	for i := range w.Ranges {
		whole.Set(w.Ranges[i].Field, w.Ranges[i].Low, nil)
	}
	whole = whole.Canonical()
	var kept []Range
	for i := range w.Ranges {
		r := &w.Ranges[i]
		if bytes.Equal(r.Low, r.High) {
			continue // a value, which is in whole
		}
		whole.Remove(r.Field)
		kept = append(kept, *r)
	}
	w.Match, w.Ranges = whole, kept
	list[0].Match = whole
	for i := range kept {
		list = kept[i].of(list)
	}
	return list, nil
}

// of returns the regions with each of the range's values and masks.
func (r *Range) of(list []Region) (all []Region) {
	r.each(func(value, mask []byte) {
		for _, region := range list {
			region.Match = region.Match.Clone()
			region.Match.Set(r.Field, value, mask)
			all = append(all, region)
		}
	})
	return all
}

// compareWritten orders regions as they were written: by falling priority.
func compareWritten(a, b Written) int {
	return cmp.Or(compareRegions(a.Region, b.Region), cmp.Compare(a.rangesText(), b.rangesText()))
}

func (w *Written) rangesText() (text string) {
	for i := range w.Ranges {
		text += w.Ranges[i].Field.String() + "=" + w.Ranges[i].String() + ","
	}
	return text
}
