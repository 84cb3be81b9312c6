package flowsync

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weirnet/weir/flowsync/objects"
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

// Difference is one entry, group or meter that is not as desired.
type Difference struct {
	Kind     DifferenceKind
	Object   string // "group 1048576", of what is no entry; the place is then empty
	Table    uint8
	Priority uint16
	Match    openflow.Match
	Owner    string // of the rule that is desired
	Desired  string // cookie and instructions, or content; empty if nothing is desired
	Held     string // likewise; empty if nothing is held
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

// objects adds groups and meters.
func (f *Findings) objects(list []objects.Difference) {
	for i := range list {
		d := Difference{Kind: DifferenceChanged, Object: list[i].Name, Desired: list[i].Wanted, Held: list[i].Held}
		switch {
		case d.Held == "":
			d.Kind = DifferenceMissing
		case d.Desired == "":
			d.Kind = DifferenceExtra
		}
		f.Differences = append(f.Differences, d)
	}
}

// sort orders the differences: those of what is desired first, then as a switch is filled.
func (f *Findings) sort() {
	slices.SortStableFunc(f.Differences, func(a, b Difference) int {
		if a.Object+b.Object != "" { // after entries, in their order
			return map[bool]int{false: 0, true: 1}[b.Object == ""] - map[bool]int{false: 0, true: 1}[a.Object == ""]
		}
		if extra := a.Kind == DifferenceExtra; extra != (b.Kind == DifferenceExtra) {
			return map[bool]int{false: -1, true: 1}[extra]
		}
		return entryKey{a.Table, a.Priority, a.Match.Key()}.compare(entryKey{b.Table, b.Priority, b.Match.Key()})
	})
}

func describe(cookie uint64, instructions []openflow.Instruction) string {
	var s strings.Builder
	fmt.Fprintf(&s, "cookie=0x%016x", cookie)
	for i := range instructions {
		s.WriteString(" " + instructions[i].String())
	}
	return s.String()
}

// checks are the requests for findings of a switch: those that wait for an audit, and those that the audit in
// flight answers.
type checks struct {
	*session

	requested bool // a caller waits for the findings of the next audit
	running   bool // a caller waits for the findings of the audit in flight
}

// begin has the audit that begins answer what is requested.
func (k *checks) begin() { k.running, k.requested = k.requested, false }

// again has the next audit answer what one that is abandoned would have.
func (k *checks) again() { k.requested, k.running = k.requested || k.running, false }

// end hands findings to the callers that wait for them.
func (k *checks) end(f Findings) {
	if k.running {
		f.DPID = k.dpid
		k.ready.Findings = append(k.ready.Findings, f)
	}
	k.running = false
}

// request has a switch compared as soon as possible.
func (k *checks) request() {
	k.requested = true
	if k.phase == phaseDown {
		k.fail()
	}
}

// fail answers checks of a switch without a session.
func (k *checks) fail() {
	if k.requested || k.running {
		k.ready.Findings = append(k.ready.Findings, Findings{DPID: k.dpid, Err: errNoSession})
	}
	k.requested, k.running = false, false
}

// compareView adds how the rules and statuses in the view differ from the rows. A switch with anything in flight is
// skipped.
func (f *Findings) compareView(view *netview.Snapshot, sw *switchCore) {
	if !sw.converged || view.Revision() != sw.viewRevision {
		return
	}
	differs := func(r *netview.Rule, wanted, held string) {
		f.Differences = append(f.Differences, Difference{
			Kind: DifferenceView, Table: r.Table, Priority: r.Priority, Match: r.Match, Owner: r.Owner,
			Desired: wanted, Held: held,
		})
	}
	desired := sw.rules.ofView()
	seen := make(map[uint32]bool)
	for r := range view.Rules(sw.dpid) {
		i, ok := desired.rowOf(r)
		v := sw.rules.view[i]
		switch {
		case !ok || v == nil:
			differs(r, string(r.State), "")
			continue
		case !desired.sameContent(v, r) || v.status.state != r.State:
			differs(r, string(r.State), string(v.status.state))
		}
		seen[i] = true
	}
	for _, i := range desired.sorted() {
		if v := sw.rules.view[i]; !seen[i] {
			differs(v.rule, "", string(v.status.state))
		}
	}
}
