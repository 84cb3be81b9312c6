package flowsync

import (
	"fmt"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// former says what a switch will answer when asked for an entry that it was given: it writes the flow-mod as the version
// does and reads it again. So nothing here needs to know what versions leave out or fill in.
type former struct {
	bytes []byte
	mod   openflow.FlowMod
}

// form returns the flow-mod as version v says it. It is valid until the next call.
func (f *former) form(v openflow.Version, mod *openflow.FlowMod) (*openflow.FlowMod, error) {
	var err error
	if f.bytes, err = mod.Append(f.bytes[:0], v); err != nil {
		return nil, err
	}
	if len(f.bytes)+openflow.HeaderLen > 1<<16-1 {
		return nil, openflow.ErrTooLong
	}
	if err = f.mod.Parse(v, f.bytes); err != nil {
		return nil, err
	}
	return &f.mod, nil
}

// form finds out whether the switch's version can say a rule. What it would say otherwise is not sent: a match might be
// wider than what is wanted.
func (c *Core) form(l *ledger, w *row) {
	if w.formed {
		return
	}
	w.formed, w.unsaid = true, ""
	said, err := c.former.form(l.version, addition(w.key, w.rule, w.rule.Instructions))
	switch {
	case err != nil:
		w.unsaid = err.Error()
	case said.Table != w.key.table:
		w.unsaid = fmt.Sprintf("OpenFlow %s cannot name table %d", l.version, w.key.table)
	case said.Match.Key() != w.key.match:
		w.unsaid = fmt.Sprintf("OpenFlow %s would match %s instead", l.version, said.Match.String())
	}
}

// holds says whether the switch is known to hold a row with these instructions.
func (c *Core) holds(l *ledger, w *row, instructions []openflow.Instruction) bool {
	if !w.known || w.on.cookie != w.rule.Cookie {
		return false
	}
	if sameInstructions(w.on.instructions, instructions) {
		return true
	}
	said, err := c.former.form(l.version, addition(w.key, w.rule, instructions))
	return err == nil && sameInstructions(w.on.instructions, said.Instructions)
}

// canFilter says whether a version can restrict a flow-mod or a reading to some cookies.
func (f *former) canFilter(v openflow.Version) bool {
	_, err := f.form(v, &openflow.FlowMod{
		Command: openflow.FlowDeleteStrict, CookieMask: plan.ExactMask,
		Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
	})
	return err == nil
}
