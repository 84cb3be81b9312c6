package topo

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/weirnet/weir/strictyaml"
)

const graphExample = `<graphml><graph edgedefault="undirected"><node id="0"/><node id="1"/><edge source="0" target="1"/></graph></graphml>`

// graphReader reads a GraphML file, element by element, into a graph.
type graphReader struct {
	xml    *xml.Decoder
	keys   map[string]string // names of attributes, by id of their keys
	graphs int
	to     *graph
}

// graph is what a GraphML file says, before it is a network: elements with their lines, in order of the file.
// Ids of nodes are unique; those that edges name may be of no node.
type graph struct {
	data   graphElement
	nodes  []graphElement
	edges  []graphElement
	hyper  []graphElement
	byID   map[string]int       // nodes
	values map[[2]string]string // of things that say nothing: by kind of thing and name of attribute
	end    int                  // the file's last line
}

// graphElement is a node, an edge, a hyperedge or the graph, with its attributes by name.
type graphElement struct {
	kind     string // "node", "edge", "hyperedge", "graph"
	line     int
	id       string
	ends     []string // of an edge its source and target; of a hyperedge all of its endpoints
	directed bool
	attr     map[string]string
}

// parseGraphML reads a network as GraphML, as the Topology Zoo writes it. Every switch gets one
// host. The error is strictyaml.Problems.
//
// Nodes are switches, in order of the file, named by their labels with "_" for what a name cannot
// have. Of attributes those are used which the Topology Zoo has: label; Latitude and Longitude,
// from which the delay of a link follows; LinkSpeedRaw, or LinkSpeed and LinkSpeedUnits, the rate
// of a link; hyperedge, which marks a node that stands for a medium of several stations: it is a
// switch without hosts. A hyperedge element becomes such a switch too. Parallel edges are parallel
// links; two directed edges that run against each other are one link. A graph of several parts that
// are not joined is a network of as many.
func parseGraphML(b []byte, o Options) (*Topology, error) {
	if len(b) > strictyaml.MaxBytes {
		return nil, strictyaml.Problems{{Text: fmt.Sprintf("%d bytes given, want at most %d", len(b), strictyaml.MaxBytes)}}
	}
	g := &graph{data: graphElement{kind: "graph", attr: map[string]string{}}, byID: map[string]int{},
		values: map[[2]string]string{}}
	f := &graphReader{xml: xml.NewDecoder(bytes.NewReader(b)), keys: map[string]string{}, to: g}
	if err := f.read(); err != nil {
		return nil, err
	}
	return g.topology(o)
}

// wrong is a problem at a line.
func wrong(line int, format string, args ...any) error {
	return strictyaml.Problems{{Line: line, Text: fmt.Sprintf(format, args...)}}
}

// line is that of the element which was read last.
func (f *graphReader) line() int {
	line, _ := f.xml.InputPos()
	return line
}

// next is the next start or end of an element; nil at the end of the file. Text between them is
// passed over.
func (f *graphReader) next() (xml.Token, error) {
	for {
		t, err := f.xml.Token()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, f.notXML(err)
		}
		switch t.(type) {
		case xml.StartElement, xml.EndElement:
			return t, nil
		}
	}
}

// notXML is the problem that an error of the decoder is; nil if there is none.
func (f *graphReader) notXML(err error) error {
	var syntax *xml.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		return wrong(syntax.Line, "not XML: %s: want GraphML, such as %s", syntax.Msg, graphExample)
	}
	return wrong(f.line(), "not XML that can be read: %s: want GraphML in UTF-8, such as %s",
		strings.TrimPrefix(err.Error(), "xml: "), graphExample)
}

// read reads the file: one graphml element, keys and one graph in it.
func (f *graphReader) read() error {
	t, err := f.next()
	if err != nil {
		return err
	}
	if root, ok := t.(xml.StartElement); !ok || root.Name.Local != "graphml" {
		return wrong(f.line(), "no graphml element given, want GraphML, such as %s", graphExample)
	}
	err = f.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "key":
			return f.readKey(e)
		case "graph":
			return f.readGraph(e)
		case "data", "desc":
			return f.skip()
		}
		return f.unknown(e, "graphml", "key, graph, data or desc")
	})
	if err != nil {
		return err
	}
	if t, err := f.next(); t != nil || err != nil {
		return cmp.Or(err, wrong(f.line(), "more after the graphml element given, want one"))
	}
	if f.graphs == 0 {
		return wrong(f.line(), "no graph given, want one, such as %s", graphExample)
	}
	f.to.end = f.line()
	return nil
}

// children calls do with each element inside of the one that has begun, up to its end, before which
// the decoder takes no end of the file.
func (f *graphReader) children(do func(e xml.StartElement) error) error {
	for {
		t, err := f.next()
		child, begins := t.(xml.StartElement)
		if err != nil || !begins {
			return err
		}
		if err := do(child); err != nil {
			return err
		}
	}
}

// skip passes over the rest of an element, however deep others stand in it.
func (f *graphReader) skip() error { return f.notXML(f.xml.Skip()) }

func (f *graphReader) unknown(e xml.StartElement, in, want string) error {
	return wrong(f.line(), "element %s given in %s, want %s, such as %s", strictyaml.Quote(e.Name.Local), in, want, graphExample)
}

// attribute is that of an element without a name space.
func attribute(e xml.StartElement, name string) (string, bool) {
	for _, a := range e.Attr {
		if a.Name.Space == "" && a.Name.Local == name {
			return a.Value, true
		}
	}
	return "", false
}

// need is an attribute without which an element means nothing.
func (f *graphReader) need(e xml.StartElement, name, example string) (string, error) {
	v, ok := attribute(e, name)
	if !ok || v == "" {
		return "", wrong(f.line(), "a %s without %s given, want one, such as %s", e.Name.Local, name, example)
	}
	return v, nil
}
