package discovery

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/discovery/probes"
	"github.com/weirnet/weir/netview"
)

// cabled is two switches with so many cables between them, for long enough that all widths are known.
func cabled(t *testing.T, cables, frame int) *world {
	w := newWorld(t, Config{})
	w.settings(func(s *netview.Settings) { s.LinkFrame = frame })
	for port := range uint32(cables) {
		w.join(netview.Point{DPID: 1, Port: port + 1}, netview.Point{DPID: 2, Port: port + 1})
		w.most[netview.Point{DPID: 1, Port: port + 1}] = 1518
	}
	for dpid := range netview.DPID(2) {
		f := facts(dpid+1, cables, "")
		w.step(func() { w.core.SwitchUp(&f) })
	}
	w.wait(70 * time.Second)
	return w
}

// In a network where most links are narrow some have an alarm each, and the others one together.
func TestAlarmsOfManyNarrowLinks(t *testing.T) {
	w := cabled(t, maxNarrowNamed+3, 1522)
	active := func() (list []string) {
		for _, line := range w.lines {
			if _, alarm, ok := strings.Cut(line, "alarm narrow-link "); ok {
				object, _, _ := strings.Cut(alarm, ":")
				if object, ended := strings.CutSuffix(object, " ended"); ended {
					list = slices.DeleteFunc(list, func(o string) bool { return o == object })
				} else if !slices.Contains(list, object) {
					list = append(list, object)
				}
			}
		}
		return list
	}
	last := func() string { return w.lines[len(w.lines)-1] }
	if got := active(); len(got) != maxNarrowNamed+1 || !slices.Contains(got, "") {
		t.Errorf("%d alarms: %q", len(got), got)
	}
	if !strings.Contains(strings.Join(w.lines, "\n"), "alarm narrow-link : 3 further links") {
		t.Error("no alarm counts the others")
	}
	for port := range uint32(maxNarrowNamed + 3) {
		p := ofPort(port+1, false)
		w.step(func() { w.core.PortStatus(1, 0, &p) })
	}
	if got := active(); len(got) != 0 {
		t.Errorf("when all links are down there are the alarms %q, the last thing was: %s", got, last())
	}
}

// While probes that came in are dropped, a long one that is missing may have been one of them.
func TestDroppedProbesShowNoWidth(t *testing.T) {
	w := cabled(t, 1, 0)
	narrow := func() bool {
		l, _ := w.view.Snapshot().Link(netview.LinkKey{Src: netview.Point{DPID: 1, Port: 1}, Dst: netview.Point{DPID: 2,
			Port: 1}})
		return l.Width == netview.WidthNarrow
	}
	w.settings(func(s *netview.Settings) { s.LinkFrame = 1522 })
	for range 20 {
		w.core.Counts.DroppedProbes.Add(1)
		w.wait(2 * time.Second)
	}
	if narrow() {
		t.Error("a link is narrow, and probes were dropped")
	}
	if w.wait(2 * time.Minute); !narrow() {
		t.Error("a link is not narrow, and no probes are dropped any more")
	}
}

// A network at rest sends no more messages than one whose links are not tested.
func TestWidthsTakeNoMessages(t *testing.T) {
	sent := func(frame int) (all, long int) {
		w := cabled(t, 10, frame)
		clear(w.most)
		w.wait(2 * time.Minute) // now all are full
		clear(w.sent)
		w.quiet = true
		w.wait(10 * time.Minute)
		for _, frames := range w.sent {
			for _, f := range frames {
				if all++; len(f) >= probes.MinFrame {
					long++
				}
			}
		}
		return all, long
	}
	without, none := sent(0)
	with, long := sent(1522)
	if with != without || none != 0 || long != 10*20 {
		t.Errorf("%d probes in 10 minutes, %d of them long, %d and %d without tests: want as many, and one a minute over 20 links",
			with, long, without, none)
	}
}
