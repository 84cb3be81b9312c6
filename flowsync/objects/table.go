package objects

import (
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset/object"
)

// User is a rule of the caller's, by a number of its choice.
type User = uint32

// Config is what a Table goes by.
type Config struct {
	Domain  uint16
	Window  time.Duration                   // losses that are longer ago than this do not count
	Backoff func(losses int) time.Duration  // how long an object waits that was lost so often
	Retry   func(fails int) time.Duration   // how long one waits that was refused so often, though the switch has had it
	Text    func(*openflow.ErrorMsg) string // an error, for people
}

// Table has the objects of one switch.
type Table struct{ sending }

// rows are what is known of the objects, and which of them Next has to look at.
type rows struct {
	config Config
	sw     object.Switch

	byContent map[object.Digest]*row
	byNumber  [kinds]map[uint32]*row
	cursor    [kinds]uint32 // of the number given last
	queue     []*row        // to be looked at
	room      [kinds][]*row // were refused for lack of room, and wait for a deletion
	fixed     []uint32      // meters with fixed numbers that came, went, or were refused

	shared   int           // rows that have no fixed number
	occupied [kinds][4]int // rows that the switch has, by type (row.class)
	others   [kinds][4]int // likewise, what it has besides
	clock    uint64        // counts changes of rows

	numbers    *object.Numbers // as of numbersAt
	numbersAt  uint64
	renumbered uint64 // counts changes of numbers
}

type kind uint8

const (
	meters kind = iota
	groups
	kinds
)

// String is "meter" or "group".
func (k kind) String() string { return [...]string{"meter", "group"}[k] }

type numbered struct {
	kind   kind
	number uint32
}

// held is what the switch has under a row's number, as far as is known.
type held uint8

const (
	nothing   held = iota
	something      // an object of the number, with other content, or with some that is not known
	it             // the content: confirmed, or listed
)

// row is what is known of one object. What can happen to it is in the package's documentation.
type row struct {
	content  object.Object // nil: it was listed, and nobody of ours writes such a one, or another row has its content
	kind     kind
	class    openflow.GroupType // of groups, their type; else 0
	number   uint32             // 0: none yet
	fixed    bool               // the number is the plan's, and content may change
	proposed bool               // the number is only proposed: the switch has never had the object (owned.go)
	stale    bool               // listed, and never wanted since

	desired bool   // of fixed: by its owner
	wanted  int    // users whose rules are wanted with it
	kept    int    // how often users keep it: their entries may use it
	usedBy  []*row // groups whose content uses it

	held      held
	other     string // while held is something: what that is, for people; empty if it is not known
	flight    *Op    // the message in flight
	confirmed bool
	since     time.Time // of one that was made in this session: when
	changed   uint64    // Table.clock
	queued    bool
	ended     bool

	refusal   *Refusal
	tries     int // refusals that say that the switch has something else than was thought
	fails     int
	retryAt   time.Time // zero if it does not wait
	losses    int       // since lostSince
	lostSince time.Time
	waiting   []User // to be woken
}

// Refusal is why an object cannot be at the switch.
type Refusal struct {
	Code   openflow.ErrorCode // the switch's; 0 if it was not asked
	Reason string             // for people
}

// New returns a table of a switch that has no session.
func New(config Config) *Table {
	r := &rows{config: config, byContent: make(map[object.Digest]*row)}
	for k := range r.byNumber {
		r.byNumber[k] = make(map[uint32]*row)
	}
	u := &users{rows: r, of: make(map[User]*uses)}
	return &Table{sending{users: u, gone: make(map[numbered]uint64)}}
}

// Begin begins a session: nothing is known of the switch.
func (t *Table) Begin(v openflow.Version) {
	t.Forget()
	t.releaseAll()
	t.sw, t.features = object.Switch{Version: v}, featuresUnknown
	t.others = [kinds][4]int{}
}

// releaseAll has users keep nothing.
func (t *Table) releaseAll() {
	for u, w := range t.of {
		if t.release(&w.keeps); len(w.wants) == 0 {
			delete(t.of, u)
		}
	}
}

// Forget forgets what the switch has, and what is in flight: nothing is sent before a listing (Compare).
func (t *Table) Forget() {
	t.queue, t.leaving, t.retries, t.unasked, t.room = nil, nil, nil, nil, [kinds][]*row{}
	t.pruning, t.unpruned = false, false
	clear(t.gone)
	for _, r := range t.all() {
		r.flight, r.queued, r.confirmed, r.tries, r.fails, r.retryAt, r.since = nil, false, false, 0, 0, time.Time{},
			time.Time{}
		if r.content != nil {
			r.refusal = nil
		}
		t.set(r, nothing)
	}
	t.flights = 0
	for _, r := range t.all() {
		t.endUnused(r)
	}
}

// ForgetNumbers is Forget where another instance may have given the domain's numbers anew: what a number means is what
// the next listing says.
func (t *Table) ForgetNumbers() {
	t.Forget()
	t.releaseAll()
	for _, r := range t.all() {
		if !r.fixed && r.number != 0 {
			delete(t.byNumber[r.kind], r.number)
			r.number = 0
		}
	}
	for _, r := range t.all() {
		if !r.fixed && r.content != nil {
			t.propose(r)
		}
	}
	t.renumbered++
}

