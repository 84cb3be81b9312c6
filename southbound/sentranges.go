package southbound

import "slices"

// sentRangesMax is how many ranges of transaction ids are kept of one owner: what was sent longer ago
// has been answered, if the switch answers at all.
const sentRangesMax = 32

// sentRanges are the transaction ids of what an owner sent last, the oldest first.
type sentRanges struct{ list []sentRange }

// sentRange are messages with consecutive transaction ids that an owner sent under one number, and
// the index of the first of them.
type sentRange struct {
	first, count uint32
	index        uint32
	number       uint64 // 0: it gave none, and index is of no meaning
}

// add records messages that were sent.
func (r *sentRanges) add(first, count uint32, number uint64, index uint32) {
	if n := len(r.list); n > 0 {
		last := &r.list[n-1]
		if last.first+last.count == first && last.number == number && (number == 0 || last.index+last.count == index) {
			last.count += count
			return
		}
		if n >= sentRangesMax {
			r.drop(number)
		}
	}
	r.list = append(r.list, sentRange{first, count, index, number})
}

// drop forgets all but the newest half of so many as are kept, and what belongs to the number that is
// being sent.
func (r *sentRanges) drop(number uint64) {
	kept, newest := r.list[:0], len(r.list)-sentRangesMax/2
	for i, s := range r.list {
		if i >= newest || number != 0 && s.number == number {
			kept = append(kept, s)
		}
	}
	if len(kept) <= sentRangesMax && cap(kept) > 4*sentRangesMax {
		kept = slices.Clone(kept)
	}
	r.list = kept
}

// find returns the number and the index of a message; false if it is not there.
func (r *sentRanges) find(xid uint32) (number uint64, index int, ok bool) {
	for i := len(r.list) - 1; i >= 0; i-- {
		s := &r.list[i]
		if d := xid - s.first; d < s.count {
			if s.number == 0 {
				return 0, 0, true
			}
			return s.number, int(s.index + d), true
		}
	}
	return 0, 0, false
}
