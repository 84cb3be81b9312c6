package intent

import (
	"fmt"

	"github.com/weirnet/weir/intent/spec"
)

// Loader fills an engine with what the journals have: all intents first, then all decisions, then End,
// before Run or the first Turn and before any request.
type Loader struct {
	catalog *catalog
	core    *Core
	wake    func()
}

// Load returns the loader of an engine.
func (e *Engine) Load() *Loader {
	return &Loader{catalog: e.catalog, core: e.core, wake: e.config.wake}
}

// Intent loads an intent from the journal.
func (l *Loader) Intent(r Record) error {
	s, err := spec.Parse(r.Data)
	if err != nil {
		return fmt.Errorf("intent number %d: %w", r.Number, err)
	}
	if s.ID == "" || r.Number == 0 {
		return fmt.Errorf("intent number %d: it has no id", r.Number)
	}
	content := string(r.Data)
	l.catalog.mu.Lock()
	defer l.catalog.mu.Unlock()
	if l.catalog.records.has(r.Number) || l.catalog.records.find(s.ID) != 0 {
		return fmt.Errorf("intent number %d: intent %q is there twice", r.Number, s.ID)
	}
	l.catalog.load(r.Number, content, &s)
	l.core.load(r.Number, content, &s)
	return nil
}

// Decision loads a saved path. One that does not match its intent is dropped: the path is
// recomputed.
func (l *Loader) Decision(r Record) error {
	if err := l.core.decisions.load(r.Number, r.Data); err != nil {
		return fmt.Errorf("decision of intent number %d: %w", r.Number, err)
	}
	return nil
}

// End ends the loading. Numbers without an entry are free.
func (l *Loader) End() {
	l.catalog.mu.Lock()
	l.catalog.records.loaded()
	l.catalog.mu.Unlock()
	l.wake()
}
