package session

import "sync/atomic"

// backlog keeps what comes for the handler before its Connected: at most MaxHeldMessages of them.
type backlog struct {
	events []Event
	holds  atomic.Int64 // bytes of them, as Config.MaxHeld counts them; the reader looks without the owner's lock
}

// add keeps one, and reports whether there was room for it.
func (b *backlog) add(e Event) bool {
	if len(b.events) >= MaxHeldMessages {
		return false
	}
	b.events = append(b.events, e)
	b.holds.Add(heldFactor * int64(e.Header.Length))
	return true
}

// take returns all of them, and keeps none.
func (b *backlog) take() []Event {
	events := b.events
	b.events = nil
	b.holds.Store(0)
	return events
}
