package up

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Cluster describes the instances of a cluster, and how they are killed.
type Cluster struct {
	Instances int
	// OpenFlow, API and Peer are the addresses of the first; the ports of each further one are local.PortStep higher.
	OpenFlow, API, Peer string
	Program             string   // the weir binary; empty: this one
	Args                []string // further arguments of weir node
	// KillEvery is the time between two kills of the owner, which is started again half of it later; 0: none is.
	KillEvery time.Duration
	// Keys, if not nil, has what was typed: the number of an instance, from 1 on, or "k" for the owner.
	Keys <-chan string
}

// Member is an instance of the cluster, as a page shows it.
type Member struct {
	Name     string
	Running  bool
	State    string // as it says itself; empty: it does not answer
	Owner    bool
	Leader   bool // of the store
	Switches int  // that it is master of
}

// text is the member in a few words.
func (m *Member) text() string {
	switch {
	case !m.Running:
		return m.Name + " killed"
	case m.State == "":
		return m.Name + " starting"
	}
	text := m.Name + " " + m.State
	if m.Owner {
		text = fmt.Sprintf("%s owner of %s", m.Name, Counted(m.Switches, "switch", "switches"))
	}
	if m.Leader {
		text += ", leads the store"
	}
	return text
}

// membersText is all of them in a line.
func membersText(list []Member) string {
	var parts []string
	for i := range list {
		parts = append(parts, fmt.Sprintf("%d %s", i+1, list[i].text()))
	}
	return strings.Join(parts, "; ")
}

// killer decides who is killed and who is started again. The crew's loop owns it.
type killer struct {
	every time.Duration
	next  time.Time // when the owner is killed; zero: not before the network is complete
	back  time.Time // when who was killed by the clock is started again; zero: nobody was
	byKey int       // who was killed by "k"; -1: nobody
	clock int       // who was killed by the clock
}

func newKiller(every time.Duration) *killer { return &killer{every: every, byKey: -1} }

// order is what is to be done with an instance, by its index.
type order struct {
	at    int
	start bool // else it is killed
}

// key takes what was typed; the error says what was expected.
func (k *killer) key(text string, list []Member) (order, error) {
	text = strings.TrimSpace(text)
	if text == "k" || text == "K" {
		if at := k.byKey; at >= 0 && !list[at].Running {
			k.byKey = -1
			return order{at, true}, nil
		}
		for i := range list {
			if list[i].Owner && list[i].Running {
				k.byKey = i
				return order{at: i}, nil
			}
		}
		return order{}, fmt.Errorf("no instance is the owner now")
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > len(list) {
		return order{}, fmt.Errorf("%q given, want the number of an instance, 1 to %d, or k for the owner", text, len(list))
	}
	return order{n - 1, !list[n-1].Running}, nil
}

// tick is what is due. The owner is killed only while all others stand by: the cluster survives the loss of one.
func (k *killer) tick(now time.Time, complete bool, list []Member) (order, bool) {
	switch {
	case k.every == 0 || !complete:
		return order{}, false
	case k.next.IsZero():
		k.next = now.Add(k.every)
		return order{}, false
	case !k.back.IsZero() && !now.Before(k.back):
		k.back = time.Time{}
		return order{k.clock, true}, !list[k.clock].Running
	case now.Before(k.next):
		return order{}, false
	}
	owner := -1
	for i := range list {
		switch {
		case !list[i].Running || list[i].State == "":
			return order{}, false
		case list[i].Owner:
			owner = i
		}
	}
	if owner < 0 {
		return order{}, false
	}
	k.next, k.back, k.clock = now.Add(k.every), now.Add(k.every/2), owner
	return order{at: owner}, true
}
