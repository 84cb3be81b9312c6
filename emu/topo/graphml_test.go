package topo

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"
)

func TestGraphMLExample(t *testing.T) {
	n := example(t, "backbone.graphml")
	if n.Name != "Backbone" || len(n.Switches) != 6 || len(n.Links) != 8 || len(n.Hosts) != 5 {
		t.Fatalf("%q: %d switches, %d links, %d hosts", n.Name, len(n.Switches), len(n.Links), len(n.Hosts))
	}
	var names, ids []string
	for _, s := range n.Switches {
		names = append(names, s.Name)
	}
	for _, l := range n.Links {
		ids = append(ids, l.ID)
	}
	if got := strings.Join(names, " "); got != "Berlin Frankfurt_am_Main München Hamburg Exchange n5" {
		t.Error(got)
	}
	if ids[0] != "Berlin-Frankfurt_am_Main" || ids[1] != "Berlin-Frankfurt_am_Main.2" {
		t.Error(ids)
	}
	// 423 km of fibre, as any map says.
	if l := n.Links[0]; l.Forward.Delay.Round(100*time.Microsecond) != 2100*time.Microsecond ||
		l.Forward.RateBPS != 10_000_000_000 || l.Back != l.Forward {
		t.Errorf("%+v", l)
	}
	if l := n.Links[5]; l.Forward != (LinkSpec{}) {
		t.Errorf("a link to a place that is not known: %+v", l)
	}
	for _, h := range n.Hosts {
		if h.At.Switch == 5 {
			t.Error("a medium has a host")
		}
	}
}

func TestGraphMLIslands(t *testing.T) {
	b, err := os.ReadFile("testdata/islands.graphml")
	if err != nil {
		t.Fatal(err)
	}
	n, err := parseGraphML(b, Options{Hosts: 1})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, s := range n.Switches {
		fmt.Fprintf(&got, "%s %x\n", s.Name, s.DPID)
	}
	for _, l := range n.Links {
		fmt.Fprintf(&got, "%s %d %d\n", l.ID, l.Forward.RateBPS, l.Back.RateBPS)
	}
	const want = "None 1\nNone.2 2\nc_d_e 3\nx 4\nbus 5\n" +
		"None-None.2 10000000 2000000\nNone.2-c_d_e 100000 100000\nNone-bus 0 0\nNone.2-bus 0 0\nc_d_e-bus 0 0\n"
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
	if far := Distances(0, n.Neighbours()); far[3] != -1 || far[2] != 2 {
		t.Errorf("distances %v", far)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct{ lat1, lon1, lat2, lon2, km float64 }{
		{0, 0, 0, 0, 0}, {0, 0, 0, 180, 20015}, {90, 0, -90, 0, 20015}, {0, -179.5, 0, 179.5, 111},
		{52.52, 13.405, 48.857, 2.352, 878},
	} {
		if got := distance(c.lat1, c.lon1, c.lat2, c.lon2); math.Abs(got-c.km) > 1 {
			t.Errorf("%+v: %v km", c, got)
		}
	}
	if d := fibreDelay(1000); d != 5*time.Millisecond {
		t.Error(d)
	}
}

func TestBadGraphML(t *testing.T) {
	graph := func(text string) string {
		return "<graphml><key id=\"lat\" for=\"node\" attr.name=\"Latitude\"/>\n<key id=\"sp\" for=\"edge\" attr.name=\"LinkSpeedRaw\"/>\n<graph>\n" + text + "\n</graph></graphml>"
	}
	const two = `<node id="a"/><node id="b"/>` + "\n"
	for _, c := range []struct{ text, want string }{
		{"", "1: no graphml element given, want GraphML, such as <graphml>"},
		{"switches: [a]", "1: no graphml element given"},
		{"<svg/>", "no graphml element given"},
		{"<graphml>\n<graph", "2: not XML: unexpected EOF"},
		{"<graphml>\n</graph>", "2: not XML: element <graphml> closed by </graph>"},
		{"<?xml version='1.0' encoding='latin1'?><graphml/>", "want GraphML in UTF-8"},
		{"<graphml/>", "1: no graph given, want one"},
		{"<graphml><graph/></graphml>", "1: no nodes given, want one or more, such as <node"},
		{"<graphml><graph/><graph/></graphml>", "a second graph given, want one"},
		{"<graphml><graph><node id='a'/></graph></graphml><graphml/>", "more after the graphml element"},
		{graph("<nod/>"), `4: element "nod" given in graph, want node, edge, hyperedge`},
		{graph("<node/>"), `4: a node without id given, want one, such as <node id="0">`},
		{graph(two + `<node id="a"/>`), `5: node "a" given twice, first in line 4`},
		{graph(two + `<edge source="a"/>`), `5: a edge without target given, want one, such as <edge source`},
		{graph(two + `<edge source="a" target="c"/>`),
			`5: an edge to node "c" given, which is not in the graph, want the id of a node, such as "a"`},
		{graph(two + `<edge source="a" target="b"><data key="sp">fast</data></edge>`),
			`5: speed "fast" given, want bits a second, such as 10000000000.0`},
		{graph(two + `<edge source="a" target="b"><data key="sp">-1</data></edge>`), `5: speed "-1" given`},
		{graph(two + `<edge source="a" target="b"><data key="sp">NaN</data></edge>`), `5: speed "NaN" given`},
		{graph(two + `<edge source="a" target="b"><data key="sp">1</data></edge>`), `5: speed "1" given, want from 1000 to`},
		{graph(`<node id="a"><data key="lat">north</data></node>`),
			`4: node "a": Latitude: "north" given, want degrees from -90 to 90`},
		{graph(`<node id="a"><data key="lat">90.5</data></node>`), `4: node "a": Latitude: "90.5" given`},
		{graph(`<node id="a"><data key="x">1</data></node>`),
			`4: data of key "x" given, which no key element before it declares`},
		{graph(`<node id="a"><data>1</data></node>`), `4: a data without key given`},
		{graph(`<node id="a"><graph/></node>`), `4: a graph inside of a node given, want all nodes in one graph`},
		{graph(two + `<hyperedge><endpoint node="a"/></hyperedge>`), "5: a hyperedge of 1 endpoints given, want two or more"},
		{graph(two + `<hyperedge><endpoint node="a"/><endpoint node="z"/></hyperedge>`), `5: an endpoint at node "z" given`},
		{"<graphml><key id='a'/><key id='a'/></graphml>", `key "a" given twice`},
		{graph(two + strings.Repeat("<edge source=\"a\" target=\"b\"/>\n", MaxPorts+1)),
			"1369: link a-b.1365: more than 1364 ports of a given"},
	} {
		_, err := parseGraphML([]byte(c.text), Options{Hosts: 1})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.200s\n   gives %v\n   want  %s", c.text, err, c.want)
		}
	}
	deep := strings.Repeat("<x>", 1_000_000)
	if _, err := parseGraphML([]byte("<graphml><desc>"+deep), Options{Hosts: 1}); err == nil {
		t.Error("elements without ends pass")
	}
}

func FuzzParseGraphML(f *testing.F) {
	for _, name := range []string{"../../examples/backbone.graphml", "testdata/islands.graphml"} {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(graphExample))
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := parseGraphML(b, Options{Hosts: 1})
		if err == nil && n.Check() != nil {
			t.Errorf("makes a network that is none: %v", n.Check())
		}
	})
}
