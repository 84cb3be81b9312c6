package intent

import (
	"fmt"

	"github.com/weirnet/weir/intent/spec"
)

// LoadIntent takes an intent that an earlier life was asked for. All intents come first, then all decisions, then Loaded, before Run or the
// first Turn and before any request.
func (e *Engine) LoadIntent(r Record) error {
	s, err := spec.Parse(r.Data)
	if err != nil {
		return fmt.Errorf("intent number %d: %w", r.Number, err)
	}
	if s.ID == "" || r.Number == 0 {
		return fmt.Errorf("intent number %d: it has no id", r.Number)
	}
	content := string(r.Data)
	e.front.mu.Lock()
	defer e.front.mu.Unlock()
	if e.front.records.has(r.Number) || e.front.lookUp(s.ID) != 0 {
		return fmt.Errorf("intent number %d: intent %q is there twice", r.Number, s.ID)
	}
	e.front.load(r.Number, content, &s)
	e.core.load(r.Number, content, &s)
	return nil
}

// LoadDecision takes the path that an earlier life chose. One that does not fit is left out: the path is computed anew.
func (e *Engine) LoadDecision(r Record) error {
	if err := e.core.decided(r.Number, r.Data); err != nil {
		return fmt.Errorf("decision of intent number %d: %w", r.Number, err)
	}
	return nil
}

// Loaded ends the loading. Intents without a record are free numbers.
func (e *Engine) Loaded() {
	e.front.mu.Lock()
	e.front.loaded()
	e.front.mu.Unlock()
	e.ring()
}

// load takes an intent of an earlier life; the first step decides.
func (c *Core) load(n uint32, content string, s *spec.Spec) {
	e := c.entries.at(n)
	e.content, e.kind, e.state = content, s.Kind, Submitted
	c.listen(n, s)
}
