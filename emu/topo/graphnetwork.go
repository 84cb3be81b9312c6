package topo

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/weirnet/weir/strictyaml"
)

// topology makes the network of what was read.
func (g *graph) topology(o Options) (*Topology, error) {
	if len(g.nodes) == 0 {
		return nil, wrong(g.end, "no nodes given, want one or more, such as %s", nodeExample)
	}
	b := newBuilder(g.title(), len(g.nodes), o.Link)
	used := map[string]bool{}
	var places []int
	for i := range g.nodes {
		s := &b.Switches[i]
		var err error
		if s.Lat, s.Lon, err = g.coordinates(&g.nodes[i]); err != nil {
			return nil, err
		}
		s.Name = freshName(cleanName(g.value(&g.nodes[i], "label")), g.nodes[i].id, used)
		if medium, _ := strconv.ParseBool(g.value(&g.nodes[i], "hyperedge")); !medium {
			places = append(places, i)
		}
	}
	lines, err := g.joinEdges(b)
	if err != nil {
		return nil, err
	}
	more, err := g.joinHyperedges(b, used)
	if err != nil {
		return nil, err
	}
	if o.Hosts > MaxHosts/len(b.Switches) {
		return nil, wrong(0, "hosts=%d at %d switches given, want at most %d hosts in all", o.Hosts,
			len(b.Switches), MaxHosts)
	}
	nameHosts(b, places, o.Hosts, used)
	return g.locate(b, append(lines, more...))
}

// title is the name of the graph; empty if it has none.
func (g *graph) title() string {
	for _, name := range []string{"Network", "label"} {
		if s, err := parseTitle(g.value(&g.data, name)); err == nil {
			return s
		}
	}
	return ""
}

// locate finishes the network, and adds to an error the line of the edge or node that it is about.
func (g *graph) locate(b *builder, lines []int) (*Topology, error) {
	t, err := b.finish()
	var at *elementError
	if !errors.As(err, &at) {
		return t, err
	}
	line := 0
	switch {
	case at.part == ofSwitch && at.index < len(g.nodes):
		line = g.nodes[at.index].line
	case at.part == ofLink && at.index < len(lines):
		line = lines[at.index]
	case at.part == ofHost && b.Hosts[at.index].At.Switch < len(g.nodes):
		line = g.nodes[b.Hosts[at.index].At.Switch].line
	}
	return nil, strictyaml.Problems{{Line: line, Text: err.Error()}}
}

// value is an attribute of a thing, or what its key says for those that have none.
func (g *graph) value(of *graphElement, name string) string {
	if v, ok := of.attr[name]; ok {
		return v
	}
	if v, ok := g.values[[2]string{of.kind, name}]; ok {
		return v
	}
	return g.values[[2]string{"all", name}]
}

// nameHosts puts so many hosts at each of the places; a name that a switch has already is passed over.
func nameHosts(b *builder, places []int, each int, used map[string]bool) {
	b.attach(places, each)
	for i := range b.Hosts {
		b.Hosts[i].Name = freshName(b.Hosts[i].Name, "", used)
	}
}

