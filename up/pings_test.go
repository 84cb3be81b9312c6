package up

import (
	"net/netip"
	"testing"
	"time"

	"github.com/weirnet/weir/emu/topo"
)

func topology(t *testing.T, word string) *topo.Topology {
	t.Helper()
	n, err := topo.Parse(word, 1)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Each host asks the next until that has answered, so that everybody is asked; and then others,
// never itself.
func TestEverybodyIsAsked(t *testing.T) {
	n := topology(t, "ring:5,hosts=2")
	k := newPinger(n, 1)
	if k.reachable != 10 {
		t.Fatalf("%d of 10 hosts are asked", k.reachable)
	}
	number := map[netip.Addr]int{}
	for i := range n.Hosts {
		number[n.Hosts[i].IPv4.Addr()] = i
	}
	partners := map[int]bool{}
	for round := range 200 {
		k.broadcasts = 10
		for i := range n.Hosts {
			to, ok := k.nextPing(i)
			j, known := number[to]
			if !ok || !known || j == i {
				t.Fatalf("host %d asks %s", i, to)
			}
			if round < 50 && j != (i+1)%10 {
				t.Fatalf("host %d asks %d before its next has answered", i, j)
			}
			if round >= 50 {
				k.noteReply(i, time.Millisecond)
			}
			if i == 0 {
				partners[j] = true
			}
		}
		if round == 49 && k.answered != 0 || round == 50 && k.answered != 10 {
			t.Errorf("%d answered after round %d", k.answered, round)
		}
	}
	if len(partners) < 5 {
		t.Errorf("host 0 asked %d others in 200 rounds", len(partners))
	}
}

// Who cannot be reached is not asked: in another part, in another VLAN, or alone.
func TestWhoCannotBeReached(t *testing.T) {
	n := topology(t, "single:3,hosts=2")
	n.Hosts[0].VLAN = 7
	k := newPinger(n, 1)
	k.broadcasts = 4
	if k.reachable != 4 {
		t.Errorf("%d hosts are asked, want 4", k.reachable)
	}
	for i := range n.Hosts {
		to, ok := k.nextPing(i)
		if want := i >= 2; ok != want || ok && to != n.Hosts[i^1].IPv4.Addr() {
			t.Errorf("host %d asks %s, %v", i, to, ok)
		}
	}
}

// Answers are counted once, and what is lost only after all have answered once.
func TestAnswers(t *testing.T) {
	k := newPinger(topology(t, "linear:2"), 1)
	k.broadcasts = 2
	k.nextPing(0)
	k.nextPing(1)
	k.noteLost()
	k.noteReply(0, 3*time.Millisecond)
	k.noteLost()
	if k.lost != 0 || k.answered != 1 {
		t.Errorf("%d lost, %d answered", k.lost, k.answered)
	}
	k.noteReply(1, time.Millisecond)
	k.noteReply(0, 2*time.Millisecond)
	k.noteLost()
	n, typical, slow := k.takeRTTs()
	if k.lost != 1 || k.answered != 2 || n != 3 || typical != 2*time.Millisecond || slow != 3*time.Millisecond {
		t.Errorf("%d lost, %d answered, %d answers, %s, %s", k.lost, k.answered, n, typical, slow)
	}
	if n, _, _ := k.takeRTTs(); n != 0 {
		t.Errorf("%d answers were taken twice", n)
	}
}

// Without a fresh question no host is asked for the first time; hosts that have answered are asked again.
func TestFreshQuestions(t *testing.T) {
	k := newPinger(topology(t, "linear:3"), 1)
	k.broadcasts = 1
	if _, ok := k.nextPing(0); !ok {
		t.Error("one fresh question, and it may not be asked")
	}
	if _, ok := k.nextPing(1); ok {
		t.Error("a fresh question that there is not")
	}
	k.noteReply(0, time.Millisecond)
	if _, ok := k.nextPing(0); !ok {
		t.Error("to ask again takes no fresh question")
	}
}
