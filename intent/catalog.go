package intent

import (
	"hash/maphash"
	"iter"
	"sync"

	"github.com/weirnet/weir/changelog"
	"github.com/weirnet/weir/intent/numbered"
	"github.com/weirnet/weir/intent/spec"
)

// catalog has all intents: their contents and what readers see of them. It takes batches of
// requests to the journal as admission judges them (submit.go, commit.go), and shows the state that
// the core has computed (publish.go). Everything in it is guarded by mu, which is held for a batch
// at a time and never across a wait.
type catalog struct {
	mu        sync.Mutex
	config    *Config
	admission admission
	seed      maphash.Seed
	entries   numbered.Table[catalogEntry]
	ids       index // by id
	texts     map[uint32]string
	free      []uint32 // numbers whose rules are gone
	last      uint32   // the highest number allocated

	inFlight int         // requests that the journal has not committed
	idQueues lines       // deferred batches, which name an id that is in flight or that an earlier one names
	counts   [states]int // by state
	totals   Totals
	events   changelog.Log[uint64, event] // Current is the revision of the newest event
	core     CoreCounts
	waiters  map[uint32][]*waiter
	waiting  int // waiters
	closed   bool

	commits []Commit // for the core
	recs    []Record // scratch: a batch's records
	data    []byte
	buf     []byte // scratch: one content
}

// Totals are counters since the start.
type Totals struct {
	Requests, Accepted, Existing, Conflicts, Refused, Overloads, Failures uint64 // Failures: commits that failed, in requests
}

func newCatalog(c *Config) *catalog {
	cat := &catalog{config: c, seed: maphash.MakeSeed(), texts: make(map[uint32]string), waiters: make(map[uint32][]*waiter)}
	cat.admission = newAdmission(limits{c.MaxIntents, c.MaxInFlight}, c.View,
		func(n uint32) string { return cat.entries.At(n).content })
	cat.events = newEventLog(c.Events)
	return cat
}

// load adds an intent from the journal, at the start.
func (cat *catalog) load(n uint32, content string, s *spec.Spec) {
	cat.last = max(cat.last, n)
	*cat.entries.At(n) = catalogEntry{content: content, state: Submitted, since: cat.config.Now().UnixNano()}
	cat.counts[Submitted]++
	cat.ids.add(cat.hashID(s.ID), n)
	cat.admission.hold(s, n)
}

// loaded ends the loading: numbers without an entry are free.
func (cat *catalog) loaded() {
	for n := cat.last; n > 0; n-- {
		if !cat.has(n) {
			cat.free = append(cat.free, n)
		}
	}
}

// hashID returns the hash of an id in catalog.ids.
func (cat *catalog) hashID(id string) uint64 { return maphash.String(cat.seed, id) }

// find returns the number of an id; 0 if there is none.
func (cat *catalog) find(id string) (number uint32) {
	cat.ids.Find(cat.hashID(id), func(n uint32) bool {
		if cat.entries.At(n).id() == id {
			number = n
		}
		return number == 0
	})
	return number
}

// existing returns the intent under an id, as admission sees it.
func (cat *catalog) existing(id string) (was existing) {
	if n := cat.find(id); n != 0 {
		r := cat.entries.At(n)
		was = existing{n, r.content, r.state, r.unprocessed > 0, r.revision}
	}
	return was
}

// has reports whether a number is in use.
func (cat *catalog) has(n uint32) bool {
	return n < cat.entries.End() && cat.entries.At(n).content != ""
}

// visible reports whether readers see an intent of a number.
func (cat *catalog) visible(n uint32) bool {
	return n != 0 && cat.has(n) && !cat.entries.At(n).uncommitted()
}

// copyOf copies the entry of a visible number.
func (cat *catalog) copyOf(n uint32) entryCopy {
	c := entryCopy{catalogEntry: cat.entries.At(n).durable(), number: n}
	if c.hasText {
		c.text = cat.texts[n]
	}
	return c
}

// copies yields copies of the visible entries in the order of numbers, after one. They are made size
// at a time: concurrent changes may or may not be seen, and no writer is blocked for long. The lock
// is not held during a call of yield.
func (cat *catalog) copies(after uint32, size int) iter.Seq[*entryCopy] {
	return func(yield func(*entryCopy) bool) {
		var page []entryCopy
		for more := true; more; more = after != 0 {
			cat.mu.Lock()
			page, after = cat.page(after, size, page[:0])
			cat.mu.Unlock()
			for i := range page {
				if !yield(&page[i]) {
					return
				}
			}
		}
	}
}

// page copies visible entries in the order of numbers, after one: at most limit, from no more than
// pageNumbers numbers. last is the last number examined, 0 at the end.
func (cat *catalog) page(after uint32, limit int, buf []entryCopy) (list []entryCopy, last uint32) {
	list = buf
	for n := after + 1; n <= cat.last; n++ {
		if cat.visible(n) {
			list = append(list, cat.copyOf(n))
		}
		if len(list) == limit || n-after == pageNumbers {
			return list, n
		}
	}
	return list, 0
}

// pageNumbers is how many numbers are examined while the lock is held.
const pageNumbers = 4096

// newNumber allocates a number.
func (cat *catalog) newNumber() uint32 {
	if n := len(cat.free); n > 0 {
		number := cat.free[n-1]
		cat.free = cat.free[:n-1]
		return number
	}
	cat.last++
	return cat.last
}

func (cat *catalog) setState(r *catalogEntry, s State) {
	cat.counts[r.state]--
	cat.counts[s]++
	r.state, r.since = s, cat.config.Now().UnixNano()
}
