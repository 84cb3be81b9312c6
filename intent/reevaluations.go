package intent

import "iter"

// A step re-routes a batch of the broken intents: a small one first, then twice as many each time,
// up to maxReroutes. So the first rules are on their way to switches while the rest is computed.
// Other re-evaluations are less urgent and come in larger batches.
const (
	firstReroutes    = 4
	maxReroutes      = 128
	maxReevaluations = 2048
)

// reevaluations are the intents that are to be evaluated again, in the order in which they are: those
// whose path is down before all others.
type reevaluations struct {
	broken   []uint32        // whose path is down
	uprooted map[uint32]bool // of those: a port of the path was removed or replaced
	others   []uint32
	batch    int // how many of the broken the last portion had
}

// add queues intents, in the order of their numbers.
func (q *reevaluations) add(list []uint32) { q.others = append(q.others, inOrder(list)...) }

// addBroken queues intents whose path is down, in the order of their numbers.
func (q *reevaluations) addBroken(list []uint32) { q.broken = append(q.broken, inOrder(list)...) }

// addUprooted queues an intent of whose path a port was removed.
func (q *reevaluations) addUprooted(n uint32) {
	q.uprooted[n] = true
	q.broken = append(q.broken, n)
}

// takeUprooted reports whether a port of an intent's path was removed since it was last evaluated.
func (q *reevaluations) takeUprooted(n uint32) bool {
	was := q.uprooted[n]
	delete(q.uprooted, n)
	return was
}

// replace queues all intents instead of those that are queued.
func (q *reevaluations) replace(all []uint32) { q.broken, q.others = nil, all }

// left reports whether intents are still to be evaluated.
func (q *reevaluations) left() bool { return len(q.broken)+len(q.others) > 0 }

// first yields the first, small portion of the broken.
func (q *reevaluations) first() iter.Seq[uint32] {
	q.batch = firstReroutes
	return head(&q.broken, q.batch)
}

// portion yields the next portion.
func (q *reevaluations) portion() iter.Seq[uint32] {
	if len(q.broken) == 0 {
		q.batch = 0
		return head(&q.others, maxReevaluations)
	}
	q.batch = min(max(2*q.batch, firstReroutes), maxReroutes)
	return head(&q.broken, q.batch)
}

// head takes the first of a list, which may grow meanwhile.
func head(list *[]uint32, limit int) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for ; limit > 0 && len(*list) > 0; limit-- {
			n := (*list)[0]
			if *list = (*list)[1:]; len(*list) == 0 {
				*list = nil
			}
			if !yield(n) {
				return
			}
		}
	}
}
