package forward

// A port's share of what all ports of a network, or of a switch, have together.
const (
	// MaxPairsPort is how many pairs may have begun at one port (Config.MaxPairsPort). Further
	// packets are released without a rule: who invents addresses fills neither tables of switches
	// nor ours.
	MaxPairsPort = 1 << 16
	// recountSeconds is how often a port's pairs are counted anew, once too many have begun there.
	recountSeconds = 10
	// quotaPorts is how many port numbers are counted one by one; higher ones share the last count.
	quotaPorts = 4096
)

// quota counts, for each port of a switch, the pairs that begin there. d.mu guards it.
type quota struct {
	pairs   []int32 // begun since the last recount; those that ended since are still included
	counted int64   // second of the last recount; 0: never
}

func slotOf(port uint32) int { return int(min(port, quotaPorts-1)) }

// mayBegin reports whether another pair may begin at a port; d.mu is held.
func (d *Datapath) mayBegin(port uint32) bool {
	q, most, i := &d.quota, d.f.cfg.MaxPairsPort, slotOf(port)
	if i >= len(q.pairs) || int(q.pairs[i]) < most {
		return true
	}
	now := int64(d.f.seconds.Load()) + 1
	if q.counted != 0 && now-q.counted < recountSeconds {
		return false
	}
	q.counted = now
	d.recount()
	return int(q.pairs[i]) < most
}

// recount counts the pairs of every port, by where their source is now or, if that is not known, by
// where their path begins.
func (d *Datapath) recount() {
	clear(d.quota.pairs)
	d.pairs.All(func(pr pair, fl flow) bool {
		if src, ok := d.f.hosts.get(pr.srcKey()); ok && src.at.DPID == d.id {
			d.countPair(src.at.Port)
		} else if p := d.f.paths.get(fl.path); !ok && p != nil && p.hops[0].In != 0 {
			d.countPair(p.hops[0].In)
		}
		return true
	})
}

// countPair counts a pair that begins at a port; d.mu is held.
func (d *Datapath) countPair(port uint32) {
	i := slotOf(port)
	if n := i + 1 - len(d.quota.pairs); n > 0 {
		d.quota.pairs = append(d.quota.pairs, make([]int32, n)...)
	}
	d.quota.pairs[i]++
}
