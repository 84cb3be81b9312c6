package arrivals

// Numbers are those of what has arrived. The zero value has none.
type Numbers struct {
	Next       uint64 // one more than the highest
	Received   uint64 // different ones
	Duplicated uint64 // that had come before
	Reordered  uint64 // lower than one that had come before (RFC 4737), and no duplicates
	Stale      uint64 // of the reordered: below the window, where duplicates are not noticed
	seen       [Window / 64]uint64
}

// Window is how many numbers are remembered one by one.
const Window = 1024

// Record counts a number; fresh is false if it had come before.
func (n *Numbers) Record(seq uint64) (fresh bool) {
	switch {
	case seq >= n.Next:
		n.advance(seq)
	case n.Next-seq > Window:
		n.Reordered++
		n.Stale++
	case n.seen[seq/64%(Window/64)]>>(seq%64)&1 != 0:
		n.Duplicated++
		return false
	default:
		n.Reordered++
		n.seen[seq/64%(Window/64)] |= 1 << (seq % 64)
	}
	n.Received++
	return true
}

// advance makes seq the highest number and clears the skipped ones.
func (n *Numbers) advance(seq uint64) {
	if seq-n.Next >= Window {
		n.seen = [Window / 64]uint64{}
	} else {
		for q := n.Next; q < seq; q++ {
			n.seen[q/64%(Window/64)] &^= 1 << (q % 64)
		}
	}
	n.seen[seq/64%(Window/64)] |= 1 << (seq % 64)
	n.Next = seq + 1
}

// Missing is how many numbers below the highest have not arrived.
func (n *Numbers) Missing() uint64 { return n.Next - min(n.Received, n.Next) }
