package emu

import (
	"fmt"
	"sync/atomic"
	"time"
)

// CaptureKind is the direction of captured bytes.
type CaptureKind uint8

// The ways of what is captured.
const (
	Received CaptureKind = iota // by a port, from its link
	Sent                        // by a port, to its link; the link may lose it
	FromController
	ToController
)

// CaptureFunc is given what is captured: when, which way, and the bytes, valid during the call. It
// must not block: it holds up the network.
type CaptureFunc func(at time.Time, way CaptureKind, bytes []byte)

// tap is one capture.
type tap struct{ show CaptureFunc }

// Capture shows the frames of a port, until stop is called. The error says that there is no such
// port.
func (sw *Switch) Capture(number uint32, see CaptureFunc) (stop func(), err error) {
	p := sw.port(number)
	if p == nil {
		return nil, fmt.Errorf("switch %s has no port %d", sw.name, number)
	}
	return addTap(&p.taps, see), nil
}

// CaptureControl shows the bytes of the connection to a controller, by its number in
// Config.Controllers, until stop is called: as they are read and written, so that messages may come
// in pieces; with TLS, before they are encrypted. A piece of no bytes means that a new connection
// begins.
func (sw *Switch) CaptureControl(controller int, see CaptureFunc) (stop func(), err error) {
	if controller < 0 || controller >= len(sw.channels) {
		return nil, fmt.Errorf("switch %s has no controller number %d, want from 0 to %d", sw.name, controller,
			len(sw.channels)-1)
	}
	return addTap(&sw.channels[controller].taps, see), nil
}

// addTap adds a capture to a list that is read without a lock.
func addTap(list *atomic.Pointer[[]*tap], see CaptureFunc) (stop func()) {
	t := &tap{see}
	change(list, func(old []*tap) []*tap { return append(old, t) })
	return func() {
		change(list, func(old []*tap) []*tap {
			var rest []*tap
			for _, other := range old {
				if other != t {
					rest = append(rest, other)
				}
			}
			return rest
		})
	}
}

func change(list *atomic.Pointer[[]*tap], f func(old []*tap) []*tap) {
	for {
		old := list.Load()
		var rest []*tap
		if old != nil {
			rest = f((*old)[:len(*old):len(*old)])
		} else {
			rest = f(nil)
		}
		now := &rest
		if len(rest) == 0 {
			now = nil
		}
		if list.CompareAndSwap(old, now) {
			return
		}
	}
}

// tap shows bytes of the connection to those who capture.
func (ch *channel) tap(way CaptureKind, b []byte) {
	if len(b) > 0 {
		ch.show(way, b)
	}
}

func (ch *channel) show(way CaptureKind, b []byte) {
	taps := ch.taps.Load()
	if taps == nil {
		return
	}
	for _, t := range *taps {
		t.show(ch.sw.net.at(ch.sw.net.now()), way, b)
	}
}
