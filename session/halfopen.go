package session

import (
	"net/netip"

	"github.com/weirnet/weir/crowd"
)

// place is where a session stands among those in their handshake. Its owner is the group, under its lock.
type place struct {
	crowd.Place // nowhere when its handshake is done
	source      netip.Prefix
	leaving     bool // it was shed
}
