package emu

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/emu/random"
	"github.com/weirnet/weir/session"
)

// channel is the control channel of a switch to one controller: at most one connection, or the
// attempts to make it.
type channel struct {
	sw      *Switch
	address string
	number  int // in Config.Controllers

	mu      sync.Mutex // never held with that of the switch
	state   channelState
	off     bool // no connection is wanted: cut off by Cut
	wire    *wire
	backoff time.Duration // until the next attempt
	faults  faults        // of each connection
	random  random.Source
	trouble error // why there is no connection; nil while there is one, and before the first attempt has failed
	ended   *wire // the one that cut closed last

	taps atomic.Pointer[[]*tap]
}

type channelState uint8

const (
	idle     channelState = iota
	waiting               // for its turn to dial, or for the end of the back-off
	dialling              // or in the OpenFlow handshake
	established
)

func newChannel(sw *Switch, number int, address string) *channel {
	return &channel{sw: sw, address: address, number: number, random: random.Seeded(sw.net.cfg.Seed, seedBackoff, sw.Index)}
}

// dial queues an attempt to connect, unless there is a connection or an attempt.
func (ch *channel) dial() {
	ch.mu.Lock()
	want := ch.state == idle && !ch.off
	if want {
		ch.state = waiting
	}
	ch.mu.Unlock()
	if want {
		ch.sw.net.attempts.enqueue(ch)
	}
}

// begin reports whether a connection is still wanted when it is the channel's turn.
func (ch *channel) begin() bool {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if ch.off || !ch.sw.power.Load() {
		ch.state = idle
		return false
	}
	ch.state = dialling
	return true
}

// attach records the connection that was made, and returns the roles of its switch; nil if no
// connection is wanted any more.
func (ch *channel) attach(w *wire) *session.Roles {
	ch.sw.mu.Lock()
	roles := ch.sw.roles
	ch.sw.mu.Unlock()
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if ch.off {
		return nil
	}
	ch.wire = w
	w.setFaults(ch.faults)
	ch.show(ToController, nil)
	return roles
}

// connected records that the handshake is over, unless the wire was cut meanwhile.
func (ch *channel) connected(w *wire) {
	ch.mu.Lock()
	if ch.wire == w {
		ch.state, ch.backoff = established, 0
		if !errors.As(ch.trouble, new(*rejection)) { // one that comes again and again is told all the while
			ch.trouble = nil
		}
	}
	ch.mu.Unlock()
	w.releaseSlot()
}

// accepted records that the controller has accepted the switch.
func (ch *channel) accepted(w *wire) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if ch.wire == w {
		ch.trouble = nil
	}
}

// failed records that there is no connection (any more), and returns the back-off until the next
// attempt; false if no connection is wanted.
func (ch *channel) failed() (time.Duration, bool) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.wire = nil
	if ch.off || !ch.sw.power.Load() {
		ch.state = idle
		return 0, false
	}
	ch.state = waiting
	cfg := &ch.sw.net.cfg
	ch.backoff = min(max(2*ch.backoff, cfg.BackoffMin), cfg.BackoffMax)
	return ch.backoff/2 + time.Duration(ch.random.Float()*float64(ch.backoff/2)), true
}

// cut closes the connection abruptly. The switch connects again if it has power.
func (ch *channel) cut() {
	ch.mu.Lock()
	w := ch.wire
	ch.ended = w
	ch.mu.Unlock()
	if w != nil {
		w.Close()
	}
}
