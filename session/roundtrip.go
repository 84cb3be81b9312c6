package session

import (
	"slices"
	"time"
)

// roundTripWindow is the number of round trips that are kept: forty seconds of echoes, by default.
const roundTripWindow = 8

// roundTrips are the last round trips of echoes.
type roundTrips struct {
	list [roundTripWindow]time.Duration
	n    int // measured so far
}

func (t *roundTrips) add(d time.Duration) {
	t.list[t.n%roundTripWindow] = d
	t.n++
}

// shortest is the shortest of them; 0 before the first.
func (t *roundTrips) shortest() time.Duration {
	if t.n == 0 {
		return 0
	}
	return slices.Min(t.list[:min(t.n, roundTripWindow)])
}

// MinRoundTrip returns the shortest of the last eight round trips of echoes, which has least
// waiting in it; 0 before the first echo. A longer distance to the peer shows after eight echoes.
func (s *Session) MinRoundTrip() time.Duration {
	s.protocol.mu.Lock()
	defer s.protocol.mu.Unlock()
	return s.protocol.core.echo.history.shortest()
}
