package flowtable

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
)

// station is the address of a station; nobody's is one that cannot be learned, as it is a group's.
func station(n int) (mac [6]byte) {
	mac[0] = 2
	if n == nobody {
		mac[0] = 3
	}
	binary.BigEndian.PutUint32(mac[2:], uint32(n))
	return mac
}

const nobody = -1

// talk sends a frame from one station to another through NORMAL, and returns the ports it left by.
func (b *bed) talk(port uint32, from, to int, at time.Duration) (ports []uint32) {
	dst, src := station(to), station(from)
	frame := append(append(dst[:], src[:]...), 0x99, 0x99)
	out := &portsSeen{}
	b.Receive(port, append(frame, make([]byte, 46)...), at, out)
	return out.ports
}

type portsSeen struct {
	recorder
	ports []uint32
}

func (p *portsSeen) Transmit(port, _ uint32, _ []byte) { p.ports = append(p.ports, port) }

// normalBed is a switch whose only entry is NORMAL.
func normalBed(t *testing.T) *bed {
	b := newBed(t, Config{})
	b.must(flow(t, 0, "", "apply:[output:normal]"))
	return b
}

// TestNormalRemembersItsMost: a full table of addresses forgets the one that was seen longest ago,
// and no other.
func TestNormalRemembersItsMost(t *testing.T) {
	b := normalBed(t)
	for n := range maxLearned {
		b.talk(1, n, 1<<20, 0)
	}
	b.talk(2, 0, 1<<20, 1) // the first speaks again, elsewhere: now 1 is the oldest
	b.talk(3, maxLearned, 1<<20, 2)
	if got := len(b.learning.index); got != maxLearned {
		t.Errorf("%d addresses are remembered, want %d", got, maxLearned)
	}
	for n, want := range map[int][]uint32{0: {2}, 1: {1, 2, 3}, 2: {1}, maxLearned - 1: {1}, maxLearned: {3}} {
		if got := b.talk(4, nobody, n, 3); len(got) != len(want) || got[0] != want[0] {
			t.Errorf("a frame to station %d leaves by %v, want %v", n, got, want)
		}
	}
}

// TestNormalForgetsPorts: what was learned behind a port goes with it, also when another port takes
// its number.
func TestNormalForgetsPorts(t *testing.T) {
	b := normalBed(t)
	b.talk(1, 1, 9, 0)
	b.talk(2, 2, 9, 0)
	b.RemovePort(1, 0, &b.out)
	b.AddPort(openflow.Port{Number: 2, Name: "other"}, 0, &b.out)
	if got := b.talk(3, 3, 1, 1); len(got) != 2 {
		t.Errorf("a frame to a station behind a port that went leaves by %v, want 2 and 4", got)
	}
	if got := b.talk(3, 3, 2, 1); len(got) != 2 {
		t.Errorf("a frame to a station behind a port that was replaced leaves by %v, want 2 and 4", got)
	}
	if got := b.talk(4, 4, 3, 1); len(got) != 1 || got[0] != 3 {
		t.Errorf("a frame to a station behind another port leaves by %v, want 3", got)
	}
}
