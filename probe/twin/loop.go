package twin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/nic"
)

// Carriers come from goroutines of their own, when the network has started.
const (
	carrierWithin = 10 * time.Second
	lookAgain     = 5 * time.Millisecond
)

// carriers waits until all interfaces can be used.
func (t *Twin) carriers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, carrierWithin)
	defer cancel()
	for _, c := range t.Ends {
		for {
			n, err := nic.Open(c)
			if err == nil {
				err = n.Close()
			}
			if err == nil {
				break
			}
			if !errors.Is(err, probe.ErrDown) && (t.program == nil || !errors.Is(err, probe.ErrNoInterface)) {
				return err
			}
			if t.program != nil {
				if gone := t.program.Ended(); gone != nil {
					return gone
				}
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("the emulated switch: %w: %w", context.Cause(ctx), err)
			case <-time.After(lookAgain):
			}
		}
	}
	return nil
}
