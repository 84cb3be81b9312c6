package flowtable

import (
	"testing"

	"github.com/weirnet/weir/openflow"
)

// TestCacheUnderPressure: with more flows than it can hold a cache grows, is passed by, and is
// tried again; it never answers otherwise than a search.
func TestCacheUnderPressure(t *testing.T) {
	s, _, _ := full(t, 1000, 1)
	tab := s.tables[0]
	k := func(i int) (w words) {
		w[wordPort] = 1<<32 | etherTypeIPv4<<16
		w[wordDst] = protoUDP << 8
		w[wordIPv4] = uint64(i)*mix1>>32<<32 | uint64(i)*2654435761&0xffffffff
		return w
	}
	sizes, passed := map[int]bool{}, false
	for i := range 300_000 {
		w := k(i)
		if got, want := tab.lookup(&w), tab.find(&w); got != want {
			t.Fatalf("key %d: %p, want %p", i, got, want)
		}
		sizes[len(tab.cache.slots)] = true
		passed = passed || tab.cache.passBy > 0
	}
	if !sizes[cacheFirst] || !sizes[cacheMost] || len(tab.cache.slots) != cacheMost || !passed {
		t.Errorf("sizes %v, passed by: %t", sizes, passed)
	}
	// A few flows again: it is of use.
	tab.cache.passBy = 0
	for i := range 10_000 {
		w := k(i % 8)
		tab.lookup(&w)
	}
	if c := &tab.cache; c.passBy > 0 || c.hits < c.tries*9/10 {
		t.Errorf("%d hits of %d, passed by for %d", c.hits, c.tries, c.passBy)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

// TestCacheRounds: when the count of rounds begins anew, nothing of an old round with the same
// number is believed.
func TestCacheRounds(t *testing.T) {
	b := newBed(t, Config{})
	for i, match := range []string{"in_port=1", "eth_type=0x0800", "vlan_vid=none"} {
		b.must(flow(t, uint16(5-i), match, "apply:[output:2]"))
	}
	b.Receive(1, udp(0), 0, &b.out)
	c := &b.tables[0].cache
	if c.round != 1 {
		t.Fatalf("round %d", c.round)
	}
	c.round = ^uint32(0)
	b.must(flow(t, 9, "in_port=1", "apply:[output:3]"))
	if c.round != 1 {
		t.Fatalf("round %d", c.round)
	}
	b.out.take()
	b.Receive(1, udp(0), 0, &b.out)
	if got, want := b.out.take(), "transmit port=3 "+frameText(udp(0)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestBufferRounds: ids begin anew after the last round, and are never openflow.NoBuffer.
func TestBufferRounds(t *testing.T) {
	b := newBuffers(2)
	seen := map[uint32]bool{}
	for range 2 * 0x8002 {
		id := b.keep(udp(0), 1)
		if id == openflow.NoBuffer {
			t.Fatal("no buffer")
		}
		seen[id] = true
	}
	if len(seen) != 2*0x7fff {
		t.Errorf("%d ids", len(seen))
	}
}
