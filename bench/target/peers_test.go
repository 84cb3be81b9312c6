package target

import (
	"errors"
	"testing"

	"github.com/weirnet/weir/openflow"
)

// TestUnfit wants a verdict about what FAUCET cannot do, before it is started.
func TestUnfit(t *testing.T) {
	for _, tc := range []struct {
		spec Spec
		fits bool
	}{
		{Spec{Version: openflow.V13, Learning: true}, true},
		{Spec{Version: openflow.V10, Learning: true}, false},
		{Spec{Version: openflow.V13}, false},
		{Spec{Version: openflow.V13, Learning: true, Links: 3}, false},
	} {
		if err := tc.spec.supports(Faucet); (err == nil) != tc.fits || err != nil && !errors.Is(err, errUnsupported) {
			t.Errorf("%+v: %v", tc, err)
		}
	}
}
