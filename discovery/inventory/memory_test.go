package inventory

import (
	"testing"
	"unsafe"
)

// TestPortMemory: what a port takes, since strangers can make up to limits.ports of them; what was
// Sent out of it only if something was.
func TestPortMemory(t *testing.T) {
	if n := unsafe.Sizeof(Port{}); n > 512 {
		t.Errorf("a port takes %d bytes", n)
	}
	if n := unsafe.Sizeof(SentProbes{}); n > 512 {
		t.Errorf("what was sent takes %d bytes more", n)
	}
}
