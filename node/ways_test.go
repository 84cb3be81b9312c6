package node_test

import (
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
	found := regexp.MustCompile("(?s)\n### " + name + ": (\\d+) hand-offs\n.*?```\n(.*?)```").FindStringSubmatch(string(page))
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

// goTheWay checks that what do causes goes the way that the page shows, with as many hand-offs, and passes the
// points in once as often as the page has them.
func goTheWay(t *testing.T, name string, points *passings, most int, once []trace.Point, do func(), done func() bool) {
	t.Helper()
	way, want := wayOf(t, name)
	if want > most {
		t.Errorf("%s: the page has %d hand-offs, at most %d may be", name, want, most)
	}
	points.take()
	do()
	var list []passing
	late := time.Now().Add(patience)
	for {
		ended := done()
		list = append(list, points.take()...)
		got, at, missing := walk(way, list)
		switch {
		case missing == "":
			if got != want {
				t.Errorf("%s: %d hand-offs, the page says %d", name, got, want)
			}
			for _, p := range once {
				onPage, passed := 0, 0
				for _, w := range way {
					if w.point == p {
						onPage++
					}
				}
				for _, x := range list[at[0] : at[1]+1] {
					if x.point == p {
						passed++
					}
				}
				if onPage != passed {
					t.Errorf("%s: %q is passed %d times, the page has it %d times", name, p, passed, onPage)
				}
			}
			if t.Failed() {
				t.Logf("passed: %v", list)
			}
			return
		case ended && time.Now().After(late):
			t.Fatalf("%s: nobody passes %s, which the page has there; passed: %v", name, missing, list)
		case time.Now().After(late):
			t.Fatalf("%s: waited in vain for the end", name)
		}
		time.Sleep(poll)
	}
}

// TestWays holds the ways of docs/ARCHITECTURE.md to the points that the code passes, and to the goroutines
// that pass them.
func TestWays(t *testing.T) {
	i, n := emulate(t, "ring:3", openflow.V13)
	found(i, n)
	hosts := n.Hosts()
	id := func(k int) string { return hosts[k].Spec().MAC.String() }
	points := watchPoints(t)

	goTheWay(t, "A packet-in", points, 2, nil, func() {
		hosts[0].Do(func(s *host.Host, now time.Duration, _ host.Output) {
			if _, err := s.Ping(host.PingSpec{Dst: hosts[1].Spec().IPv4.Addr(), Count: 1}, now); err != nil {
				t.Error(err)
			}
		})
	}, func() bool { return true })

	goTheWay(t, "An intent", points, 10, []trace.Point{trace.Request, trace.Durable, trace.Orders}, func() {
		if _, err := i.api.CreateIntent(t.Context(), &client.IntentRequest{
			ID: "way", Kind: "host-to-host", Src: client.HostEnd(id(0)), Dst: client.HostEnd(id(1)),
		}, client.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}, func() bool { return true })

	if _, err := i.api.WaitIntent(t.Context(), "way", patience); err != nil {
		t.Fatal(err)
	}
	goTheWay(t, "A link failure", points, 4, nil, func() { direct(n, 0, 1).SetUp(false) }, func() bool { return true })
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
