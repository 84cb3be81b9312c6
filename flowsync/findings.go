package flowsync

import (
	"cmp"
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

// Findings is the result of comparing one switch with what is desired of it.
type Findings struct {
	DPID     netview.DPID
	Err      error // why the switch could not be compared; nil if it was
	Desired  int   // rules, and entries that are being removed
	Compared int   // of Desired
	InFlight int   // of Desired: written during the comparison, which is no difference
	Failed   int   // rules that the switch refused, which is no difference
	Foreign  int   // entries of others
	Shadowed int   // of Foreign: above a rule of ours whose packets they may take; at most Config.ForeignMax are examined

	Differences []Difference
	Shadows     []Shadow // the first ShadowsMax of Shadowed
}

// Difference is one entry that is not as desired.
type Difference struct {
	Kind     DifferenceKind
	Table    uint8
	Priority uint16
	Match    openflow.Match
	Owner    string // of the rule that is desired
	Desired  string // cookie and instructions; empty if nothing is desired
	Held     string // cookie and instructions; empty if nothing is held
}

// DifferenceKind is what differs.
type DifferenceKind string

// The kinds of differences.
const (
	DifferenceMissing DifferenceKind = "missing" // desired, and not held
	DifferenceChanged DifferenceKind = "changed" // held with another cookie or other instructions
	DifferenceExtra   DifferenceKind = "extra"   // ours, held, and not desired
	DifferenceView    DifferenceKind = "view"    // the view and flowsync disagree on it
)

// add adds a desired rule that is missing or changed.
func (f *Findings) add(sw *switchState, w *row, e, foreign *Entry) {
	held := ""
	if e = cmp.Or(e, foreign); e != nil {
		held = describe(e.Cookie, e.Instructions)
	}
	f.addMissing(w.rule, sw.instructionsOf(w), held)
}

// addMissing adds a desired rule that the switch does not hold; held is what it holds in its place,
// if anything.
func (f *Findings) addMissing(r *netview.Rule, instructions []openflow.Instruction, held string) {
	d := Difference{
		Kind: DifferenceMissing, Table: r.Table, Priority: r.Priority, Match: r.Match, Owner: r.Owner,
		Desired: describe(r.Cookie, instructions), Held: held,
	}
	if held != "" {
		d.Kind = DifferenceChanged
	}
	f.Differences = append(f.Differences, d)
}

// extra adds the stale entries.
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

// endCheck hands findings to the callers that wait for them.
func (c *Core) endCheck(sw *switchState, f Findings) {
	if sw.checkRunning {
		f.DPID = sw.dpid
		c.ready.Findings = append(c.ready.Findings, f)
	}
	sw.checkRunning = false
}

// requestCheck has a switch compared as soon as possible.
func (c *Core) requestCheck(sw *switchState) {
	sw.checkRequested = true
	if sw.phase == phaseDown {
		c.failChecks(sw)
	}
}

// failChecks answers checks of a switch without a session.
func (c *Core) failChecks(sw *switchState) {
	if sw.checkRequested || sw.checkRunning {
		c.ready.Findings = append(c.ready.Findings, Findings{DPID: sw.dpid, Err: errNoSession})
	}
	sw.checkRequested, sw.checkRunning = false, false
}

// viewDifferences compares the rules and statuses in the view with those of the core. A switch with
// anything in flight is skipped.
func (c *Core) viewDifferences(view *netview.Snapshot, dpid netview.DPID) (list []Difference) {
	sw := c.switches[dpid]
	if sw == nil || !sw.converged || view.Revision() != c.viewRevision {
		return nil
	}
	differs := func(key entryKey, m openflow.Match, owner, wanted, held string) {
		list = append(list, Difference{
			Kind: DifferenceView, Table: key.table, Priority: key.priority, Match: m, Owner: owner, Desired: wanted, Held: held,
		})
	}
	seen := make(map[entryKey]bool)
	for r := range view.Rules(dpid) {
		key := keyOf(r)
		seen[key] = true
		w := sw.rows[key]
		switch {
		case w == nil || w.rule == nil:
			differs(key, r.Match, r.Owner, string(r.State), "")
		case !contentOf(w.rule).same(contentOf(r)) || w.status.state != r.State:
			differs(key, r.Match, r.Owner, string(r.State), string(w.status.state))
		}
	}
	for _, key := range sortedKeys(sw.rows) {
		if w := sw.rows[key]; w.rule != nil && !seen[key] {
			differs(key, w.rule.Match, w.rule.Owner, "", string(w.status.state))
		}
	}
	return list
}
