package journal

import "github.com/weirnet/weir/store"

// group is the records of one Append.
type group struct {
	end  int // of its records in the queue's bytes
	done func(rev store.Revision, err error)
}

// queue holds the waiting groups: those from first on. Their records begin at start.
type queue struct {
	bytes  []byte
	start  int
	groups []group
	first  int
}

// slackMax is how many consumed bytes may precede the waiting ones.
const slackMax = 1 << 20

// waiting returns the number of waiting bytes. Every group but an empty one has some.
func (q *queue) waiting() int { return len(q.bytes) - q.start }

// take removes whole groups: as many as fit into most bytes, but at least one. Both results are valid
// until the queue is used again.
func (q *queue) take(most int) ([]byte, []group) {
	if q.first == len(q.groups) {
		return nil, nil
	}
	n := q.first + 1
	for n < len(q.groups) && q.groups[n].end-q.start <= most {
		n++
	}
	bytes, groups := q.bytes[q.start:q.groups[n-1].end], q.groups[q.first:n]
	q.start, q.first = q.groups[n-1].end, n
	return bytes, groups
}

// compact drops the consumed groups.
func (q *queue) compact() {
	switch {
	case q.first == len(q.groups):
		q.bytes, q.groups = q.bytes[:0], q.groups[:0]
	case q.start < slackMax:
		return
	default:
		for i := range q.groups {
			q.groups[i].end -= q.start
		}
		q.bytes = q.bytes[:copy(q.bytes, q.bytes[q.start:])]
		n := copy(q.groups, q.groups[q.first:])
		clear(q.groups[n:])
		q.groups = q.groups[:n]
	}
	q.start, q.first = 0, 0
}

// drain removes all groups, without their records.
func (q *queue) drain() []group {
	groups := q.groups[q.first:]
	*q = queue{}
	return groups
}
