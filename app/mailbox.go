package app

import (
	"errors"
	"slices"
	"sync"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// What a mailbox holds at most, beside beginnings and ends of sessions and of mastership, and settings.
const (
	eventsMax = 4096
	bytesMax  = 1 << 20 // of packets
	asksMax   = 64      // requests that wait
)

// event is something that waits for an application.
type event struct {
	sw       *Switch
	up, down bool
	mastered *bool // news of it
	settings any   // that are new
	removed  *openflow.FlowRemoved
	refused  *openflow.ErrorMsg
	ask      *ask
	// A packet, if nothing else is set: its bytes are data[from:to] of its mail.
	port     uint32
	key      packet.Key
	from, to int
}

// ask is a request that waits for the application.
type ask struct {
	do   func()
	done chan struct{} // closed when it was done, or the application has failed
	err  error
}

// mail is what has come since the last turn.
type mail struct {
	events []event
	data   []byte
}

// mailbox is what sessions' readers and requests leave for an application.
type mailbox struct {
	mu     sync.Mutex
	mail   mail
	asks   int
	closed bool
}

// errBusy and errEnded say why a request was not done.
var (
	errBusy  = errors.New("the application does not answer: too many requests wait for it")
	errEnded = errors.New("the application has failed, and was ended: see weir get alarms")
)

// packet leaves a copy of a packet; false if there is no room.
func (b *mailbox) packet(sw *Switch, port uint32, k *packet.Key, data []byte) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := &b.mail
	if b.closed || len(m.events) >= eventsMax || len(m.data)+len(data) > bytesMax {
		return b.closed
	}
	from := len(m.data)
	m.data = append(m.data, data...)
	m.events = append(m.events, event{sw: sw, port: port, key: *k, from: from, to: len(m.data)})
	return true
}

// put leaves anything else; false if there is no room.
func (b *mailbox) put(e event) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return true
	case !e.up && !e.down && e.mastered == nil && e.settings == nil && len(b.mail.events) >= eventsMax:
		return false
	}
	b.mail.events = append(b.mail.events, e)
	return true
}

// ask leaves a request.
func (b *mailbox) ask(a *ask) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return errEnded
	case b.asks >= asksMax:
		return errBusy
	}
	b.asks++
	b.mail.events = append(b.mail.events, event{ask: a})
	return nil
}

// take returns what has come, in exchange for memory that is not used any more.
func (b *mailbox) take(empty mail) mail {
	clear(empty.events)
	b.mu.Lock()
	defer b.mu.Unlock()
	full := b.mail
	b.mail, b.asks = mail{empty.events[:0], empty.data[:0]}, 0
	return full
}

// close drops what waits, and takes nothing more.
func (b *mailbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.mail.end()
	b.mail = mail{}
}

// end answers the requests among what is not handled any more.
func (m *mail) end() {
	for e := range slices.Values(m.events) {
		if e.ask != nil {
			e.ask.err = errEnded
			close(e.ask.done)
		}
	}
}
