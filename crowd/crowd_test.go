package crowd

import (
	"net"
	"net/netip"
	"testing"
)

// TestOrder: the oldest of all and of each source, whatever leaves in between, and nothing is
// left of what has gone.
func TestOrder(t *testing.T) {
	var c Crowd[int]
	a, b := netip.MustParsePrefix("10.0.0.1/32"), netip.MustParsePrefix("fd00::/64")
	if _, ok := c.Oldest(); ok {
		t.Error("somebody in an empty crowd")
	}
	places := []Place{c.Add(a, 1), c.Add(b, 2), c.Add(a, 3)}
	want := func(all, ofA, ofB int) {
		t.Helper()
		one, _ := c.Oldest()
		two, _ := c.OldestOf(a)
		three, _ := c.OldestOf(b)
		if one != all || two != ofA || three != ofB {
			t.Errorf("oldest %d, %d, %d; want %d, %d, %d", one, two, three, all, ofA, ofB)
		}
	}
	want(1, 1, 2)
	c.Remove(a, &places[0])
	c.Remove(a, &places[0]) // again: nothing
	want(2, 3, 2)
	c.Remove(b, &places[1])
	want(3, 3, 0)
	if c.Len() != 1 || c.Of(a) != 1 || c.Of(b) != 0 || c.Sources() != 1 {
		t.Errorf("%d there, %d and %d of sources, %d sources", c.Len(), c.Of(a), c.Of(b), c.Sources())
	}
	c.Remove(a, &places[2])
	if c.Len() != 0 || c.Sources() != 0 {
		t.Errorf("%d left, of %d sources", c.Len(), c.Sources())
	}
}

func TestSourceOf(t *testing.T) {
	for address, want := range map[string]string{
		"10.0.0.1:80": "10.0.0.1/32", "[::ffff:10.0.0.1]:80": "10.0.0.1/32",
		"[fd00::1]:1": "fd00::/64", "[fd00::ffff:1]:2": "fd00::/64", "[fe80::1%lo]:2": "fe80::/64",
	} {
		if got := SourceOf(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address))); got.String() != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
	if got := SourceOf(&net.UnixAddr{}); got.IsValid() {
		t.Errorf("a socket without an address: %s", got)
	}
}
