package node

import (
	"context"
	"time"

	"github.com/weirnet/weir/session"
)

// followAllowList ends the sessions of switches that are taken off the allow list, within a second.
func (n *node) followAllowList(ctx context.Context) {
	seen := n.view.Snapshot().Settings()
	var until time.Time
	for {
		snap := n.view.Snapshot()
		if s := snap.Settings(); s != seen {
			seen, until = s, time.Now().Add(session.DefaultHandshakeTimeout+2*time.Second)
		}
		if time.Now().Before(until) { // a switch that was admitted before may connect as late as that, and changes the view
			n.expelUnlisted()
		}
		select {
		case <-ctx.Done():
			return
		case <-n.view.Changed(snap.Revision()):
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second): // the view changes often, the settings seldom
		}
	}
}
