package ruleset

import "hash/maphash"

// Counted is what a switch says of the counters of one entry.
type Counted struct {
	Number  uint32 // the owner's, as in Set
	Version uint16
	Place   uint64 // HashPlace
	Counts  Counts
}

// placeSeed is for the hashes of places: users choose matches and must not be able to choose their hashes.
var placeSeed = maphash.MakeSeed()

// HashPlace returns a hash of where an entry stands in its table, for tables in memory: two places have one by chance only.
// The match is canonical and without in_port (CutInPort).
func HashPlace(in uint32, priority uint16, match []byte) uint64 {
	const golden = 0x9e3779b97f4a7c15
	h := maphash.Bytes(placeSeed, match) + (uint64(in)<<16|uint64(priority))*golden
	return (h ^ h>>29) * golden
}
