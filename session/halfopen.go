package session

import (
	"net/netip"

	"github.com/weirnet/weir/crowd"
)

// handshakeEntry is a session's place in the queue of those in their handshake, owned by the group
// under its lock.
type handshakeEntry struct {
	crowd.Place // nowhere when its handshake is done
	source      netip.Prefix
	leaving     bool // it was shed
}
