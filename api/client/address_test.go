package client

import (
	"strings"
	"testing"
)

// TestAddressWithUser: a password in an address is neither sent nor shown.
func TestAddressWithUser(t *testing.T) {
	for _, address := range []string{"http://admin:hunter2@127.0.0.1:8181", "admin:hunter2@127.0.0.1:8181",
		"http://hunter2@127.0.0.1:8181/%zz"} {
		if _, err := New(Config{Address: address}); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", address, err)
		}
	}
}
