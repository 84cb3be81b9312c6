package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/nic"
	"github.com/weirnet/weir/probe/station"
	"github.com/weirnet/weir/probe/traffic"
)

// Load is what goes on beside a measurement: a stream of datagrams from each of some further
// interfaces to the far station.
type Load struct {
	From []nic.Config
	Rate float64 // bits of IP's payload a second, of each interface
	Size int     // bytes of a datagram's payload; default DefaultLoadSize
}

// DefaultLoadSize is that of datagrams that go in one frame nearly everywhere.
const DefaultLoadSize = 1470

// maxLoads is from how many interfaces load may come.
const maxLoads = 16

// check fills in defaults and finds what is wrong, beside the interfaces of the measurement.
func (l *Load) check(measured ...nic.Config) error {
	if len(l.From) == 0 {
		if l.Rate != 0 {
			return errors.New("a rate of load given and no interface, want both")
		}
		return nil
	}
	l.Size = cmp.Or(l.Size, DefaultLoadSize)
	switch {
	case len(l.From) > maxLoads:
		return fmt.Errorf("load from %d interfaces given, want %d at most", len(l.From), maxLoads)
	case l.Rate < MinRate || l.Rate > MaxRate:
		return fmt.Errorf("load of %g bit/s given, want %g to %g of each interface", l.Rate, float64(MinRate), float64(MaxRate))
	case l.Size < traffic.MinSize || l.Size > traffic.MaxSize:
		return fmt.Errorf("load of %d bytes given, want %d to %d", l.Size, traffic.MinSize, traffic.MaxSize)
	}
	given := map[nic.Config]bool{}
	for _, c := range append(measured, l.From...) {
		if given[c] {
			return fmt.Errorf("%s given twice, want interfaces of their own for load", c.String())
		}
		given[c] = true
	}
	return nil
}

// String is for a report.
func (l *Load) String() string {
	if len(l.From) == 0 {
		return "no load"
	}
	return fmt.Sprintf("load of %d × %s", len(l.From), traffic.Shown(l.Rate))
}

// load is a Load that goes on.
type load struct {
	hosts   []*loadHost
	stop    context.CancelFunc
	running sync.WaitGroup
}

// loadHost is a station that sends load.
type loadHost struct {
	nic     *nic.NIC
	station *station.Station
	tap     *traffic.Tap
	stream  *traffic.Datagrams
	meter   *traffic.Meter
	changed chan struct{} // has a token when a frame of others was seen
	ended   chan struct{} // closed when the stream has ended
	failed  error         // of the interface; read when the stream has ended
}

// loadPort is that of streams of load.
const loadPort = 5001

// open puts a station at an interface, the n-th of the load's.
func (h *loadHost) open(c nic.Config, n int, p plan) (err error) {
	c.Kept = probe.Kept
	if h.nic, err = nic.Open(c); err != nil {
		return err
	}
	h.tap = traffic.NewTap(h.nic.MTU())
	h.station = station.New(station.Config{MAC: stationMAC(2 + n), Addresses: []packet.Addr{stationAddress(2+n, false),
		stationAddress(2+n, true)}, VLAN: p.vlan, MTU: h.nic.MTU(), Send: h.nic.SendAll})
	h.nic.Watch(func(f *nic.Frame) {
		if h.tap.See(f) || f.Out {
			return
		}
		h.station.Receive(f.Bytes)
		select {
		case h.changed <- struct{}{}:
		default:
		}
	})
	return nil
}

// stationMAC and stationAddress are those of the i-th station: from 2 on, those of load.
func stationMAC(i int) packet.MAC {
	mac := stationMACs[0]
	mac[5] = byte(i + 1)
	return mac
}

func stationAddress(i int, six bool) packet.Addr {
	a := stations4[0]
	if six {
		a = stations6[0]
	}
	a[15] = byte(i + 1)
	return a
}

// begin starts the stream to the bed's far station.
func (h *loadHost) begin(b *bed, l *Load, n int) error {
	far, err := b.far()
	if err != nil {
		return err
	}
	mac, _ := h.station.Neighbour(b.address(1))
	h.stream, err = traffic.New(traffic.Config{FromMAC: stationMAC(2 + n), ToMAC: mac, From: stationAddress(2+n, b.six),
		To: b.address(1), VLAN: b.vlan, Port: loadPort, MTU: h.nic.MTU(), Size: l.Size, Rate: l.Rate, Send: h.nic.SendAll})
	if err != nil {
		return err
	}
	h.tap.Follow(h.stream, traffic.Leaving)
	b.near.tap.Follow(h.stream, traffic.Passing)
	far.tap.Follow(h.stream, traffic.Coming)
	return nil
}

// far is the other end, which streams have to be followed at in this process.
func (b *bed) far() (*local, error) {
	if e, ok := b.ends[1].(*local); ok {
		return e, nil
	}
	return nil, errors.New("the far end is another machine's, want an interface of this one: streams are followed here")
}

// close ends the load.
func (l *load) close() error {
	if l == nil {
		return nil
	}
	l.stop()
	l.running.Wait()
	var err error
	for _, h := range l.hosts {
		if h.nic != nil {
			err = errors.Join(err, h.nic.Close())
		}
	}
	return err
}

// stopped is why the stream goes on no more, where its interface has failed.
func (h *loadHost) stopped() error {
	select {
	case <-h.ended:
		if h.failed != nil {
			at := h.nic.Config()
			return fmt.Errorf("load from %s has ended: %w", at.String(), h.failed)
		}
	default:
	}
	return nil
}

// check finds a stream of the load that has ended, or has not kept its rate since mark, and returns what
// came of all of them, in bits a second.
func (l *load) check(ctx context.Context) (came float64, refused, err error) {
	for _, h := range l.hosts {
		r, err := h.meter.Reached(ctx)
		if err != nil {
			return 0, nil, err
		}
		cfg := h.nic.Config()
		refused = cmp.Or(refused, h.stopped(), r.Check(cfg.String()))
		came += r.Came
	}
	return came, refused, nil
}

// unobserved is the share of frames that may pass without being seen where a stream goes on.
const unobserved = 0.001

// checkLost refuses observations that were lost, beyond a share of the frames of streams.
func checkLost(lost uint64, streams int, at string) error {
	if float64(lost) <= unobserved*float64(streams) {
		return nil
	}
	want := "none"
	if streams > 0 {
		want = fmt.Sprintf("%g %% of %d at most", unobserved*100, streams)
	}
	return &probe.Refusal{Why: probe.ErrUnobserved, Seen: fmt.Sprintf("%d frames at %s", lost, at), Want: want,
		Do: "measure on a machine that does nothing else"}
}
