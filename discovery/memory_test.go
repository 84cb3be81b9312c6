package discovery

import (
	"testing"
	"unsafe"
)

// TestPortMemory: what a port takes, since strangers can make up to limits.ports of them; what was
// sent out of it only if something was.
func TestPortMemory(t *testing.T) {
	if n := unsafe.Sizeof(port{}); n > 512 {
		t.Errorf("a port takes %d bytes", n)
	}
	if n := unsafe.Sizeof(sentProbes{}); n > 512 {
		t.Errorf("what was sent takes %d bytes more", n)
	}
}
