package intent

import (
	"fmt"
	"sync"

	"github.com/weirnet/weir/intent/spec"
)

// Loader has what the journals have, for an engine that begins with it (New, Config.Loaded): records as they were, and
// those that have changed since, however long that goes on. Nothing is computed, and nothing is asked of the network.
// Its methods are safe for concurrent use, until the engine has it. After End nothing is loaded any more.
type Loader struct {
	config Config

	mu      sync.Mutex // guards what follows
	catalog *catalog
	core    *Core
	bad     map[uint32]bool // numbers whose decisions were not understood
	swept   int             // paths that there were when those that nobody takes were dropped last
}

// NewLoader returns an empty one, for an engine of a configuration of which only the view, the clock and the limits count.
func NewLoader(c Config) *Loader {
	c.limits()
	c.setClock()
	l := &Loader{config: c}
	l.begin()
	return l
}

func (l *Loader) begin() {
	l.catalog, l.core, l.bad, l.swept = newCatalog(&l.config), NewCore(), make(map[uint32]bool), 0
}

// Intent takes a record of the journal of intents: the newest of its number.
func (l *Loader) Intent(r Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.Delete {
		l.unload(r.Number)
		return nil
	}
	s, err := spec.Parse(r.Data)
	if err != nil {
		return fmt.Errorf("intent number %d: %w", r.Number, err)
	}
	if s.ID == "" || r.Number == 0 {
		return fmt.Errorf("intent number %d: it has no id", r.Number)
	}
	if n := l.catalog.records.find(s.ID); n != 0 && n != r.Number {
		return fmt.Errorf("intent number %d: intent %q is there twice", r.Number, s.ID)
	}
	l.unload(r.Number)
	content := string(r.Data)
	l.catalog.load(r.Number, content, &s)
	l.core.load(r.Number, content, &s)
	return nil
}

// unload undoes Intent.
func (l *Loader) unload(n uint32) {
	if l.catalog.records.has(n) {
		l.catalog.unload(n)
		l.core.unload(n)
	}
}

// Decision takes a record of the journal of decisions: the newest of its number. It may come before that of its intent. One
// that does not match its intent in the end is dropped: the path is recomputed. So is one that cannot be read: that is
// counted (Bad).
func (l *Loader) Decision(r Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.bad, r.Number)
	if r.Delete {
		l.core.decisions.loadDelete(r.Number)
		return
	}
	if l.core.decisions.load(r.Number, r.Data) != nil {
		l.bad[r.Number] = true
	}
	l.sweep()
}

// sweepAt is how many paths there are at least before those that nobody takes are dropped.
const sweepAt = 1 << 14

// sweep drops the paths that no decision has any more, where paths have come to be twice as many as there were.
func (l *Loader) sweep() {
	r := l.core.registry
	if r.Len() < max(sweepAt, 2*l.swept) {
		return
	}
	taken := make(map[uint32]bool, r.Len())
	for n := range l.core.entries.End() {
		if g := l.core.entries.At(n).rules; g != nil {
			for route := range g.Routes() {
				taken[route.ID] = true
			}
		}
	}
	if len(taken) < r.Len()/2 {
		r.Retain(func(number uint32) bool { return taken[number] })
	}
	l.swept = r.Len()
}

// Reset forgets the records of the journal of intents, or of decisions: they are read again.
func (l *Loader) Reset(decisions bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.core
	l.begin()
	for n := range was.entries.End() {
		switch e := was.entries.At(n); {
		case e.content != "" && decisions:
			s := spec.Read(e.content)
			l.catalog.load(n, e.content, &s)
			l.core.load(n, e.content, &s)
		case e.has(saved) && !decisions:
			was.decisions.shelve(n, e)
			if b, ok := was.decisions.shelf[n]; ok {
				_ = l.core.decisions.load(n, b) // it was read before
			} else {
				l.core.entries.At(n).flags |= saved
				l.bad[n] = true
			}
		}
	}
}

// Len is how many intents there are.
func (l *Loader) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.catalog.records.ids.Len()
}

// Bad is how many decisions could not be read.
func (l *Loader) Bad() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.bad)
}

// End ends the loading. Numbers without an entry are free.
func (l *Loader) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.catalog.mu.Lock()
	l.catalog.records.loaded()
	l.catalog.mu.Unlock()
	l.core.decisions.loaded()
}
