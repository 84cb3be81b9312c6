package forward

import (
	"sync/atomic"

	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/pathing"
)

// slots bound how many planned moves go on, and know who waits for one. Any goroutine may use them.
type slots struct {
	pathing.Moves
	queued atomic.Bool // planned moves wait for one of pathing.MovesMax slots
	bell   loop.Bell   // rung when there is room
}

// leave takes the place of a move back, if it had one. The part is woken, which calls Continue, when planned
// moves are waiting for a slot and half of the slots are free.
func (s *slots) leave(t *pathing.Transition) {
	if s.Free(t) && s.queued.Load() && s.Taken() <= pathing.MovesMax/2 {
		s.bell.Ring()
	}
}
