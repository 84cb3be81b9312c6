package openflow

import "testing"

func TestNegotiate(t *testing.T) {
	two := VersionBit(V10) | VersionBit(V13)
	for _, c := range []struct {
		what   string
		ours   uint32
		header Version
		theirs uint32
		want   Version
		ok     bool
	}{
		{"both list both", two, V13, two, V13, true},
		{"the peer lists 1.0 under a header of 1.3", two, V13, VersionBit(V10), V10, true},
		{"the peer lists 1.0 and 1.5", two, 6, VersionBit(V10) | 1<<6, V10, true},
		{"nothing in common", VersionBit(V13), V13, VersionBit(V10) | 1<<5, 0, false},
		{"an old peer without a list", two, V10, 0, V10, true},
		{"a newer peer without a list", two, 6, 0, V13, true},
		{"a peer of 1.2 without a list", two, 3, 0, 0, false},
		{"we speak 1.0 only", VersionBit(V10), V13, 0, V10, true},
		{"we speak 1.3 only, an old peer", VersionBit(V13), V10, 0, 0, false},
		{"a header above all bits", two, 200, 0, V13, true},
	} {
		v, ok := Negotiate(c.ours, c.header, &Hello{Versions: c.theirs})
		if ok != c.ok || ok && v != c.want {
			t.Errorf("%s: %s %v, want %s %v", c.what, v, ok, c.want, c.ok)
		}
	}
}

// TestHelloBodies reads hello messages with bodies that are broken: OpenFlow 1.0 ignores them, later versions refuse them.
func TestHelloBodies(t *testing.T) {
	for _, c := range []struct {
		what string
		body []byte
		want uint32 // versions; all ones for refused
	}{
		{"nothing", nil, 0},
		{"a bitmap", []byte{0, 1, 0, 8, 0, 0, 0, 0x12}, 0x12},
		{"a bitmap of two words", []byte{0, 1, 0, 12, 0, 0, 0, 0x12, 0, 0, 0, 1, 0, 0, 0, 0}, 0x12},
		{"an unknown element before the bitmap", []byte{0, 7, 0, 5, 1, 0, 0, 0, 0, 1, 0, 8, 0, 0, 0, 0x10}, 0x10},
		{"a last element without padding", []byte{0, 7, 0, 5, 1}, 0},
		{"a bitmap without a word", []byte{0, 1, 0, 4, 0, 0, 0, 0}, 0},
		{"an element of length 0", []byte{0, 1, 0, 0, 0, 0, 0, 0x12}, ^uint32(0)},
		{"an element longer than the message", []byte{0, 1, 0, 9, 0, 0, 0, 0x12}, ^uint32(0)},
		{"three bytes", []byte{0, 1, 0}, ^uint32(0)},
	} {
		for _, v := range []Version{V10, V13, 6} {
			var m Hello
			err := m.Parse(v, c.body)
			want := c.want
			if v == V10 && want == ^uint32(0) {
				want = 0
			}
			if refused := want == ^uint32(0); refused != (err != nil) || !refused && m.Versions != want {
				t.Errorf("%s, version %s: %#x, %v", c.what, v, m.Versions, err)
			}
		}
	}
}
