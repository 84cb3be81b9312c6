package tenant

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// ranged returns a definition whose space is one region of a field's range.
func ranged(r Range) *Definition {
	return &Definition{Name: "blue", Number: 1, Ports: []netview.Point{at(1, 1)},
		Written: []Written{{Region: Region{Priority: 10}, Ranges: []Range{r}}}}
}

// fieldsOfRanges are fields with masks and without, of all widths.
var fieldsOfRanges = []openflow.Field{openflow.FieldVLANVID, openflow.FieldVLANPCP, openflow.FieldIPv4Src, openflow.FieldTCPDst,
	openflow.FieldEthSrc, openflow.FieldIPv6Dst, openflow.FieldIPv6FLabel, openflow.FieldIPDSCP, openflow.FieldPBBISID,
	openflow.FieldIPv6NDTarget, openflow.FieldMPLSLabel}

// TestRangeIsItsRegions: a value is in a range if and only if it is in one of the regions that the range makes, and in no two
// of them; of prefixes there are as few as can be.
func TestRangeIsItsRegions(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 1))
	for range 2000 {
		r, width := randomRange(rnd)
		d := ranged(r)
		if err := d.Check(); err != nil {
			t.Fatalf("%s=%s: %v", r.Field, &r, err)
		}
		for range 50 {
			value := near(rnd, &r, width)
			in := bytes.Compare(r.Low, value) <= 0 && bytes.Compare(value, r.High) <= 0
			if n := holding(d, &r, value); n > 1 || (n == 1) != in {
				t.Fatalf("%s=%s: %x is in %d regions, want %t", r.Field, &r, value, n, in)
			}
		}
		if r.Field.Maskable() {
			if n := fewest(&r); len(d.Space) != n {
				t.Fatalf("%s=%s makes %d regions, %d are enough", r.Field, &r, len(d.Space), n)
			}
		}
	}
}

// randomRange returns a range of a random field, of up to 500 values where there are no masks.
func randomRange(rnd *rand.Rand) (r Range, width int) {
	f := fieldsOfRanges[rnd.IntN(len(fieldsOfRanges))]
	width = f.Bits()
	if f == openflow.FieldVLANVID {
		width = 12
	}
	m := matchOfAny(f)
	value, _, _ := m.Lookup(f)
	r = Range{Field: f, Low: bytes.Clone(value), High: bytes.Clone(value)}
	for bit := range width {
		if rnd.IntN(2) == 0 {
			r.Low[len(r.Low)-1-bit/8] |= 1 << (bit % 8)
		}
	}
	r.High = bytes.Clone(r.Low)
	spread := min(width, 8)
	if f.Maskable() {
		spread = rnd.IntN(width) + 1
	}
	for bit := range spread {
		at := len(r.Low) - 1 - bit/8
		if r.Low[at] &^= 1 << (bit % 8); rnd.IntN(2) == 0 {
			r.High[at] |= 1 << (bit % 8)
		}
		if rnd.IntN(2) == 0 {
			r.Low[at] |= 1 << (bit % 8)
		}
	}
	if bytes.Compare(r.Low, r.High) > 0 {
		r.Low, r.High = r.High, r.Low
	}
	return r, width
}

// matchOfAny is a match of a field's least value; a tag is there.
func matchOfAny(f openflow.Field) (m openflow.Match) {
	if f == openflow.FieldVLANVID {
		m.SetUint(f, uint64(openflow.VLANPresent))
		return m
	}
	text := "0"
	for _, text = range []string{"0", "0.0.0.0", "::", "00:00:00:00:00:00"} {
		if m.SetText(f.String(), text) == nil {
			break
		}
	}
	return m
}

