package session

// Received is how many bytes have come from the peer: while it does not grow, nobody knows whether
// the peer is still there. Any goroutine may call it.
func (s *Session) Received() uint64 { return s.in.bytes.Load() }
