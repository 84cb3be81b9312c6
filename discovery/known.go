package discovery

import (
	"encoding/binary"
	"hash/maphash"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// known is the table that spares the loop what it knows already: which host spoke with which address at which port, and
// which ports are links'. Readers look it up for every packet-in, without a lock; only the core writes, except for the
// time that a reader renews. An entry is a 64-bit hash with a random seed, so that a false hit is not to be expected and
// cannot be made; one that falls out is put in again when it is next asked for.
type known struct {
	seed maphash.Seed
	sets []knownSet
	mask uint64
	now  atomic.Uint32 // seconds since start; the loop's clock, good to a second or two
	turn uint32        // where the next entry goes in a full set
}

// knownSet is a cache line of entries.
type knownSet [4]knownEntry

type knownEntry struct {
	hash atomic.Uint64 // 0: none
	seen atomic.Uint32 // in seconds since start
}

func newKnown(entries int) *known {
	n := 1
	for n*len(knownSet{}) < entries {
		n *= 2
	}
	return &known{seed: maphash.MakeSeed(), sets: make([]knownSet, n), mask: uint64(n - 1)}
}

// hashHost is the hash of an observation: the host, its place, its address (zero for none).
func (k *known) hashHost(id netview.HostID, at netview.Point, ip packet.Addr) uint64 {
	var b [36]byte
	copy(b[:6], id.MAC[:])
	binary.LittleEndian.PutUint16(b[6:], id.VLAN)
	binary.LittleEndian.PutUint64(b[8:], uint64(at.DPID))
	binary.LittleEndian.PutUint32(b[16:], at.Port)
	copy(b[20:], ip[:])
	return maphash.Bytes(k.seed, b[:]) | 1
}

// hashPort is the hash of a port that is a link's.
func (k *known) hashPort(at netview.Point) uint64 {
	var b [12]byte
	binary.LittleEndian.PutUint64(b[:], uint64(at.DPID))
	binary.LittleEndian.PutUint32(b[8:], at.Port)
	return maphash.Bytes(k.seed, b[:]) | 1
}

// either are the two sets that an entry may be in.
func (k *known) either(hash uint64) [2]*knownSet {
	return [2]*knownSet{&k.sets[hash>>32&k.mask], &k.sets[hash>>8&k.mask]}
}

// has is true if the entry is there.
func (k *known) has(hash uint64) bool {
	for _, set := range k.either(hash) {
		for i := range set {
			if set[i].hash.Load() == hash {
				return true
			}
		}
	}
	return false
}

// fresh is true if the entry is there and was seen lately. When it is there but old, one caller is told so by false, and
// the others not for as long as it takes to become old again.
func (k *known) fresh(hash uint64) bool {
	for _, set := range k.either(hash) {
		for i := range set {
			if e := &set[i]; e.hash.Load() == hash {
				seen, now := e.seen.Load(), k.now.Load()
				return now-seen < uint32(refreshSeen/time.Second) || !e.seen.CompareAndSwap(seen, now)
			}
		}
	}
	return false
}

// anyAddress stands for all addresses of data, in the entry of a host that has no room for more of them.
var anyAddress = packet.Addr{0: 0xff, 15: 0xff}

// news is true if a sighting may tell something that is not known.
func (k *known) news(s *sighting) bool {
	switch {
	case k.fresh(k.hashHost(s.id, s.at, s.ip)), k.has(k.hashPort(s.at)):
		return false
	case s.certain:
		return true
	}
	return !k.fresh(k.hashHost(s.id, s.at, anyAddress))
}

// tick sets the clock.
func (k *known) tick(sinceStart time.Duration) { k.now.Store(uint32(sinceStart / time.Second)) }

// add puts an entry in, in the place of another if both its sets are full.
func (k *known) add(hash uint64) {
	var free *knownEntry
	sets := k.either(hash)
	for _, set := range sets {
		for i := range set {
			switch e := &set[i]; e.hash.Load() {
			case hash:
				e.seen.Store(k.now.Load())
				return
			case 0:
				if free == nil {
					free = e
				}
			}
		}
	}
	if free == nil {
		k.turn++
		free = &sets[0][k.turn%uint32(len(sets[0]))]
	}
	free.seen.Store(k.now.Load())
	free.hash.Store(hash)
}

// remove takes an entry out.
func (k *known) remove(hash uint64) {
	for _, set := range k.either(hash) {
		for i := range set {
			if set[i].hash.Load() == hash {
				set[i].hash.Store(0)
			}
		}
	}
}
