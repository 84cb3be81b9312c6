package flowsync

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// ShadowsMax bounds the shadows that a comparison lists of one switch; more are counted only.
const ShadowsMax = 20

// placesMax is up to how many foreignEntries.places a flow monitor adds to them: only those of listings are counted
// (Config.ListMax).
const placesMax = 1 << 16

// shadowCheckEvery is the shortest time between two checks of a switch's foreign entries.
const shadowCheckEvery = time.Second

// Shadow is a foreign entry that may take packets from a rule of ours.
type Shadow struct {
	Entry Entry
	Rule  *netview.Rule // the first one below it
}

// foreignEntries are the entries of others that a switch holds, without their instructions, and whether they shadow
// rules of ours. Of those above Config.ForeignMax it is known only which places they take, so that nothing of ours
// overwrites them. They are known while the switch is ready.
type foreignEntries struct {
	*session

	at       map[entryKey]*Entry
	places   map[uint64]struct{} // hashes of the keys of others, as far as there was room for them
	overflow int                 // entries that are not in at

	shadowText   string    // text of the alarm raised for entries above ours; "" if none is raised
	shadowsDirty bool      // entries or rules changed since checked
	checked      time.Time // when shadows were looked for last
}

// index replaces the entries with those of a listing, unless it is of ours only: then those of the last full one
// remain.
func (f *foreignEntries) index(r *Reading, oursOnly bool) {
	if oursOnly && f.at != nil {
		return
	}
	f.at = make(map[entryKey]*Entry, len(r.Foreign))
	for i := range r.Foreign {
		f.at[r.Foreign[i].key()] = &r.Foreign[i]
	}
	f.places = nil
	for _, h := range r.foreignPlaces {
		f.addPlace(h)
	}
	f.overflow = r.ForeignCount - len(r.Foreign)
	f.shadowsDirty = !oursOnly && (len(f.at) > 0 || f.shadowText != "")
}

// count returns the number of entries.
func (f *foreignEntries) count() int { return len(f.at) + f.overflow }

// placeBytes is about what a place of one takes.
const placeBytes = 16

func (f *foreignEntries) addPlace(hash uint64) {
	if f.places == nil {
		f.places = make(map[uint64]struct{})
	}
	f.places[hash] = struct{}{}
}

// holds says which foreign entry is in a place, "" if none is.
func (f *foreignEntries) holds(key entryKey) string {
	if e := f.at[key]; e != nil {
		return fmt.Sprintf("a foreign entry with cookie 0x%x", e.Cookie)
	}
	if len(f.places) > 0 {
		if _, ok := f.places[key.hash()]; ok {
			return "a foreign entry"
		}
	}
	return ""
}

// displaced forgets the foreign entry in a place, where there is one of ours now, or none.
func (f *foreignEntries) displaced(key entryKey) {
	if f.at[key] != nil {
		f.markDirty()
		delete(f.at, key)
	}
	f.removePlace(key)
}

// removePlace forgets a place, and reports whether it was known.
func (f *foreignEntries) removePlace(key entryKey) bool {
	if len(f.places) == 0 {
		return false
	}
	hash := key.hash()
	if _, ok := f.places[hash]; !ok {
		return false
	}
	delete(f.places, hash)
	f.overflow--
	return true
}

// note records a change of a foreign entry.
func (f *foreignEntries) note(key entryKey, ch *Change) {
	_, known := f.at[key]
	f.shadowsDirty = true
	placed := f.removePlace(key)
	switch {
	case ch.Event == openflow.FlowDeleted && known:
		delete(f.at, key)
	case ch.Event == openflow.FlowDeleted && !placed:
		f.overflow = max(len(f.places), f.overflow-1)
	case ch.Event == openflow.FlowDeleted:
	case known || len(f.at) < f.config.ForeignMax:
		e := ch.Entry
		e.Instructions = nil
		f.at[key] = &e
	case ch.Event == openflow.FlowAdded || placed:
		if len(f.places) < placesMax {
			f.addPlace(key.hash())
		}
		f.overflow++
	}
}

// shadows lists at most most shadows and counts all: foreign entries in the table of a rule of
// ours that the view desires, with a higher priority and an overlapping match. Rules are in the order in which a switch
// is filled.
func (f *foreignEntries) shadows(ours []*netview.Rule, most int) (list []Shadow, n int) {
	if len(f.at) == 0 {
		return nil, 0
	}
	tables := make(map[uint8][]*netview.Rule)
	for _, r := range ours {
		if r.Priority > plan.PriorityMiss || hasGoto(r) {
			tables[r.Table] = append(tables[r.Table], r)
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(f.at), entryKey.compare) {
		e, rules := f.at[key], tables[f.ourKey(key).table]
		i := slices.IndexFunc(rules, func(r *netview.Rule) bool {
			return key.priority > r.Priority && e.Match.Overlaps(r.Match)
		})
		if i < 0 {
			continue
		}
		if n++; len(list) < most {
			list = append(list, Shadow{*e, rules[i]})
		}
	}
	return list, n
}

// hasGoto reports whether a rule leads to the next table: packets that it does not get reach no
// rule of ours.
func hasGoto(r *netview.Rule) bool {
	return slices.ContainsFunc(r.Instructions,
		func(i openflow.Instruction) bool { return i.Type == openflow.InstructionGotoTable })
}

// markDirty schedules a check for shadows: foreign entries or rules have changed.
func (f *foreignEntries) markDirty() {
	f.shadowsDirty = f.shadowsDirty || len(f.at) > 0 || f.shadowText != ""
}

// checkShadows raises or clears the alarm that foreign entries shadow ours.
func (f *foreignEntries) checkShadows(ours func() []*netview.Rule, now time.Time) {
	if !f.shadowsDirty || f.phase != phaseReady {
		return
	}
	if at := f.checked.Add(shadowCheckEvery); !f.checked.IsZero() && at.After(now) {
		f.wakeAt(at)
		return
	}
	f.shadowsDirty, f.checked = false, now
	list, n := f.shadows(ours(), 1)
	if n == 0 {
		f.clearShadowAlarm()
		return
	}
	text := fmt.Sprintf("entries of others stand above rules of ours and may take their packets: %d, the first %s",
		n, list[0].Entry.String())
	if text != f.shadowText {
		f.shadowText = text
		f.raise(netview.AlarmForeignRule, text)
	}
}

// clearShadowAlarm clears the alarm.
func (f *foreignEntries) clearShadowAlarm() {
	if f.shadowText != "" {
		f.shadowText = ""
		f.clearAlarm(netview.AlarmForeignRule)
	}
}
