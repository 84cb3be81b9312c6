package intent

import "time"

// timers are times at which intents are to be looked at: a heap, the earliest first, of equal times the first that came.
type timers struct {
	heap []timer
	last uint64
}

type timer struct {
	at     int64 // nanoseconds since 1970
	turn   uint64
	number uint32
}

func (t *timers) less(i, j int) bool {
	a, b := &t.heap[i], &t.heap[j]
	return a.at < b.at || a.at == b.at && a.turn < b.turn
}

func (t *timers) push(at time.Time, number uint32) {
	t.last++
	t.heap = append(t.heap, timer{at.UnixNano(), t.last, number})
	for i := len(t.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !t.less(i, up) {
			break
		}
		t.heap[i], t.heap[up] = t.heap[up], t.heap[i]
		i = up
	}
}

// pop takes the earliest out if it has come.
func (t *timers) pop(now time.Time) (number uint32, ok bool) {
	if len(t.heap) == 0 || t.heap[0].at > now.UnixNano() {
		return 0, false
	}
	number = t.heap[0].number
	last := len(t.heap) - 1
	t.heap[0] = t.heap[last]
	t.heap = t.heap[:last]
	for i := 0; ; {
		least := i
		for _, k := range [...]int{2*i + 1, 2*i + 2} {
			if k < last && t.less(k, least) {
				least = k
			}
		}
		if least == i {
			return number, true
		}
		t.heap[i], t.heap[least] = t.heap[least], t.heap[i]
		i = least
	}
}

// next is the earliest time; zero without one.
func (t *timers) next() time.Time {
	if len(t.heap) == 0 {
		return time.Time{}
	}
	return time.Unix(0, t.heap[0].at)
}