// cleanName is a label as a name: what cannot stand in one becomes "_".
func cleanName(label string) string {
	s := strings.Map(func(r rune) rune {
		if notInName(r) || unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, label)
	for len(s) > MaxName-8 { // room for a number
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	if strings.Trim(s, "_.-") == "" {
		return ""
	}
	return s
}

// freshName is a name that is not used yet: the one given, or a node's id (after "n" if it begins
// like a number), with a number if need be.
func freshName(name, id string, used map[string]bool) string {
	if name == "" {
		if name = cleanName(id); name == "" || name[0] <= '9' {
			name = cleanName("n" + id)
		}
	}
	fresh := name
	for i := 2; used[fresh]; i++ {
		fresh = name + "." + strconv.Itoa(i)
	}
	used[fresh] = true
	return fresh
}

// coordinates are a node's, if it has both.
func (g *graph) coordinates(n *graphElement) (lat, lon *float64, err error) {
	for _, one := range []struct {
		name string
		most float64
		to   **float64
	}{{"Latitude", 90, &lat}, {"Longitude", 180, &lon}} {
		s := g.value(n, one.name)
		if s == "" {
			continue
		}
		v, err := parseDegrees(s, one.most)
		if err != nil {
			return nil, nil, wrong(n.line, "node %s: %s: %v", strictyaml.Quote(n.id), one.name, err)
		}
		*one.to = &v
	}
	if lat == nil || lon == nil {
		return nil, nil, nil
	}
	return lat, lon, nil
}

// joinEdges makes links of edges and returns their lines. A directed edge is joined by one that
// runs against it.
func (g *graph) joinEdges(b *builder) (lines []int, err error) {
	against := map[[2]int][]int{} // links of one directed edge, by target and source
	for i := range g.edges {
		e := &g.edges[i]
		var at [2]int
		for j, id := range e.ends {
			n, ok := g.byID[id]
			if !ok {
				return nil, wrong(e.line,
					"an edge to node %s given, which is not in the graph, want the id of a node, such as %s",
					strictyaml.Quote(id), strictyaml.Quote(g.nodes[0].id))
			}
			at[j] = n
		}
		spec, err := g.spec(e, b.spec, &b.Switches[at[0]], &b.Switches[at[1]])
		if err != nil {
			return nil, err
		}
		if waiting := against[at]; e.directed && len(waiting) > 0 {
			b.Links[waiting[0]].Back, against[at] = spec, waiting[1:]
			continue
		}
		if e.directed {
			back := [2]int{at[1], at[0]}
			against[back] = append(against[back], len(b.Links))
		}
		b.join(at[0], at[1])
		l := &b.Links[len(b.Links)-1]
		l.Forward, l.Back = spec, spec
		lines = append(lines, e.line)
	}
	return lines, nil
}

// joinHyperedges makes a switch of each, and links to its endpoints.
func (g *graph) joinHyperedges(b *builder, used map[string]bool) (lines []int, err error) {
	for i := range g.hyper {
		h := &g.hyper[i]
		at := len(b.Switches)
		b.Switches = append(b.Switches,
			Switch{Name: freshName(cleanName(h.id), fmt.Sprintf("hyperedge%d", i+1), used), DPID: uint64(at) + 1})
		b.degree = append(b.degree, 0)
		for _, id := range h.ends {
			n, ok := g.byID[id]
			if !ok {
				return nil, wrong(h.line,
					"an endpoint at node %s given, which is not in the graph, want the id of a node, such as %s",
					strictyaml.Quote(id), strictyaml.Quote(g.nodes[0].id))
			}
			b.join(n, at)
			lines = append(lines, h.line)
		}
	}
	return lines, nil
}

// spec is how an edge carries frames: what the options say, which holds for all, and else what its attributes
// do.
func (g *graph) spec(e *graphElement, spec LinkSpec, a, b *Switch) (LinkSpec, error) {
	if spec.RateBPS == 0 {
		rate, err := g.speed(e)
		if err != nil {
			return spec, err
		}
		spec.RateBPS = rate
	}
	if spec.Delay == 0 && a.Lat != nil && b.Lat != nil {
		spec.Delay = fibreDelay(distance(*a.Lat, *a.Lon, *b.Lat, *b.Lon))
	}
	return spec, nil
}

// speed is the rate of an edge; 0 where none is known.
func (g *graph) speed(e *graphElement) (uint64, error) {
	s, unit := g.value(e, "LinkSpeedRaw"), ""
	if s == "" {
		s, unit = g.value(e, "LinkSpeed"), g.value(e, "LinkSpeedUnits")
	}
	if s == "" {
		return 0, nil
	}
	v, err := strconv.ParseFloat(s, 64)
	scale := strings.Index(" KMGT", strings.ToUpper(unit + " ")[:1])
	if err != nil || scale < 0 || v < 0 || math.IsNaN(v) {
		return 0, wrong(e.line, "speed %s given, want bits a second, such as 10000000000.0", strictyaml.Quote(s+unit))
	}
	v *= math.Pow(1000, float64(scale))
	if v != 0 && (v < MinRate || v > MaxRate) {
		return 0, wrong(e.line, "speed %s given, want from %d to %d bits a second", strictyaml.Quote(s+unit), MinRate,
			uint64(MaxRate))
	}
	return uint64(v), nil
}

// distance is that of two places on the globe, in kilometres, along the great circle.
func distance(lat1, lon1, lat2, lon2 float64) float64 {
	const radius, degree = 6371.0, math.Pi / 180
	dLat, dLon := (lat2-lat1)*degree/2, (lon2-lon1)*degree/2
	h := math.Sin(dLat)*math.Sin(dLat) + math.Cos(lat1*degree)*math.Cos(lat2*degree)*math.Sin(dLon)*math.Sin(dLon)
	return 2 * radius * math.Asin(math.Sqrt(min(h, 1)))
}

// fibreDelay is the time that light needs in glass, where it makes 200 km in a millisecond, in
// whole microseconds.
func fibreDelay(km float64) time.Duration {
	return time.Duration(math.Round(km*5)) * time.Microsecond
}
