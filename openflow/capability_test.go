package openflow

import "testing"

// TestFlowRemovedCookie: the cookie is what Parse finds, of both versions; of every cut of it there is
// one or none, and no panic.
func TestFlowRemovedCookie(t *testing.T) {
	for _, v := range []Version{V10, V13} {
		m := &FlowRemoved{Cookie: 0x0123456789abcdef, Match: Match{}}
		b, err := Append(nil, v, 1, m)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := FlowRemovedCookie(v, b); !ok || got != m.Cookie {
			t.Errorf("%s: %x, %t", v, got, ok)
		}
		for n := range b {
			if got, ok := FlowRemovedCookie(v, b[:n]); ok && got != m.Cookie {
				t.Errorf("%s: %x of %d bytes", v, got, n)
			}
		}
	}
}
