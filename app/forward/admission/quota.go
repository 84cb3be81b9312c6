package admission

const (
	// PerPort is how many pairs may have begun at one port, unless configured. Further packets are released
	// without a rule: who invents addresses fills neither tables of switches nor ours.
	PerPort = 1 << 16
	// RecountSeconds is how often a port's pairs are counted anew, once too many have begun there.
	RecountSeconds = 10
	// quotaPorts is how many port numbers are counted one by one; higher ones share the last count.
	quotaPorts = 4096
)

// Quota counts, for each port of a switch, the pairs that begin there.
type Quota struct {
	most    int
	pairs   []int32 // begun since the last recount; those that ended since are still included
	counted int64   // second of the last recount, from 1 on; 0: never
}

// NewQuota returns a quota of so many pairs a port.
func NewQuota(most int) Quota { return Quota{most: most} }

func slotOf(port uint32) int { return int(min(port, quotaPorts-1)) }

// Room reports whether another pair may begin at a port.
func (q *Quota) Room(port uint32) bool {
	i := slotOf(port)
	return i >= len(q.pairs) || int(q.pairs[i]) < q.most
}

// Recount reports whether the pairs are to be counted anew, as those that have ended count still; then it
// forgets them, and the caller counts all.
func (q *Quota) Recount(now uint32) bool {
	second := int64(now) + 1
	if q.counted != 0 && second-q.counted < RecountSeconds {
		return false
	}
	q.counted = second
	clear(q.pairs)
	return true
}

// Count counts a pair that begins at a port.
func (q *Quota) Count(port uint32) {
	i := slotOf(port)
	if n := i + 1 - len(q.pairs); n > 0 {
		q.pairs = append(q.pairs, make([]int32, n)...)
	}
	q.pairs[i]++
}
