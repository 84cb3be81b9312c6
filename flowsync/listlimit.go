package flowsync

import (
	"errors"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// The memory of listings (firm entries of ours, soft ones, foreign ones) is bounded for all
// switches together, by Config.ListMax: while they are received, while they wait for the loop, and
// in switchState. Packed entries of rule sets are bounded by packedMax instead.

// entryBytes is about what an entry takes in memory besides its match and instructions: itself, its
// key, its slot in a map.
const entryBytes = 256

// listingShare: a listing may take this part of the free bytes; listingFloor bytes are always
// allowed.
const (
	listingShare = 4
	listingFloor = 16 << 10
)

// errNoRoom ends a reading of a switch that lists more firm entries of ours than there is room for.
var errNoRoom = errors.New("flowsync: no room for what the switch lists")

// heldBytes returns about how many bytes are kept of an entry.
func heldBytes(s *openflow.FlowStats, instructions bool) int {
	n := entryBytes + 2*len(s.Match.OXM)
	for i := range s.Instructions {
		if instructions {
			n += instructionBytes * (1 + len(s.Instructions[i].Actions))
		}
	}
	return n
}

// reserve takes room for an entry, if there is any.
func (r *Reading) reserve(bytes int) bool {
	if r.bytesMax > 0 && r.bytes+bytes > r.bytesMax {
		r.incomplete = true
		return false
	}
	r.bytes += bytes
	return true
}

// size returns about how many bytes the reading takes; less than bytes, if Config.Adopt dropped
// entries.
func (r *Reading) size() (n int) {
	for i := range r.Firm {
		n += entryBytes + 2*len(r.Firm[i].Match.OXM)
		for j := range r.Firm[i].Instructions {
			n += instructionBytes * (1 + len(r.Firm[i].Instructions[j].Actions))
		}
	}
	for i := range r.Soft {
		n += entryBytes + 2*len(r.Soft[i].Match.OXM)
	}
	for i := range r.Foreign {
		n += entryBytes + 2*len(r.Foreign[i].Match.OXM)
	}
	return n
}

// listingRoom returns how many bytes a listing may take in total that takes held now.
func (l *Loop) listingRoom(held int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	free := l.config.ListMax - l.readingBytes - l.entriesBytes - int(l.listedBytes.Load())
	return max(listingFloor, (held+free)/listingShare)
}

// addReadingBytes counts bytes of listings being received.
func (l *Loop) addReadingBytes(bytes int) {
	l.mu.Lock()
	l.readingBytes += bytes
	l.mu.Unlock()
}

// setListedBytes counts the bytes that a switch's state keeps of a listing.
func (c *Core) setListedBytes(sw *switchState, bytes int) {
	c.listedBytes += bytes - sw.listedBytes
	sw.listedBytes = bytes
}

// noRoom raises an alarm if not all of a listing could be kept.
func (c *Core) noRoom(sw *switchState, in *Entries) {
	if in.Reading.incomplete || errors.Is(in.Err, errNoRoom) {
		c.ready.Alarms = append(c.ready.Alarms, Alarm{
			Kind: netview.AlarmLimit, Object: "limits.switch_listings",
			Text: "switch " + sw.dpid.String() + " lists more entries than there is room for: not all are remembered",
		})
	}
}
