package loop

// Bell wakes the goroutine of a part: it holds one token from a ring until a turn begins.
type Bell struct{ token chan struct{} }

// NewBell returns a bell that nobody has rung.
func NewBell() Bell { return Bell{make(chan struct{}, 1)} }

// Ring requests a turn. Any goroutine may call it; it does not block. The zero Bell does nothing.
func (b Bell) Ring() {
	select {
	case b.token <- struct{}{}:
	default:
	}
}

// Rung reports whether the bell was rung since the last turn began.
func (b Bell) Rung() bool { return len(b.token) > 0 }

// C returns the channel of the token, for a select.
func (b Bell) C() <-chan struct{} { return b.token }

// Take takes the token, and reports whether there was one.
func (b Bell) Take() bool {
	select {
	case <-b.token:
		return true
	default:
		return false
	}
}
