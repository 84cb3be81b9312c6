package attach

import (
	"sync"
	"sync/atomic"
)

// Port is what a Cable needs of an emulated port; *emu.Attachment is one.
type Port interface {
	Send(frames [][]byte) // copies them
	Plug(in bool)
	Lost(frames int) // that the device did not take; does not block
}

// Cable joins a device to a port, of which it is the outside.
type Cable struct {
	device *Device
	queue  *queue
	port   Port // since Join
	// carrier has a token when wanted was changed.
	carrier chan struct{}
	wanted  atomic.Bool
	ended   chan struct{}
	closing sync.Once
	running sync.WaitGroup

	out, in, lost atomic.Uint64
}

// NewCable makes the cable of a device. Frames pass when it has got its port, by Join.
func NewCable(d *Device) *Cable {
	return &Cable{device: d, queue: newQueue(), carrier: make(chan struct{}, 1), ended: make(chan struct{})}
}

// Device is the cable's.
func (c *Cable) Device() *Device { return c.device }

// Counters are of one cable since it was made.
type Counters struct {
	ToDevice, FromDevice uint64 // frames
	// Lost are frames to the device: it is down, or the machine was too slow for them.
	Lost uint64
}

// Counters are the present ones.
func (c *Cable) Counters() Counters {
	return Counters{ToDevice: c.out.Load(), FromDevice: c.in.Load(), Lost: c.lost.Load()}
}

// Deliver puts a frame that has left the network into the queue to the device.
func (c *Cable) Deliver(frame []byte) {
	if !c.queue.put(frame) {
		c.lose()
	}
}

// lose counts a frame that the device does not take.
func (c *Cable) lose() {
	c.lost.Add(1)
	if c.port != nil {
		c.port.Lost(1)
	}
}

// Carrier has the device get the carrier of the port.
func (c *Cable) Carrier(up bool) {
	c.wanted.Store(up)
	select {
	case c.carrier <- struct{}{}:
	default:
	}
}

// Close takes the device away. No frame is taken any more.
func (c *Cable) Close() error {
	var err error
	c.closing.Do(func() {
		close(c.ended)
		err = c.device.Close()
		c.running.Wait()
	})
	return err
}
