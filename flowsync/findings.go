package flowsync

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// errNoSession and errNoAnswer are why a switch could not be compared.
var (
	errNoSession = errors.New("the switch is not connected")
	errNoAnswer  = errors.New("the switch did not answer")
)

// Findings is what a comparison of one switch with what is wanted of it found.
type Findings struct {
	DPID     netview.DPID
	Err      error // why the switch could not be compared; nil if it was
	Wanted   int   // rules, and entries on their way out
	Compared int   // of those
	InFlight int   // of those: being written meanwhile, which is no difference
	Failed   int   // rules that the switch refused: known, and no difference
	Foreign  int   // entries of others
	Shadowed int   // of those: above a rule of ours whose packets they may take; not more than Config.ForeignMax are looked at

	Differences []Difference
	Shadows     []Shadow // the first ShadowsMax of Shadowed
}

// Difference is one entry that is not as wanted.
type Difference struct {
	Kind     DifferenceKind
	Table    uint8
	Priority uint16
	Match    openflow.Match
	Owner    string // of the rule that is wanted
	Wanted   string // cookie and instructions; empty if nothing is wanted
	Held     string // cookie and instructions; empty if nothing is held
}

// DifferenceKind says what is different.
type DifferenceKind string

// The kinds of differences.
const (
	DifferenceMissing DifferenceKind = "missing" // wanted, and not held
	DifferenceChanged DifferenceKind = "changed" // held with another cookie or other instructions
	DifferenceExtra   DifferenceKind = "extra"   // ours, held, and wanted by nobody
	DifferenceView    DifferenceKind = "view"    // the view and flowsync do not agree on it
)

// add notes that a wanted rule is missing or changed.
func (f *Findings) add(l *ledger, w *row, e, foreign *Entry) {
	d := Difference{
		Kind: DifferenceMissing, Table: w.key.table, Priority: w.key.priority, Match: w.rule.Match, Owner: w.rule.Owner,
		Wanted: describe(w.rule.Cookie, l.instructionsOf(w)),
	}
	if e == nil {
		e = foreign
	}
	if e != nil {
		d.Kind, d.Held = DifferenceChanged, describe(e.Cookie, e.Instructions)
	}
	f.Differences = append(f.Differences, d)
}

// extra notes the entries of ours that nobody wants.
func (f *Findings) extra(stale map[entryKey]*Entry) {
	for _, key := range slices.SortedFunc(maps.Keys(stale), entryKey.compare) {
		e := stale[key]
		f.Differences = append(f.Differences, Difference{
			Kind: DifferenceExtra, Table: e.Table, Priority: e.Priority, Match: e.Match, Held: describe(e.Cookie, e.Instructions),
		})
	}
}

func describe(cookie uint64, instructions []openflow.Instruction) string {
	var s strings.Builder
	fmt.Fprintf(&s, "cookie=0x%016x", cookie)
	for i := range instructions {
		s.WriteString(" " + instructions[i].String())
	}
	return s.String()
}

// answerCheck hands findings to those who asked for them.
func (c *Core) answerCheck(l *ledger, f Findings) {
	if l.checking {
		f.DPID = l.dpid
		c.ready.Findings = append(c.ready.Findings, f)
	}
	l.checking = false
}

// ask has a switch compared as soon as it can be.
func (c *Core) ask(l *ledger) {
	l.asked = true
	if l.phase == phaseDown {
		c.unreached(l)
	}
}

// unreached answers those who asked for a comparison that there is no session.
func (c *Core) unreached(l *ledger) {
	if l.asked || l.checking {
		c.ready.Findings = append(c.ready.Findings, Findings{DPID: l.dpid, Err: errNoSession})
	}
	l.asked, l.checking = false, false
}

// viewDiffers compares the rules that the view wants of a switch, and what it says of them, with what is known here. Rules
// on which something is under way are left out.
func (c *Core) viewDiffers(view *netview.Snapshot, dpid netview.DPID) (list []Difference) {
	l := c.ledgers[dpid]
	if l == nil || !l.rest || view.Revision() != c.seen {
		return nil
	}
	differs := func(key entryKey, m openflow.Match, owner, wanted, held string) {
		list = append(list, Difference{
			Kind: DifferenceView, Table: key.table, Priority: key.priority, Match: m, Owner: owner, Wanted: wanted, Held: held,
		})
	}
	seen := make(map[entryKey]bool)
	for r := range view.Rules(dpid) {
		key := keyOf(r)
		seen[key] = true
		w := l.rows[key]
		switch {
		case w == nil || w.rule == nil:
			differs(key, r.Match, r.Owner, string(r.State), "")
		case !contentOf(w.rule).same(contentOf(r)) || w.outcome.state != r.State:
			differs(key, r.Match, r.Owner, string(r.State), string(w.outcome.state))
		}
	}
	for _, key := range l.keys() {
		if w := l.rows[key]; w.rule != nil && !seen[key] {
			differs(key, w.rule.Match, w.rule.Owner, "", string(w.outcome.state))
		}
	}
	return list
}
