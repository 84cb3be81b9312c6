package netview

import "cmp"

// Evidence is how a source of facts knows what it says.
type Evidence uint8

// The kinds of evidence, the weakest first.
const (
	Stated   Evidence = iota // somebody says so who has not seen it: a file, an operator
	Relayed                  // another instance has found it out
	Observed                 // this instance has found it out itself
)

// FactSource is who says facts: a row has the source that said it. Sources are compared by pointer; in a
// view a name belongs to one.
//
// Where two sources say different of one switch, link or host, the one with the stronger evidence is shown;
// with evidence of the same kind, the one whose name comes first. Who said it first does not matter, so that
// all instances show the same. What operators want to have the last word about is in Settings, which apply
// to rows whoever said them.
type FactSource struct {
	name     string
	evidence Evidence
}

// NewFactSource returns a source.
func NewFactSource(name string, evidence Evidence) *FactSource { return &FactSource{name, evidence} }

// Discovery is this instance's discovery.
var Discovery = NewFactSource("discovery", Observed)

// Evidence is how the source knows; of a row that no view has had, Stated.
func (s *FactSource) Evidence() Evidence {
	if s == nil {
		return Stated
	}
	return s.evidence
}

// String is the name of the source.
func (s *FactSource) String() string {
	if s == nil {
		return "nobody"
	}
	return s.name
}

// compare orders sources: who takes precedence comes first.
func (s *FactSource) compare(t *FactSource) int {
	return cmp.Or(cmp.Compare(t.evidence, s.evidence), cmp.Compare(s.name, t.name))
}

// layer is what one source says where another's row is shown. Its links and hosts are at switches that are
// shown.
type layer struct {
	source     *FactSource
	switches   table[DPID, Switch]
	links      table[LinkKey, Link]
	hosts      table[HostID, Host]
	settled    bool
	wasSettled bool // before the running transaction
	withdrawn  bool // its writer has ended
}

func newLayer(source *FactSource) *layer {
	return &layer{
		source:   source,
		switches: newTable[DPID, Switch](cmp.Compare[DPID]),
		links:    newTable[LinkKey, Link](LinkKey.Compare),
		hosts:    newTable[HostID, Host](HostID.Compare),
	}
}

func (l *layer) dirty() bool { return l.switches.dirty || l.links.dirty || l.hosts.dirty }

func (l *layer) rollback() {
	l.switches.rollback()
	l.links.rollback()
	l.hosts.rollback()
	l.settled = l.wasSettled
}

// published is a layer as of a snapshot.
type published struct {
	source   *FactSource
	switches rows[DPID, Switch]
	links    rows[LinkKey, Link]
	hosts    rows[HostID, Host]
}

func (l *layer) publish() published {
	return published{l.source, l.switches.publish(), l.links.publish(), l.hosts.publish()}
}

// factTable is a table of facts: of each key the row of the source that takes precedence. Rows of the other
// sources are in their layers.
type factTable[K, R any] struct {
	table[K, R]
	source func(*R) *FactSource
	of     func(*layer) *table[K, R]
}

// say puts a source's row. Layers are those of all sources. If the row is shown, was is what was shown before.
func (t *factTable[K, R]) say(layers []*layer, by *layer, key K, row *R) (was *R, shown bool) {
	if len(layers) > 1 {
		if now, ok := t.get(key); ok && t.source(now) != by.source {
			if t.source(now).compare(by.source) < 0 {
				t.of(by).put(key, row)
				return nil, false
			}
			t.of(layerOf(layers, t.source(now))).put(key, now)
		}
	}
	return t.put(key, row), true
}

// unsay removes a source's row. If it was shown, next is what is shown in its place, nil if nobody else says
// anything.
func (t *factTable[K, R]) unsay(layers []*layer, by *layer, key K) (was, next *R) {
	now, ok := t.get(key)
	if !ok {
		return nil, nil
	}
	if t.source(now) != by.source {
		t.of(by).remove(key)
		return nil, nil
	}
	for _, l := range layers {
		if next = t.of(l).remove(key); next != nil {
			t.put(key, next)
			return now, next
		}
	}
	return t.remove(key), nil
}

// said finds what a source says.
func (t *factTable[K, R]) said(by *layer, key K) (*R, bool) {
	row, ok := t.get(key)
	if ok && t.source(row) != by.source {
		return t.of(by).get(key)
	}
	return row, ok
}

func layerOf(layers []*layer, source *FactSource) *layer {
	for _, l := range layers {
		if l.source == source {
			return l
		}
	}
	panic("netview: a row of " + source.String() + ", which has no writer")
}
