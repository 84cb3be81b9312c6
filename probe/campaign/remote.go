package campaign

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/nic"
	"github.com/weirnet/weir/probe/wire"
)

// remote is an end at another machine, behind a connection to its observer.
type remote struct {
	address string
	conn    net.Conn
	is      about
	answers chan *wire.Answer
	alive   context.Context // ends with the connection; its cause says why
	leave   context.CancelCauseFunc
	over    chan struct{} // closed when nothing is read any more
}

// ask and the other methods of end are questions to the observer.
func (r *remote) ask(ctx context.Context, target packet.Addr, limit time.Duration) (bool, error) {
	a, err := r.call(ctx, &wire.Question{Do: wire.Ask, Target: target, Limit: limit}, limit)
	return err == nil && a.Known, err
}

func (r *remote) reset(ctx context.Context) error {
	_, err := r.call(ctx, &wire.Question{Do: wire.Reset}, 0)
	return err
}

func (r *remote) take(ctx context.Context, packets int, limit time.Duration) (seen, error) {
	a, err := r.call(ctx, &wire.Question{Do: wire.Take, Packets: packets, Limit: limit}, limit)
	if err != nil {
		return seen{}, err
	}
	if a.Seen == nil {
		return seen{}, r.gone(fmt.Errorf("%w: an answer without what was seen", wire.ErrMessage))
	}
	s := a.Seen
	return seen{passages: s.Passages, counts: s.Counts, lost: s.Lost, clocks: s.Clocks}, nil
}

func (r *remote) about() about { return r.is }

// close lets the observer go, and waits until that has freed its interface: the next measurement finds it free.
func (r *remote) close() error {
	r.leave(nil) // an answer that came too late waits for nobody
	if c, ok := r.conn.(interface{ CloseWrite() error }); ok && c.CloseWrite() == nil {
		select {
		case <-r.over:
		case <-time.After(parting):
		}
	}
	return r.conn.Close()
}

// begin has the observer put its station there, and learns who it is.
func (r *remote) begin(ctx context.Context, p plan) error {
	a, err := r.call(ctx, &wire.Question{Do: wire.Begin, Six: p.six, VLAN: p.vlan}, 0)
	if err != nil {
		return err
	}
	if a.About == nil {
		return r.gone(fmt.Errorf("%w: an answer without who it is", wire.ErrMessage))
	}
	stamps, err := nic.ParseStamps(a.About.Stamps)
	if err != nil {
		return r.gone(err)
	}
	r.is = about{name: a.About.Interface + " at " + r.address, mtu: a.About.MTU, stamps: stamps}
	return nil
}

// own has the observer measure a cable of its machine's.
func (r *remote) own(ctx context.Context, of echoes) ([]share, error) {
	a, err := r.call(ctx, &wire.Question{Do: wire.Own, Six: of.six, VLAN: of.vlan, MTU: of.mtu, Sizes: of.sizes, Count: of.count,
		Interval: of.interval}, time.Duration(len(of.sizes))*(time.Duration(of.count+1)*(of.interval+overCable)+missing))
	if err != nil {
		return nil, err
	}
	if len(a.Shares) != len(of.sizes) {
		return nil, r.gone(fmt.Errorf("%w: %d shares, want %d", wire.ErrMessage, len(a.Shares), len(of.sizes)))
	}
	list := make([]share, len(a.Shares))
	for i, s := range a.Shares {
		if list[i] = (share{paths: s.Paths}); s.Error != nil {
			list[i].bad = fmt.Errorf("at %s: %w", r.address, s.Error.Err())
		}
	}
	return list, nil
}

// overCable is how long an echo over a cable may take, as a mean: an observer that says nothing is not
// waited for as long as if each of them were lost.
const overCable = 100 * time.Millisecond

// gone is the reason of a measurement whose observer does not answer any more, or not as one does.
func (r *remote) gone(err error) error {
	return &probe.Refusal{Why: probe.ErrGone, Seen: fmt.Sprintf("%s: %v", r.address, err),
		Want: "one that answers for all of the measurement", Do: "look at weir probe observe there, and measure again"}
}
