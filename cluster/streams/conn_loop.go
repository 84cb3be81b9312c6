package streams

import (
	"errors"
	"io"
	"time"

	"github.com/weirnet/weir/cluster/liveness"
)

// run starts the goroutines of a connection: a reader, and a writer of what is not heartbeats. They end with it.
func (c *conn) run() {
	c.s.group.Go(func() {
		defer close(c.read)
		if c.before != nil {
			<-c.before
		}
		c.end(c.take())
	})
	if c.lane != beats {
		c.s.group.Go(func() {
			if err := c.write(); err != nil {
				c.end(err)
			}
		})
	}
}

// take takes frames until the connection ends, and returns why it has.
func (c *conn) take() (err error) {
	f := frameReader{r: c.r, limit: MaxPayload}
	var take func(h header, payload []byte) error
	switch c.lane {
	case beats:
		f.limit = liveness.MaxLength
		var beat liveness.Heartbeat
		take = func(h header, payload []byte) error { return c.takeBeat(h, payload, &beat) }
	case messages:
		take = c.takeMessage
	case bulk:
		in := &inbound{c: c, open: map[uint16]uint32{}}
		defer func() { in.close(err) }()
		take = in.take
	}
	for {
		h, payload, err := f.next()
		if err == nil {
			err = take(h, payload)
		}
		if err != nil {
			if ended := c.ended(); ended != nil {
				return ended
			}
			if errors.Is(err, io.EOF) {
				err = errors.New("the instance has closed the connection")
			}
			return err
		}
	}
}

// pieceLength is how much is given to the connection at a time: small frames together, large ones in pieces.
const pieceLength = 64 << 10

// write writes what is queued until the connection ends.
func (c *conn) write() error {
	var list []frame
	buf := make([]byte, 0, pieceLength)
	for {
		select {
		case <-c.done:
			return nil
		case <-c.wake:
		}
		for {
			if list = c.pop(list); len(list) == 0 {
				break
			}
			for i := range list {
				f := &list[i]
				if c.due(f) {
					var err error
					if buf, err = c.gather(buf, f); err != nil {
						return err
					}
				}
				c.release(f)
			}
			var err error
			if buf, err = c.flush(buf); err != nil {
				return err
			}
		}
	}
}

// gather appends a frame to what is to be written, and writes pieces of it that are full.
func (c *conn) gather(buf []byte, f *frame) (_ []byte, err error) {
	if len(buf)+headerLength > pieceLength {
		if buf, err = c.flush(buf); err != nil {
			return buf, err
		}
	}
	buf = f.header.append(buf)
	for p := f.payload; len(p) > 0; {
		n := min(len(p), pieceLength-len(buf))
		buf, p = append(buf, p[:n]...), p[n:]
		if len(buf) == pieceLength {
			if buf, err = c.flush(buf); err != nil {
				return buf, err
			}
		}
	}
	return buf, nil
}

// flush writes what was gathered. A peer that takes none of it for too long has stalled.
func (c *conn) flush(buf []byte) ([]byte, error) {
	if len(buf) == 0 {
		return buf, nil
	}
	err := c.net.SetWriteDeadline(time.Now().Add(c.s.cfg.Stall))
	if err == nil {
		_, err = c.net.Write(buf)
	}
	return buf[:0], err
}
