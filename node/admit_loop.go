package node

import (
	"context"
	"time"
)

// followAllowList ends the sessions of switches that are taken off the allow list, within a second.
func (n *node) followAllowList(ctx context.Context) {
	seen := n.view.Snapshot().Settings()
	for {
		snap := n.view.Snapshot()
		if s := snap.Settings(); s != seen {
			seen = s
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
