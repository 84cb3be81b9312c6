package intent

import (
	"hash/maphash"
	"strconv"
	"time"

	"github.com/weirnet/weir/hashtab"
	"github.com/weirnet/weir/numbered"
)

// records are all intents, by number and by id. An id belongs to one number as long as the intent exists; a
// number is given out again when its intent is gone.
type records struct {
	now     func() time.Time
	seed    maphash.Seed
	entries numbered.Table[catalogEntry]
	ids     index             // by id
	texts   map[uint32]string // of those whose text is not that of their code
	free    []uint32          // numbers whose rules are gone
	last    uint32            // the highest number allocated
	counts  [states]int       // by state
}

func newRecords(now func() time.Time) *records {
	return &records{now: now, seed: maphash.MakeSeed(), texts: make(map[uint32]string)}
}

// add makes the entry of a new intent, Submitted, without content.
func (x *records) add(n uint32, id string) *catalogEntry {
	x.ids.add(x.hashID(id), n)
	r := x.entries.At(n)
	r.state, r.since = Submitted, x.now().UnixNano()
	x.counts[Submitted]++
	return r
}

// delete deletes the entry of an intent that is gone.
func (x *records) delete(n uint32) {
	x.drop(n)
	x.free = append(x.free, n)
}

// drop is delete of an intent that is loaded: its number is not free before loaded.
func (x *records) drop(n uint32) {
	r := x.entries.At(n)
	x.ids.Remove(x.hashID(r.id()), n)
	x.setText(n, r, "")
	x.counts[r.state]--
	*r = catalogEntry{}
}

// loaded ends the loading: numbers without an entry are free.
func (x *records) loaded() {
	x.free = x.free[:0]
	for n := x.last; n > 0; n-- {
		if !x.has(n) {
			x.free = append(x.free, n)
		}
	}
}

// newNumber allocates a number.
func (x *records) newNumber() uint32 {
	if n := len(x.free); n > 0 {
		number := x.free[n-1]
		x.free = x.free[:n-1]
		return number
	}
	x.last++
	return x.last
}

// newID makes an id from a number and the current second, since numbers are reused. It has none for which
// taken returns true.
func (x *records) newID(n uint32, taken func(id string) bool) string {
	id := "i" + strconv.FormatUint(uint64(n), 10) + "-" + strconv.FormatInt(x.now().Unix(), 36)
	for x.find(id) != 0 || taken(id) {
		id += "x"
	}
	return id
}

// hashID returns the hash of an id in records.ids.
func (x *records) hashID(id string) uint64 { return maphash.String(x.seed, id) }

// find returns the number of an id; 0 if there is none.
func (x *records) find(id string) (number uint32) {
	x.ids.Find(x.hashID(id), func(n uint32) bool {
		if x.entries.At(n).id() == id {
			number = n
		}
		return number == 0
	})
	return number
}

// has reports whether a number is in use.
func (x *records) has(n uint32) bool {
	return n < x.entries.End() && x.entries.At(n).content != ""
}

// inFlight reports whether a commit that concerns an id is in flight.
func (x *records) inFlight(id string) bool {
	n := x.find(id)
	return n != 0 && x.entries.At(n).inFlight()
}

// existing returns the intent under an id, as admission sees it.
func (x *records) existing(id string) (was existing) {
	if n := x.find(id); n != 0 {
		r := x.entries.At(n)
		was = existing{n, r.content, r.state, r.unprocessed > 0, r.revision}
	}
	return was
}

// visible reports whether readers see an intent of a number.
func (x *records) visible(n uint32) bool {
	return n != 0 && x.has(n) && !x.entries.At(n).uncommitted()
}

// copyOf copies the entry of a visible number.
func (x *records) copyOf(n uint32) entryCopy {
	c := entryCopy{catalogEntry: x.entries.At(n).durable(), number: n}
	if c.hasText {
		c.text = x.texts[n]
	} else {
		c.text = codeTexts[c.code]
	}
	return c
}

// pageNumbers is how many numbers are examined while the lock is held.
const pageNumbers = 4096

// page copies visible entries in the order of numbers, after one: at most limit, from no more than
// pageNumbers numbers. last is the last number examined, 0 at the end.
func (x *records) page(after uint32, limit int, buf []entryCopy) (list []entryCopy, last uint32) {
	list = buf
	for n := after + 1; n <= x.last; n++ {
		if x.visible(n) {
			list = append(list, x.copyOf(n))
		}
		if len(list) == limit || n-after == pageNumbers {
			return list, n
		}
	}
	return list, 0
}

func (x *records) setState(r *catalogEntry, s State) {
	x.counts[r.state]--
	x.counts[s]++
	r.state, r.since = s, x.now().UnixNano()
}

// restore undoes a change of an entry, except for updates of the core since.
func (x *records) restore(r *catalogEntry, u *undo) {
	x.counts[r.state]--
	r.content, r.pending = u.before.content, nil
	if u.commit.Content == "" {
		r.state, r.since = u.before.state, u.before.since
	}
	x.counts[r.state]++
}

// setText sets the text of an intent; empty: that of its code.
func (x *records) setText(n uint32, r *catalogEntry, text string) {
	if r.hasText = text != ""; r.hasText {
		x.texts[n] = text
	} else {
		delete(x.texts, n)
	}
}

// index finds numbers by hash. A hash may have several numbers, and a number may be there several
// times; the caller compares: what is found may only look the same. A slot takes 8 bytes.
type index struct {
	hashtab.Table[uint32, struct{}]
}

func (x *index) add(hash uint64, number uint32) { x.Add(hash, number, struct{}{}) }
