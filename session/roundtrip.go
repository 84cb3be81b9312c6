package session

import "time"

// tripWindow is how many round trips are looked back on: forty seconds of echoes, by default.
const tripWindow = 8

// trips are the last round trips of echoes.
type trips struct {
	list [tripWindow]time.Duration
	n    int // measured so far
}

func (t *trips) add(d time.Duration) {
	t.list[t.n%tripWindow] = d
	t.n++
}

// least is the shortest of them; 0 before the first.
func (t *trips) least() time.Duration {
	if t.n == 0 {
		return 0
	}
	least := t.list[0]
	for _, d := range t.list[:min(t.n, tripWindow)] {
		least = min(least, d)
	}
	return least
}

// LeastRoundTrip is the shortest of the last eight round trips of echoes: how far away the peer is when nobody waits for
// anything. It is 0 before the first echo. Of a peer that has moved further away it tells after eight echoes.
func (s *Session) LeastRoundTrip() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.echo.past.least()
}
