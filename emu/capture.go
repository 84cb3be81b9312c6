package emu

import (
	"fmt"
	"slices"
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
	p := sw.ports.find(number)
	if p == nil {
		return nil, fmt.Errorf("switch %s has no port %d", sw.name, number)
	}
	return addTap(&p.taps, see), nil
}

// addTap adds a capture to a list that is read without a lock.
func addTap(list *atomic.Pointer[[]*tap], see CaptureFunc) (stop func()) {
	t := &tap{see}
	change(list, func(taps []*tap) []*tap { return append(taps, t) })
	return func() {
		change(list, func(taps []*tap) []*tap {
			return slices.DeleteFunc(taps, func(other *tap) bool { return other == t })
		})
	}
}

// change replaces a list by what f makes of a copy; an empty list is nil.
func change(list *atomic.Pointer[[]*tap], f func(taps []*tap) []*tap) {
	for {
		old := list.Load()
		var taps []*tap
		if old != nil {
			taps = slices.Clone(*old)
		}
		var now *[]*tap
		if taps = f(taps); len(taps) > 0 {
			now = &taps
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