// near returns a value at an end of a range, or beside it, or any.
func near(rnd *rand.Rand, r *Range, width int) []byte {
	value := bytes.Clone(r.Low)
	if rnd.IntN(2) == 0 {
		value = bytes.Clone(r.High)
	}
	switch rnd.IntN(4) {
	case 0:
		increment(value)
	case 1:
		for i := len(value) - 1; i >= 0; i-- { // less one
			if value[i]--; value[i] != 0xff {
				break
			}
		}
	case 2:
		for bit := range width {
			if rnd.IntN(8) == 0 {
				value[len(value)-1-bit/8] ^= 1 << (bit % 8)
			}
		}
	}
	for bit := r.Field.Bits(); bit < 8*len(value); bit++ { // what the field does not have
		value[len(value)-1-bit/8] &^= 1 << (bit % 8)
	}
	return value
}

// holding returns how many regions of a definition hold packets that have a value, with the prerequisites.
func holding(d *Definition, r *Range, value []byte) (n int) {
	for i := range d.Space {
		have, mask, has := d.Space[i].Match.Lookup(r.Field)
		same := has
		for k := 0; has && k < len(value); k++ {
			bits := byte(0xff)
			if mask != nil {
				bits = mask[k]
			}
			same = same && (value[k]^have[k])&bits == 0
		}
		if same || !has {
			n++
		}
	}
	return n
}

// fewest returns how many prefixes a range takes: the largest one that begins at its low end and is within it, and so on.
func fewest(r *Range) (n int) {
	for low := r.Low; ; increment(low) {
		bits := 0
		for bits < r.Field.Bits() && bytes.Equal(blockBegin(low, bits+1), low) &&
			bytes.Compare(blockEnd(low, bits+1), r.High) <= 0 {
			bits++
		}
		n++
		if low = blockEnd(low, bits); bytes.Equal(low, r.High) {
			return n
		}
	}
}

func blockEnd(v []byte, bits int) []byte {
	v = bytes.Clone(v)
	for k := range bits {
		v[len(v)-1-k/8] |= 1 << (k % 8)
	}
	return v
}

func blockBegin(v []byte, bits int) []byte {
	v = bytes.Clone(v)
	for k := range bits {
		v[len(v)-1-k/8] &^= 1 << (k % 8)
	}
	return v
}

