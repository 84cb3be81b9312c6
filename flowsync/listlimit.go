package flowsync

import (
	"errors"

	"github.com/weirnet/weir/openflow"
)

// The memory of listings (firm entries of ours, soft ones, foreign ones) is bounded for all
// switches together, by Config.ListMax: while they are received, while they wait for the loop, and
// in switchState. Packed entries of rule sets are bounded by packedMax instead.

// What an entry takes in memory, about: itself, its key and its slot in a map, without its match;
// and each of its instructions and actions.
const (
	entryBytes       = 256
	instructionBytes = 96
)

// listingShare: a listing may take this part of the free bytes; listingFloor bytes are always
// allowed.
const (
	listingShare = 4
	listingFloor = 16 << 10
)

// errNoRoom ends a reading of a switch that lists more firm entries of ours than there is room for.
var errNoRoom = errors.New("flowsync: no room for what the switch lists")

// entrySize returns about how many bytes an entry takes of which this is kept.
func entrySize(match *openflow.Match, instructions []openflow.Instruction) int {
	n := entryBytes + 2*len(match.OXM)
	for i := range instructions {
		n += instructionBytes * (1 + len(instructions[i].Actions))
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

// size returns about how many bytes the reading takes; less than bytes, if Config.Leftover dropped
// entries.
func (r *Reading) size() (n int) {
	for i := range r.Firm {
		n += entrySize(&r.Firm[i].Match, r.Firm[i].Instructions)
	}
	for i := range r.Soft {
		n += entrySize(&r.Soft[i].Match, nil)
	}
	for i := range r.Foreign {
		n += entrySize(&r.Foreign[i].Match, nil)
	}
	return n
}

// listingRoom returns how many bytes a listing may take in total that takes held now.
func (b *inbox) listingRoom(held int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	free := b.listMax - b.readingBytes - b.entriesBytes - int(b.listedBytes.Load())
	return max(listingFloor, (held+free)/listingShare)
}

// addReadingBytes counts bytes of listings being received.
func (b *inbox) addReadingBytes(bytes int) {
	b.mu.Lock()
	b.readingBytes += bytes
	b.mu.Unlock()
}

// setListedBytes counts the bytes that a switch's state keeps of a listing.
func (c *Core) setListedBytes(sw *switchState, bytes int) {
	c.listedBytes += bytes - sw.listedBytes
	sw.listedBytes = bytes
}

// noRoom raises an alarm if not all of a listing could be kept.
func (c *Core) noRoom(sw *switchState, in *Entries) {
	if in.Reading.incomplete || errors.Is(in.Err, errNoRoom) {
		c.raiseLimit("limits.switch_listings",
			"switch "+sw.dpid.String()+" lists more entries than there is room for: not all are remembered")
	}
}
