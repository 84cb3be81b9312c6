package hosts

import (
	"encoding/binary"
	"hash/maphash"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// RefreshSeen is how stale Host.Seen may be.
const RefreshSeen = 60 * time.Second

// SeenCache filters what the loop knows already: which host was seen with which address at which
// port, and which ports are links'. Readers look it up for every packet-in, without a lock; only
// the core writes, except that readers refresh times. An entry is a 64-bit hash with a random seed,
// so that false hits are negligible and cannot be provoked; an evicted entry is added again at its
// next sighting.
type SeenCache struct {
	seed       maphash.Seed
	sets       []seenSet
	mask       uint64
	now        atomic.Uint32 // seconds since start; accurate to a second or two
	nextVictim uint32        // of a full set
}

// seenSet is a cache line of entries.
type seenSet [4]seenEntry

type seenEntry struct {
	hash atomic.Uint64 // 0: none
	seen atomic.Uint32 // in seconds since start
}

func newSeenCache(entries int) *SeenCache {
	n := 1
	for n*len(seenSet{}) < entries {
		n *= 2
	}
	return &SeenCache{seed: maphash.MakeSeed(), sets: make([]seenSet, n), mask: uint64(n - 1)}
}

// hashHost returns the hash of a sighting: the host, its location, its address (zero for none).
func (k *SeenCache) hashHost(id netview.HostID, at netview.Point, ip packet.Addr) uint64 {
	var b [36]byte
	copy(b[:6], id.MAC[:])
	binary.LittleEndian.PutUint16(b[6:], id.VLAN)
	binary.LittleEndian.PutUint64(b[8:], uint64(at.DPID))
	binary.LittleEndian.PutUint32(b[16:], at.Port)
	copy(b[20:], ip[:])
	return maphash.Bytes(k.seed, b[:]) | 1
}

// hashPort returns the hash of a port that is a link's.
func (k *SeenCache) hashPort(at netview.Point) uint64 {
	var b [12]byte
	binary.LittleEndian.PutUint64(b[:], uint64(at.DPID))
	binary.LittleEndian.PutUint32(b[8:], at.Port)
	return maphash.Bytes(k.seed, b[:]) | 1
}

// candidates returns the two sets that an entry may be in.
func (k *SeenCache) candidates(hash uint64) [2]*seenSet {
	return [2]*seenSet{&k.sets[hash>>32&k.mask], &k.sets[hash>>8&k.mask]}
}

// has reports whether the entry exists.
func (k *SeenCache) has(hash uint64) bool {
	for _, set := range k.candidates(hash) {
		for i := range set {
			if set[i].hash.Load() == hash {
				return true
			}
		}
	}
	return false
}

// fresh reports whether the entry exists and was seen lately. If it is old, one caller gets false,
// and later ones true until it is old again.
func (k *SeenCache) fresh(hash uint64) bool {
	for _, set := range k.candidates(hash) {
		for i := range set {
			if e := &set[i]; e.hash.Load() == hash {
				seen, now := e.seen.Load(), k.now.Load()
				return now-seen < uint32(RefreshSeen/time.Second) || !e.seen.CompareAndSwap(seen, now)
			}
		}
	}
	return false
}

// anyAddress stands for all addresses from data, in the entry of a host that has Limits.IPs.
var anyAddress = packet.Addr{0: 0xff, 15: 0xff}

// IsNew reports whether a sighting may be new to the core.
func (k *SeenCache) IsNew(s *Sighting) bool {
	switch {
	case k.fresh(k.hashHost(s.ID, s.At, s.IP)), k.has(k.hashPort(s.At)):
		return false
	case s.Certain:
		return true
	}
	return !k.fresh(k.hashHost(s.ID, s.At, anyAddress))
}

// setClock sets the clock.
func (k *SeenCache) setClock(sinceStart time.Duration) { k.now.Store(uint32(sinceStart / time.Second)) }

// add adds an entry, and evicts another if both its sets are full.
func (k *SeenCache) add(hash uint64) {
	var free *seenEntry
	sets := k.candidates(hash)
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
		k.nextVictim++
		free = &sets[0][k.nextVictim%uint32(len(sets[0]))]
	}
	free.seen.Store(k.now.Load())
	free.hash.Store(hash)
}

// remove removes an entry.
func (k *SeenCache) remove(hash uint64) {
	for _, set := range k.candidates(hash) {
		for i := range set {
			if set[i].hash.Load() == hash {
				set[i].hash.Store(0)
			}
		}
	}
}