// TestRanges: how spaces with ranges are read, shown, counted and refused.
func TestRanges(t *testing.T) {
	parse := func(field, text string) Range {
		t.Helper()
		f, _ := openflow.FieldByName(field)
		r, ok, err := ParseRange(f, text)
		if err != nil || !ok {
			t.Fatalf("%s=%s: %v", field, text, err)
		}
		return r
	}
	d := &Definition{Name: "blue", Number: 1, Ports: []netview.Point{at(1, 1)}, Written: []Written{
		{Region: Region{10, matching(t, "vlan_vid", "7")}},
		{Region: Region{10, matching(t)}, Ranges: []Range{parse("vlan_vid", "100-199")}},
		{Region: Region{20, matching(t)}, Ranges: []Range{parse("tcp_dst", "8000-8002"), parse("ipv4_src", "10.0.0.5-10.0.0.9")}},
		{Region: Region{20, matching(t)}, Ranges: []Range{parse("ipv4_src", "0.0.0.0-255.255.255.255")}},
		{Region: Region{30, matching(t)}, Ranges: []Range{parse("vlan_vid", "0-4095")}},
		{Region: Region{30, matching(t)}, Ranges: []Range{parse("tcp_dst", "80-80")}},
	}}
	if err := d.Check(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range d.Space {
		got = append(got, fmt.Sprint(d.Space[i].Priority, d.Space[i].Match))
	}
	slices.Sort(got)
	want := []string{"10{vlan_vid=0x1064/0x1ffc}", "10{vlan_vid=0x1068/0x1ff8}", "10{vlan_vid=0x1070/0x1ff0}",
		"10{vlan_vid=0x1080/0x1fc0}", "10{vlan_vid=0x10c0/0x1ff8}", "10{vlan_vid=7}", "20{eth_type=0x0800}",
		"30{eth_type=0x0800,ip_proto=6,tcp_dst=80}", "30{vlan_vid=any}"}
	for _, src := range []string{"10.0.0.5", "10.0.0.6/31", "10.0.0.8/31"} {
		for _, dst := range []string{"8000", "8001", "8002"} {
			want = append(want, "20{eth_type=0x0800,ip_proto=6,ipv4_src="+src+",tcp_dst="+dst+"}")
		}
	}
	slices.Sort(want)
	for i := range got {
		got[i] = strings.Replace(got[i], " ", "", 1)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the regions are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	space, written := slices.Clone(d.Space), len(d.Written)
	if err := d.Check(); err != nil || len(d.Written) != written || len(space) != len(d.Space) {
		t.Errorf("checked again it has %d regions of %d written ones: %v", len(d.Space), len(d.Written), err)
	}

	for _, c := range []struct{ field, text, want string }{
		{"tcp_dst", "80-", "both values"}, {"tcp_dst", "-80", "both values"}, {"tcp_dst", "-", "both values"},
		{"tcp_dst", "90-80", "the lower value first"}, {"tcp_dst", "1-2-3", `for "2-3"`}, {"tcp_dst", "1-65536", "at most 65535"},
		{"tcp_dst", "1-a", "a number"}, {"ipv4_src", "10.0.0.0/8-11.0.0.0", "without a mask"},
		{"ipv4_src", "10.0.0.0/32-11.0.0.0", "without a mask"}, {"vlan_vid", "none-5", `"none" a value`},
		{"vlan_vid", "5-any", `"any" a value`}, {"vlan_vid", "1-4096", "0–4095"}, {"ipv4_src", "10.0.0.1-::1", "10.0.0.1"},
	} {
		f, _ := openflow.FieldByName(c.field)
		if r, ok, err := ParseRange(f, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s is read as %v, %t: %v, want %q", c.field, c.text, r, ok, err, c.want)
		}
	}
	for _, c := range []struct {
		want   string
		ranges []Range
	}{
		{"space[1].match: tcp_dst=1-60000 given, want at most 1000 regions in a space: this makes 60000",
			[]Range{parse("tcp_dst", "1-60000")}},
		{"this makes 1020", []Range{parse("tcp_dst", "1-255"), parse("ipv4_src", "0.0.0.1-0.0.0.8")}},
		{"space: 1001 regions, with those that ranges make given, want at most 1000",
			[]Range{parse("tcp_dst", "1-1000")}},
		{"340282366920938463463374607431768211456",
			[]Range{parse("ipv6_nd_target", "::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")}},
	} {
		d := ranged(c.ranges[0])
		d.Written = []Written{{Region: Region{10, matching(t, "vlan_vid", "7")}},
			{Region: Region{Priority: 11}, Ranges: c.ranges}}
		if err := d.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// FuzzRange: what is read as a range is written so that it is read as the same one.
func FuzzRange(f *testing.F) {
	for _, text := range []string{"8000-8099", "10.0.0.5-10.0.0.9", "100-199", "::1-::2", "00:00:00:00:00:01-00:00:00:00:00:ff",
		"-", "0x10-0x20", "any-none", "5-5"} {
		for _, field := range fieldsOfRanges {
			f.Add(uint8(field), text)
		}
	}
	f.Fuzz(func(t *testing.T, field uint8, text string) {
		r, ok, err := ParseRange(openflow.Field(field), text)
		if err != nil || !ok {
			return
		}
		again, ok, err := ParseRange(r.Field, r.String())
		if err != nil || !ok || !bytes.Equal(again.Low, r.Low) || !bytes.Equal(again.High, r.High) {
			t.Fatalf("%q is read as %s, and that as %s: %v", text, &r, &again, err)
		}
		if r.count().BitLen() < 20 {
			_ = ranged(r).Check()
		}
	})
}
