package topo

import (
	"time"

	"github.com/weirnet/weir/emu/strict"
)

// Change is what is to become of a LinkSpec; what is nil stays as it is.
type Change struct {
	Delay, Jitter *time.Duration
	Loss          *float64
	RateBPS       *uint64
	Queue         *int
}

// Over is a spec after the change; LinkSpec.Check may refuse it.
func (c Change) Over(s LinkSpec) LinkSpec {
	set(&s.Delay, c.Delay)
	set(&s.Jitter, c.Jitter)
	set(&s.Loss, c.Loss)
	set(&s.RateBPS, c.RateBPS)
	set(&s.Queue, c.Queue)
	return s
}

// Empty says whether nothing is to change.
func (c Change) Empty() bool { return c == Change{} }

func set[T any](to *T, v *T) {
	if v != nil {
		*to = *v
	}
}

// fields are those of a link in a file.
func (c *Change) fields() []field {
	return []field{
		{"delay", strict.Maybe(&c.Delay, func(s string) (time.Duration, error) { return strict.Time(s, MaxDelay) })},
		{"jitter", strict.Maybe(&c.Jitter, func(s string) (time.Duration, error) { return strict.Time(s, MaxDelay) })},
		{"loss", strict.Maybe(&c.Loss, ParseLoss)},
		{"rate", strict.Maybe(&c.RateBPS, ParseRate)},
		{"queue", strict.Maybe(&c.Queue, func(s string) (int, error) { return strict.Number(s, 1, MaxQueue, "100") })},
	}
}
