package topo

import "time"

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
		{"delay", maybe(&c.Delay, func(s string) (time.Duration, error) { return parseTime(s, MaxDelay) })},
		{"jitter", maybe(&c.Jitter, func(s string) (time.Duration, error) { return parseTime(s, MaxDelay) })},
		{"loss", maybe(&c.Loss, ParseLoss)},
		{"rate", maybe(&c.RateBPS, ParseRate)},
		{"queue", maybe(&c.Queue, func(s string) (int, error) { return parseNumber(s, 1, MaxQueue, "100") })},
	}
}
