package loadswitch

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// maxDials is how many connections are made at a time.
const maxDials = 32

func startTime() time.Time { return time.Now() }

// age is the time since the network was made.
func (n *Network) age() time.Duration { return time.Since(n.start) }

// Age is the time since the network was made, the clock of Switch.Described.
func (n *Network) Age() time.Duration { return n.age() }

// Connect connects all switches to a controller and returns when the connections are there; the
// handshakes follow.
func (n *Network) Connect(ctx context.Context, address string) error {
	var (
		running sync.WaitGroup
		mu      sync.Mutex
		failed  error // the first
		refused int
	)
	places := make(chan struct{}, maxDials)
	for _, sw := range n.Switches {
		places <- struct{}{}
		running.Go(func() {
			defer func() { <-places }()
			if err := n.ConnectOne(ctx, sw, address); err != nil {
				mu.Lock()
				if refused++; failed == nil {
					failed = fmt.Errorf("switch %d: %w", sw.DatapathID(), err)
				}
				mu.Unlock()
			}
		})
		mu.Lock()
		stop := failed != nil
		mu.Unlock()
		if stop {
			break
		}
	}
	running.Wait()
	if refused > 1 {
		return fmt.Errorf("%d of %d switches could not connect: %w", refused, len(n.Switches), failed)
	}
	return failed
}

// ConnectOne connects one switch to a controller.
func (n *Network) ConnectOne(ctx context.Context, sw *Switch, address string) error {
	if n.cfg.Dial == nil {
		_, err := n.dialer.Dial(ctx, address, &sw.roles, sw)
		return err
	}
	conn, err := n.cfg.Dial(ctx, address)
	if err != nil {
		return err
	}
	_, err = n.dialer.ServeConn(conn, &sw.roles, sw)
	return err
}

// AwaitDescribed waits until all switches have described themselves to the controller.
func (n *Network) AwaitDescribed(ctx context.Context) error {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for i := 0; i < len(n.Switches); {
		if n.Switches[i].Described() > 0 {
			i++
			continue
		}
		if n.Disconnected() > 0 {
			return n.Lost()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("switch %d has not been asked what it is: %w", n.Switches[i].DatapathID(), context.Cause(ctx))
		case <-tick.C:
		}
	}
	return nil
}

// Close ends all sessions. It does not wait for a controller that takes nothing for longer than ctx
// allows.
func (n *Network) Close(ctx context.Context) error { return n.dialer.Close(ctx) }