// all returns the rows in a fixed order, those without a number by content.
func (t *rows) all() []*row {
	list := make([]*row, 0, len(t.byContent)+len(t.byNumber[meters]))
	for _, r := range t.byContent {
		list = append(list, r)
	}
	for k := range t.byNumber {
		for _, r := range t.byNumber[k] {
			if r.content == nil || t.byContent[*r.content.Digest()] != r {
				list = append(list, r)
			}
		}
	}
	slices.SortFunc(list, compareRows)
	return list
}

// Content returns the object with a digest, nil if the table has none.
func (t *rows) Content(d *object.Digest) object.Object {
	if r := t.byContent[*d]; r != nil {
		return r.content
	}
	return nil
}

// Empty reports whether nothing is known, and nobody wants or keeps anything.
func (t *rows) Empty() bool {
	return len(t.byContent) == 0 && len(t.byNumber[meters])+len(t.byNumber[groups]) == 0
}

// Counts are the groups and meters that are wanted, and how many of them the switch is not known to have.
type Counts struct{ Groups, Meters, Lacking int }

// Counts returns the counts.
func (t *rows) Counts() (c Counts) {
	count := func(r *row) {
		switch {
		case !r.isWanted():
			return
		case r.kind == groups:
			c.Groups++
		default:
			c.Meters++
		}
		if r.held != it {
			c.Lacking++
		}
	}
	for _, r := range t.byContent {
		count(r)
	}
	for _, r := range t.byNumber[meters] {
		if r.fixed {
			count(r)
		}
	}
	return c
}

// Numbered reports whether the switch can have groups and meters, which have numbers.
func (t *rows) Numbered() bool { return t.sw.Numbered() }

// rowOf returns the row of a content, made with those of the groups that it uses if there was none.
func (t *rows) rowOf(o object.Object) *row {
	if r := t.byContent[*o.Digest()]; r != nil {
		return r
	}
	r := &row{content: o}
	r.kind, r.class = classOf(o)
	t.byContent[*o.Digest()] = r
	t.shared++
	t.propose(r)
	for _, g := range o.Uses() {
		used := t.rowOf(g)
		used.usedBy = append(used.usedBy, r)
	}
	return r
}

func classOf(o object.Object) (kind, openflow.GroupType) {
	if g, ok := o.(*object.Group); ok {
		return groups, g.Type()
	}
	return meters, 0
}

// endUnused ends a row that is neither wanted nor at the switch; false if it is.
func (t *rows) endUnused(r *row) bool {
	if r.ended {
		return true
	}
	if r.isWanted() || r.kept > 0 || len(r.usedBy) > 0 || r.held != nothing || r.flight != nil {
		return false
	}
	r.ended = true
	if !r.fixed {
		t.shared--
	}
	t.renumbered++
	if t.byNumber[r.kind][r.number] == r {
		delete(t.byNumber[r.kind], r.number)
	}
	if r.content == nil || t.byContent[*r.content.Digest()] != r {
		return true
	}
	delete(t.byContent, *r.content.Digest())
	for _, g := range r.content.Uses() {
		used := t.byContent[*g.Digest()]
		used.usedBy = slices.DeleteFunc(used.usedBy, func(u *row) bool { return u == r })
		t.touch(used)
	}
	return true
}

func (r *row) isWanted() bool { return r.wanted > 0 || r.desired }

// touch has Next look at a row that has changed, or ends it.
func (t *rows) touch(r *row) {
	if t.endUnused(r) || r.queued {
		return
	}
	r.queued = true
	t.queue = append(t.queue, r)
}

// set records what the switch has of a row.
func (t *rows) set(r *row, h held) {
	switch {
	case r.held == nothing && h != nothing:
		t.occupied[r.kind][r.class]++
	case r.held != nothing && h == nothing:
		t.occupied[r.kind][r.class]--
		t.requeue(&t.room[r.kind])
	}
	if r.fixed && (r.held == nothing) != (h == nothing) {
		t.fixed = append(t.fixed, r.number)
	}
	if r.held = h; h != something {
		r.other = ""
	}
	t.clock++
	r.changed = t.clock
}

// assign gives a row a number; false if there is none.
func (t *rows) assign(r *row) bool {
	first, last, ok := plan.SharedNumbers(t.config.Domain)
	at := t.byNumber[r.kind]
	for n := t.cursor[r.kind]; ok && len(at) <= int(last-first); {
		if n++; n < first || n > last {
			n = first
		}
		if at[n] == nil {
			t.cursor[r.kind] = n
			t.number(r, n)
			return true
		}
	}
	return false
}

// number gives a row a number that no other one has.
func (t *rows) number(r *row, n uint32) {
	if t.byNumber[r.kind][r.number] == r {
		delete(t.byNumber[r.kind], r.number)
	}
	r.number = n
	t.byNumber[r.kind][n] = r
	t.renumbered++
}

// name is a row for people: "group 1048576".
func (r *row) name() string {
	if r.number == 0 {
		return r.kind.String() + " without a number"
	}
	return fmt.Sprintf("%s %d", r.kind, r.number)
}
