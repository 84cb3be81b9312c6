package topo

import (
	"encoding/xml"
	"strings"

	"github.com/weirnet/weir/strictyaml"
)

const (
	nodeExample  = `<node id="0"><data key="label">Berlin</data></node>`
	edgeExample  = `<edge source="0" target="1"/>`
	hyperExample = `<hyperedge><endpoint node="0"/><endpoint node="1"/></hyperedge>`
	dataExample  = `<data key="label">Berlin</data> with <key id="label" for="node" attr.name="label"/>`
)

// maxText is the longest value of an attribute, in bytes.
const maxText = 1 << 16

// readKey reads the declaration of an attribute.
func (f *graphReader) readKey(e xml.StartElement) error {
	line := f.line()
	id, err := f.need(e, "id", `<key id="label" for="node" attr.name="label"/>`)
	if err != nil {
		return err
	}
	name := id
	if given, ok := attribute(e, "attr.name"); ok {
		name = given
	}
	kind, ok := attribute(e, "for")
	if !ok {
		kind = "all"
	}
	if _, twice := f.keys[id]; twice {
		return wrong(line, "key %s given twice, want every key to have an id of its own", strictyaml.Quote(id))
	}
	err = f.children(func(e xml.StartElement) (err error) {
		if e.Name.Local == "default" {
			f.to.values[[2]string{kind, name}], err = f.text()
			return err
		}
		return f.skip()
	})
	f.keys[id] = name
	return err
}

// text is what stands in an element, up to its end; elements in it are passed over.
func (f *graphReader) text() (string, error) {
	var b strings.Builder
	for depth := 0; ; {
		t, err := f.xml.Token()
		if err != nil {
			return "", f.notXML(err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			if depth--; depth < 0 {
				return strings.TrimSpace(b.String()), nil
			}
		case xml.CharData:
			if b.Len()+len(t) > maxText {
				return "", wrong(f.line(), "a value of more than %d bytes given, want less", maxText)
			}
			b.Write(t)
		}
	}
}

// readGraph reads the graph.
func (f *graphReader) readGraph(e xml.StartElement) error {
	if f.graphs++; f.graphs > 1 {
		return wrong(f.line(), "a second graph given, want one")
	}
	def, _ := attribute(e, "edgedefault")
	return f.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "data":
			return f.readData(e, &f.to.data)
		case "node":
			return f.readNode(e)
		case "edge":
			return f.readEdge(e, def == "directed")
		case "hyperedge":
			return f.readHyperedge(e)
		case "desc":
			return f.skip()
		}
		return f.unknown(e, "graph", "node, edge, hyperedge, data or desc")
	})
}

// inside reads what may stand in a node, an edge or a hyperedge.
func (f *graphReader) inside(of string, to *graphElement) error {
	to.kind, to.attr = of, map[string]string{}
	return f.children(func(e xml.StartElement) error {
		switch name := e.Name.Local; {
		case name == "data":
			return f.readData(e, to)
		case name == "endpoint" && of == "hyperedge":
			node, err := f.need(e, "node", hyperExample)
			if err != nil {
				return err
			}
			to.ends = append(to.ends, node)
			return f.skip()
		case name == "desc", name == "port":
			return f.skip()
		case name == "graph":
			return wrong(f.line(), "a graph inside of a %s given, want all nodes in one graph, such as %s", of, graphExample)
		}
		return f.unknown(e, of, "data or desc")
	})
}

func (f *graphReader) readData(e xml.StartElement, to *graphElement) error {
	line := f.line()
	id, err := f.need(e, "key", dataExample)
	if err != nil {
		return err
	}
	name, ok := f.keys[id]
	if !ok {
		return wrong(line, "data of key %s given, which no key element before it declares, want such as %s",
			strictyaml.Quote(id), dataExample)
	}
	to.attr[name], err = f.text()
	return err
}

func (f *graphReader) readNode(e xml.StartElement) error {
	n := graphElement{line: f.line()}
	var err error
	if n.id, err = f.need(e, "id", nodeExample); err != nil {
		return err
	}
	if first, twice := f.to.byID[n.id]; twice {
		return wrong(n.line, "node %s given twice, first in line %d, want every node to have an id of its own",
			strictyaml.Quote(n.id), f.to.nodes[first].line)
	}
	if len(f.to.nodes) >= MaxSwitches {
		return wrong(n.line, "more than %d nodes given, want at most as many", MaxSwitches)
	}
	f.to.byID[n.id] = len(f.to.nodes)
	err = f.inside("node", &n)
	f.to.nodes = append(f.to.nodes, n)
	return err
}

func (f *graphReader) readEdge(e xml.StartElement, directed bool) error {
	edge := graphElement{line: f.line(), directed: directed}
	if v, ok := attribute(e, "directed"); ok {
		edge.directed = v == "true"
	}
	for _, end := range []string{"source", "target"} {
		id, err := f.need(e, end, edgeExample)
		if err != nil {
			return err
		}
		edge.ends = append(edge.ends, id)
	}
	if len(f.to.edges) >= 2*MaxLinks {
		return wrong(edge.line, "more than %d edges given, want at most as many", 2*MaxLinks)
	}
	err := f.inside("edge", &edge)
	f.to.edges = append(f.to.edges, edge)
	return err
}

func (f *graphReader) readHyperedge(e xml.StartElement) error {
	h := graphElement{line: f.line()}
	h.id, _ = attribute(e, "id")
	if err := f.inside("hyperedge", &h); err != nil {
		return err
	}
	if len(h.ends) < 2 {
		return wrong(h.line, "a hyperedge of %d endpoints given, want two or more, such as %s", len(h.ends), hyperExample)
	}
	f.to.hyper = append(f.to.hyper, h)
	return nil
}
