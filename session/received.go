package session

import "sync/atomic"

// Received counts the bytes that have come from the peer: while it does not grow, it is unknown
// whether the peer is still there. Any goroutine may read it.
func (s *Session) Received() *atomic.Uint64 { return &s.in.bytes }
