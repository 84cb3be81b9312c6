package probes

import "errors"

// Count counts an LLDP frame by its result. It may be called from any goroutine.
func (b *Prober) Count(err error) {
	c := b.Counts
	switch {
	case err == nil:
		c.Heard.Add(1)
	case errors.Is(err, ErrMalformed):
		c.Malformed.Add(1)
	case errors.Is(err, ErrForeign):
		c.Foreign.Add(1)
	case errors.Is(err, ErrForged):
		c.Forged.Add(1)
	case errors.Is(err, ErrStale):
		c.Stale.Add(1)
	case errors.Is(err, ErrReplayed):
		c.Replayed.Add(1)
	case errors.Is(err, ErrAtHost):
		c.AtHost.Add(1)
	}
}
