package flowsync

import (
	"fmt"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// codec predicts how a switch will list an entry: it encodes the flow-mod in the switch's version
// and decodes it again. So no code here depends on what a version omits or fills in.
type codec struct {
	buf []byte
	mod openflow.FlowMod
}

// roundTrip returns the flow-mod as version v expresses it, valid until the next call.
func (f *codec) roundTrip(v openflow.Version, mod *openflow.FlowMod) (*openflow.FlowMod, error) {
	var err error
	if f.buf, err = mod.Append(f.buf[:0], v); err != nil {
		return nil, err
	}
	if len(f.buf)+openflow.HeaderLen > 1<<16-1 {
		return nil, openflow.ErrTooLong
	}
	if err = f.mod.Parse(v, f.buf); err != nil {
		return nil, err
	}
	return &f.mod, nil
}

// checkSupported finds out whether the switch's version can express a rule. Otherwise it is not
// sent: its match might be wider than desired.
func (c *Core) checkSupported(sw *switchState, w *row) {
	if w.supportChecked {
		return
	}
	w.supportChecked, w.unsupported = true, ""
	said, err := c.codec.roundTrip(sw.version, addition(w.key, w.rule, w.rule.Instructions))
	switch {
	case err != nil:
		w.unsupported = err.Error()
	case said.Table != w.key.table:
		w.unsupported = fmt.Sprintf("OpenFlow %s cannot name table %d", sw.version, w.key.table)
	case said.Match.Key() != w.key.match:
		w.unsupported = fmt.Sprintf("OpenFlow %s would match %s instead", sw.version, said.Match.String())
	}
}

// holds reports whether the switch is known to hold a row with these instructions.
func (c *Core) holds(sw *switchState, w *row, instructions []openflow.Instruction) bool {
	if !w.contentKnown || w.content.cookie != w.rule.Cookie {
		return false
	}
	if sameInstructions(w.content.instructions, instructions) {
		return true
	}
	said, err := c.codec.roundTrip(sw.version, addition(w.key, w.rule, instructions))
	return err == nil && sameInstructions(w.content.instructions, said.Instructions)
}

// hasCookieMasks reports whether a version can restrict flow-mods and readings by cookie.
func (f *codec) hasCookieMasks(v openflow.Version) bool {
	_, err := f.roundTrip(v, &openflow.FlowMod{
		Command: openflow.FlowDeleteStrict, CookieMask: plan.ExactMask,
		Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
	})
	return err == nil
}
