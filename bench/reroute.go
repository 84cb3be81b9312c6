package bench

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/emu/topo"
)

// Reroute is how fast paths leave a link that has failed. The zero value of a field means its
// default.
type Reroute struct {
	Setup
	Flows int // paths that are installed; default 16,000
	Move  int // of them, about so many take the link that fails, which is drawn; default 1,000
	Cuts  int // of each run, of other links; default 10
}

// Check fills in defaults and finds what is wrong with a configuration, before anything is started.
func (c *Reroute) Check() error {
	if err := c.check(); err != nil {
		return err
	}
	c.Flows = cmp.Or(c.Flows, 16_000)
	c.Move = cmp.Or(c.Move, 1000)
	c.Cuts = cmp.Or(c.Cuts, 10)
	if c.Flows < 1 || c.Flows > paths.Max || c.Move < 1 || c.Move > c.Flows || c.Cuts < 1 {
		return fmt.Errorf("%d paths of which about %d move, in %d cuts given, want positive numbers, and %d paths at most", c.Flows, c.Move, c.Cuts, paths.Max)
	}
	return nil
}

func (c *Reroute) plan(r *report.Report) (list []participant) {
	const since = "from when the port-status message was about to leave the switch to "
	c.about(r, "reroute", fmt.Sprintf("reroute: %s paths over %d switches, a link fails that about %s take",
		report.Thousands(c.Flows), c.Hops, report.Thousands(c.Move)))
	for _, setup := range c.variants() {
		x := setup.addSubject(r)
		list = append(list, &rerouteScore{subject: subject{x}, c: c, setup: setup,
			all: x.Distribution("last flow-mod",
				since+"the last flow-mod that a switch received for paths that had to move, of each cut"),
			first: x.Distribution("first flow-mod", since+"the first such flow-mod, of each cut"),
			each: x.Distribution("each path",
				since+"the last flow-mod that a switch received for a path that had to move, of each such path")})
	}
	return list
}

// rerouteScore is what is measured of all runs.
type rerouteScore struct {
	subject
	c                *Reroute
	setup            Setup
	first, all, each report.Histogram
	cuts             []cut // of this run
}

// cut is one link that failed.
type cut struct {
	moved      int // paths
	flowMods   int // that put an entry of a path that moved
	first, all time.Duration
	usage      target.Usage
}

// take adds the run to the result: of each figure the median of its cuts.
func (s *rerouteScore) take(i int) {
	x := s.result
	var all, first, moved, mods report.Spread
	var usage []target.Usage
	for _, k := range s.cuts {
		all.Take(report.Milliseconds(k.all))
		first.Take(report.Milliseconds(k.first))
		moved.Take(float64(k.moved))
		mods.Take(float64(k.flowMods) / float64(k.moved))
		usage = append(usage, k.usage)
		s.first.Record(int64(k.first))
		s.all.Record(int64(k.all))
	}
	x.Take("last flow-mod received", "ms", all.Median)
	x.Take("last flow-mod received, slowest cut", "ms", all.Greatest)
	x.Take("first flow-mod received", "ms", first.Median)
	x.Take("paths that moved", "", moved.Median)
	x.Take("flow-mods of one", "", mods.Median)
	mean := target.MeanUsage(usage)
	mean.Take(x, "instance", "switches and generator", moved.Mean())
	s.c.Note("run %d of %d: %s: %.0f paths move: first flow-mod after %.2f ms, last after %.2f ms", i+1, s.c.Runs,
		x.Subject, moved.Median, first.Median, all.Median)
}

// linkPaths are the paths that take each link, either way, by their numbers.
type linkPaths struct {
	of    [][]int
	links map[topo.End]int // by their ends
}

func newLinkPaths(t *topo.Topology) *linkPaths {
	l := &linkPaths{of: make([][]int, len(t.Links)), links: make(map[topo.End]int, 2*len(t.Links))}
	for i := range t.Links {
		l.links[t.Links[i].A], l.links[t.Links[i].B] = i, i
	}
	return l
}

// add notes which links the steps of a path take.
func (l *linkPaths) add(n int, steps []loadswitch.Step) {
	for i := range steps {
		if link, ok := l.links[topo.End{Switch: steps[i].Switch.Index, Port: steps[i].Out}]; ok {
			l.of[link] = append(l.of[link], n)
		}
	}
}

// moveTolerance is how far from the number that should move links may be that a cut is drawn from.
const moveTolerance = 0.15

// draw takes a link at random among those that about so many paths take, and which the network
// holds together without; if there is none, the one that is nearest. Links that were cut before are
// left out.
func (l *linkPaths) draw(t *topo.Topology, move int, lot uint64, before map[int]bool) (int, error) {
	var list []int
	best, off := -1, 0
	for i, paths := range l.of {
		far := max(len(paths)-move, move-len(paths))
		if before[i] || len(paths) == 0 || far > int(moveTolerance*float64(move)) && best >= 0 && far >= off || partitions(t, i) {
			continue
		}
		if best < 0 || far < off {
			best, off = i, far
		}
		if far <= int(moveTolerance*float64(move)) {
			list = append(list, i)
		}
	}
	switch {
	case best < 0:
		return 0, fmt.Errorf("no link is left that can be cut: want fewer cuts than the %d given", len(before)+1)
	case len(list) == 0:
		return best, nil
	}
	return list[lot%uint64(len(list))], nil
}

// partitions reports whether a topology falls apart without a link.
func partitions(t *topo.Topology, link int) bool {
	rest := *t
	rest.Links = slices.Delete(slices.Clone(t.Links), link, link+1)
	return slices.ContainsFunc(topo.Distances(0, rest.Neighbours()), func(d int) bool { return d < 0 })
}
