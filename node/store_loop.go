package node

import (
	"context"
	"errors"
)

// errStoreEnded: the embedded store has stopped by itself.
var errStoreEnded = errors.New("it has stopped by itself")

// watchStore ends with an error where the store does.
func (n *node) watchStore(ctx context.Context) error {
	f, ok := n.store.(failing)
	if !ok {
		<-ctx.Done()
		return nil
	}
	select {
	case <-ctx.Done():
		return nil
	case <-f.Ended():
		if ctx.Err() != nil {
			return nil
		}
		if cluster := clusterOf(n.store); cluster != nil {
			return errors.Join(cluster.Removed(), errStoreEnded)
		}
		return errStoreEnded
	}
}
