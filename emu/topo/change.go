package topo

import (
	"time"

	"github.com/weirnet/weir/strictyaml"
)

// Change is what is to become of a LinkSpec; what is nil stays as it is.
type Change struct {
	Delay, Jitter *time.Duration
	Loss          *float64
	RateBPS       *uint64
	Queue, MTU    *int
}

// Over is a spec after the change; LinkSpec.Check may refuse it.
func (c Change) Over(s LinkSpec) LinkSpec {
	set(&s.Delay, c.Delay)
	set(&s.Jitter, c.Jitter)
	set(&s.Loss, c.Loss)
	set(&s.RateBPS, c.RateBPS)
	set(&s.Queue, c.Queue)
	set(&s.MTU, c.MTU)
	return s
}

// Empty reports whether nothing is to change.
func (c Change) Empty() bool { return c == Change{} }

func set[T any](to *T, v *T) {
	if v != nil {
		*to = *v
	}
}

// fields are those of a link in a file.
func (c *Change) fields() []strictyaml.Field {
	return []strictyaml.Field{
		strictyaml.Maybe("delay", &c.Delay, strictyaml.Time(MaxDelay)),
		strictyaml.Maybe("jitter", &c.Jitter, strictyaml.Time(MaxDelay)),
		strictyaml.Maybe("loss", &c.Loss, ParseLoss),
		strictyaml.Maybe("rate", &c.RateBPS, ParseRate),
		strictyaml.Maybe("queue", &c.Queue, strictyaml.Number(1, MaxQueue, "100")),
		strictyaml.Maybe("mtu", &c.MTU, strictyaml.Number(0, MaxMTU, "1500")),
	}
}
