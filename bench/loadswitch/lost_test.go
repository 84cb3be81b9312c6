package loadswitch

import (
	"errors"
	"testing"

	"github.com/weirnet/weir/session"
)

// TestLostSaysByWhom wants no controller blamed for a session that was given up here.
func TestLostSaysByWhom(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want string
	}{
		{session.ErrHandshake, "1 of 2 sessions were given up: handshake not completed in time"},
		{session.ErrDead, "1 of 2 sessions were given up: peer does not answer echo requests"},
		{errors.New("EOF"), "the controller ended 1 of 2 sessions: EOF"},
	} {
		n := &Network{Switches: make([]*Switch, 2)}
		if err := n.Lost(); err != nil {
			t.Errorf("nothing is lost: %v", err)
		}
		n.lost(nil, tc.err)
		if err := n.Lost(); err == nil || err.Error() != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("%v, want %s", err, tc.want)
		}
	}
}
