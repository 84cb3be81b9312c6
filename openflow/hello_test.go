package openflow

import "testing"

// TestHelloBodies reads hello messages with bodies that are broken: OpenFlow 1.0 ignores them,
// later versions refuse them.
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
