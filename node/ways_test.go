package node_test

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/trace"
)

// passing is a point that a goroutine has passed.
type passing struct {
	point     trace.Point
	goroutine string
}

// passings are those since watchPoints.
type passings struct {
	mu   sync.Mutex
	list []passing
}

// watchPoints notes who passes which point, until the test ends.
func watchPoints(t *testing.T) *passings {
	p := &passings{}
	t.Cleanup(trace.Watch(func(point trace.Point) {
		var b [64]byte
		id, _, _ := strings.Cut(strings.TrimPrefix(string(b[:runtime.Stack(b[:], false)]), "goroutine "), " ")
		p.mu.Lock()
		defer p.mu.Unlock()
		p.list = append(p.list, passing{point, id})
	}))
	return p
}

// take returns the points passed since the last call.
func (p *passings) take() []passing {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.list
	p.list = nil
	return list
}

// waypoint is a line of a way in docs/ARCHITECTURE.md.
type waypoint struct {
	point     trace.Point
	goroutine string // what the page calls it
	outside   bool   // what comes before it is done by a switch
}

// wayOf reads a way from docs/ARCHITECTURE.md, and how many hand-offs the page says it has.
func wayOf(t *testing.T, name string) (way []waypoint, handoffs int) {
	t.Helper()
	page, err := os.ReadFile("../docs/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)\n### " + name + ": (\\d+) hand-offs?\n.*?```\n(.*?)```").FindStringSubmatch(string(page))
	if found == nil {
		t.Fatalf("docs/ARCHITECTURE.md has no way %q", name)
	}
	handoffs, _ = strconv.Atoi(found[1])
	outside := false
	for line := range strings.Lines(found[2]) {
		cells := strings.Split(line, "|")
		if len(cells) != 3 {
			outside = true
			continue
		}
		way = append(way, waypoint{trace.Point(strings.TrimSpace(cells[1])), strings.TrimSpace(cells[0]), outside})
		outside = false
	}
	return way, handoffs
}

// walk finds a way among the points that were passed, and counts the hand-offs from one goroutine to another
// in it. What the page calls a writer is another goroutine each time. at is where the way begins and ends.
func walk(way []waypoint, list []passing) (handoffs int, at [2]int, missing string) {
	who := map[string]string{}
	last, k := "", -1
	for n, w := range way {
		isNew := strings.HasPrefix(w.goroutine, "a writer")
		k++
		for ; ; k++ {
			if k == len(list) {
				return handoffs, at, string(w.point) + " on the goroutine of " + w.goroutine
			}
			id, known := who[w.goroutine], false
			for name, other := range who {
				known = known || name != w.goroutine && other == list[k].goroutine
			}
			if list[k].point == w.point && !known && (isNew || id == "" || id == list[k].goroutine) {
				break
			}
		}
		if n == 0 {
			at[0] = k
		} else if list[k].goroutine != last && !w.outside {
			handoffs++
		}
		last = list[k].goroutine
		if !isNew {
			who[w.goroutine] = last
		}
	}
	at[1] = k
	return handoffs, at, ""
}

// tries is how often a way may be gone until nothing else has the turn that an engine would have on it.
const tries = 6

// goTheWay checks that what do causes goes the way that the page shows, with as many hand-offs, and passes the
// points in once as often as the page has them. Where an engine has another turn just then somebody else goes
// on, or the same: do, which is told how often it was called before, causes it once more.
func goTheWay(t *testing.T, name string, points *passings, most int, once []trace.Point, do func(try int)) {
	t.Helper()
	way, want := wayOf(t, name)
	if want > most {
		t.Errorf("%s: the page has %d hand-offs, at most %d may be", name, want, most)
	}
	var why string
	var list []passing
	for try := range tries {
		points.take()
		do(try)
		list = nil
		var got int
		var at [2]int
		for late := time.Now().Add(patience / tries); ; time.Sleep(poll) {
			list = append(list, points.take()...)
			if got, at, why = walk(way, list); why == "" || time.Now().After(late) {
				break
			}
		}
		switch {
		case why != "":
			why = "nobody passes " + why + ", which the page has there"
			continue
		case got != want:
			why = fmt.Sprintf("%d hand-offs, the page says %d", got, want)
			continue
		}
		for _, p := range once {
			onPage := len(slices.DeleteFunc(slices.Clone(way), func(w waypoint) bool { return w.point != p }))
			passed := len(slices.DeleteFunc(slices.Clone(list[at[0]:at[1]+1]), func(x passing) bool { return x.point != p }))
			if onPage != passed {
				t.Errorf("%s: %q is passed %d times, the page has it %d times; passed: %v", name, p, passed, onPage, list)
			}
		}
		return
	}
	t.Errorf("%s: %s, at the last of %d tries; passed: %v", name, why, tries, list)
}

// TestWays holds the ways of docs/ARCHITECTURE.md to the points that the code passes, and to the goroutines
// that pass them.
func TestWays(t *testing.T) {
	i, n := emulate(t, "ring:3", openflow.V13)
	found(i, n)
	hosts := n.Hosts()
	id := func(k int) string { return hosts[k].Spec().MAC.String() }
	points := watchPoints(t)

	goTheWay(t, "A packet-in", points, 2, nil, func(try int) {
		hosts[0].Do(func(s *host.Host, now time.Duration, _ host.Output) {
			if _, err := s.Ping(host.PingSpec{Dst: hosts[1+try%2].Spec().IPv4.Addr(), Count: 1}, now); err != nil {
				t.Error(err)
			}
		})
	})

	intent := ""
	goTheWay(t, "An intent", points, 6, []trace.Point{trace.Request, trace.Durable, trace.Orders}, func(try int) {
		if intent != "" {
			if err := i.api.WithdrawIntent(t.Context(), intent, ""); err != nil {
				t.Fatal(err)
			}
			i.await("the withdrawal", func() bool { _, err := i.api.Intent(t.Context(), intent); return err != nil })
			points.take()
		}
		intent = fmt.Sprintf("way-%d", try)
		if _, err := i.api.CreateIntent(t.Context(), &client.IntentRequest{
			ID: intent, Kind: "host-to-host", Src: client.HostEnd(id(0)), Dst: client.HostEnd(id(1)),
		}, client.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	})

	goTheWay(t, "A link failure", points, 3, nil, func(try int) { // of a link that the intent takes
		link, other := direct(n, 0, 1), direct(n, 0, 2)
		if try%2 == 1 {
			link, other = other, link
		}
		if other.SetUp(true); try > 0 {
			found(i, n)
		}
		i.await("the intent", func() bool {
			in, err := i.api.Intent(t.Context(), intent)
			return err == nil && in.State == "installed"
		})
		points.take()
		link.SetUp(false)
	})
}

// direct is the link between two switches.
func direct(n *emu.Network, a, b int) *emu.Link {
	s := n.Switches()
	k := slices.IndexFunc(n.Links(), func(l *emu.Link) bool {
		x, _, y, _ := l.Ends()
		return x == s[a] && y == s[b] || x == s[b] && y == s[a]
	})
	return n.Links()[k]
}
