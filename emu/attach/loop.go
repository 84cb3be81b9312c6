package attach

import "time"

// The goroutines of a Cable, started by Join and ended by Close:
//
//   - read owns the batch of frames that the machine sends.
//   - write empties the queue into the device.
//   - carry gives the device the carrier of the port, which must not wait for the kernel.
//   - follow has the port unplugged while the device is down.

// watchAgain is how long it takes to look at a device again whose changes could not be read.
const watchAgain = 100 * time.Millisecond

// Join has frames and carriers pass between the device and the port, until Close. The port gives it
// no frames before.
func (c *Cable) Join(p Port) {
	c.port = p
	c.running.Go(func() { c.read(p) })
	c.running.Go(c.write)
	c.running.Go(c.carry)
	c.running.Go(func() { c.follow(p) })
}

func (c *Cable) read(p Port) {
	for b := NewBatch(); ; {
		frames, err := c.device.Read(b)
		if err != nil {
			return
		}
		c.in.Add(uint64(len(frames)))
		p.Send(frames)
	}
}

func (c *Cable) write() {
	var got packed
	for {
		select {
		case <-c.ended:
			return
		case <-c.queue.bell:
		}
		got = c.queue.swap(got)
		got.each(func(frame []byte) {
			if c.device.Write(frame) == nil {
				c.out.Add(1)
			} else {
				c.lose()
			}
		})
	}
}

// carry gives the device the carrier of the port.
func (c *Cable) carry() {
	for {
		select {
		case <-c.ended:
			return
		case <-c.carrier:
			_ = c.device.SetCarrier(c.wanted.Load()) // or it has gone
		}
	}
}

// follow has the port unplugged while the device is down.
func (c *Cable) follow(p Port) {
	for !c.device.watch(c.ended, p.Plug) {
		select {
		case <-c.ended:
			return
		case <-time.After(watchAgain):
		}
	}
}
