package node

import "fmt"

// healthy says which part of a running instance has ended, though nobody has told it to.
func (n *node) healthy() error {
	if name := n.ended.Load(); name != nil {
		return fmt.Errorf("%s: it has ended, and the instance goes on without it: start the instance again", *name)
	}
	return nil
}
