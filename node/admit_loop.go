package node

import (
	"context"
	"time"
)

// followAllowList ends the sessions of switches that are taken off the allow list, within a second.
func (n *node) followAllowList(ctx context.Context) {
	a := n.allowing(time.Now)
	for {
		rev := a.look()
		select {
		case <-ctx.Done():
			return
		case <-n.view.Changed(rev):
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(allowEvery): // the view changes often, the settings seldom
		}
	}
}
