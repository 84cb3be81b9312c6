package control

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/weirnet/weir/emu/attach"
)

// TestAttachedAddressesAreNoHosts refuses, before anything is made, a device with an address of an
// emulated host.
func TestAttachedAddressesAreNoHosts(t *testing.T) {
	d, _, _ := start(t, "linear:2")
	for address, host := range map[string]string{"10.0.0.2/24": "h2", "fd00::1/64": "h1"} {
		c := attach.Config{Name: "tap1",
			Addresses: []netip.Prefix{netip.MustParsePrefix("10.9.9.9/8"), netip.MustParsePrefix(address)}}
		_, err := d.Attach(attach.Spec{Switch: "s1", Config: c})
		if err == nil || !strings.Contains(err.Error(), "which is that of host "+host) {
			t.Errorf("%s: %v", address, err)
		}
	}
	unused := &attach.Config{Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.0.3/8")}}
	if err := d.names.unusedAddresses(unused); err != nil {
		t.Error(err)
	}
}
