package intent

import (
	"fmt"

	"github.com/weirnet/weir/intent/spec"
)

// LoadIntent loads an intent from the journal. All intents come first, then all decisions, then
// Loaded, before Run or the first Turn and before any request.
func (e *Engine) LoadIntent(r Record) error {
	s, err := spec.Parse(r.Data)
	if err != nil {
		return fmt.Errorf("intent number %d: %w", r.Number, err)
	}
	if s.ID == "" || r.Number == 0 {
		return fmt.Errorf("intent number %d: it has no id", r.Number)
	}
	content := string(r.Data)
	e.catalog.mu.Lock()
	defer e.catalog.mu.Unlock()
	if e.catalog.has(r.Number) || e.catalog.find(s.ID) != 0 {
		return fmt.Errorf("intent number %d: intent %q is there twice", r.Number, s.ID)
	}
	e.catalog.load(r.Number, content, &s)
	e.core.load(r.Number, content, &s)
	return nil
}

// LoadDecision loads a saved path. One that does not match its intent is dropped: the path is
// recomputed.
func (e *Engine) LoadDecision(r Record) error {
	if err := e.core.decisions.load(r.Number, r.Data); err != nil {
		return fmt.Errorf("decision of intent number %d: %w", r.Number, err)
	}
	return nil
}

// Loaded ends the loading. Numbers without an entry are free.
func (e *Engine) Loaded() {
	e.catalog.mu.Lock()
	e.catalog.loaded()
	e.catalog.mu.Unlock()
	e.Bell.Ring()
}
