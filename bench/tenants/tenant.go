package tenants

import (
	"fmt"
	"sync"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/window"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// tenant is one tenant's load: which messages it sends and which of them wait.
type tenant struct {
	number int

	mu          sync.Mutex
	controllers []*session.Session // of its controller, by switch; nil: not connected
	templates   []*template        // of its messages, by switch; all nil until it is settled
	own         []*outlet          // where messages that follow answers are sent, by switch
	window      *window.Window
	next        int           // the switch of the next message
	made        uint32        // messages
	refill      bool          // an answer is followed by the next message
	from, to    time.Duration // the part of the run that counts
	latency     report.Histogram
	tally       tally
	problem     error // the first
}

// tally counts messages.
type tally struct {
	sent     uint64
	answered uint64 // once each
	counted  uint64 // of those, answered while the run counts
	again    uint64 // answers to messages that had been answered, or were given up
	foreign  uint64 // that came to this tenant, and are another's
	unsent   uint64 // too many waited
}

func (t tally) minus(o tally) tally {
	return tally{t.sent - o.sent, t.answered - o.answered, t.counted - o.counted, t.again - o.again, t.foreign - o.foreign,
		t.unsent - o.unsent}
}

// never is later than any time of a load.
const never = time.Duration(1<<63 - 1)

// answered takes the tokens of answers of one batch, and how many messages of others came with them.
func (t *tenant) answered(tokens []uint32, foreign int, now time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tally.foreign += uint64(foreign)
	n := 0
	for _, token := range tokens {
		s, ok := t.window.Answer(token)
		if !ok {
			t.tally.again++
			continue
		}
		n++
		t.tally.answered++
		if s.Intended >= t.from && s.Intended < t.to {
			t.latency.Record(int64(now - s.Intended))
		}
		if now >= t.from && now < t.to {
			t.tally.counted++
		}
	}
	if t.refill && n > 0 {
		t.sendNow(n, now)
	}
}

// sendNow sends n messages that are meant to be sent now; t.mu is held.
func (t *tenant) sendNow(n int, now time.Duration) {
	for range n {
		t.add(now, t.own)
	}
	for _, o := range t.own {
		if err := o.flush(); err != nil {
			t.fail(err)
		}
	}
}

// add appends the next message to the outlet of its switch; t.mu is held.
func (t *tenant) add(intended time.Duration, outlets []*outlet) {
	token, ok := t.window.Take(intended, 0)
	if !ok {
		t.tally.unsent++
		return
	}
	o := outlets[t.next]
	o.buf = t.templates[t.next].append(o.buf, token, t.made)
	t.next = (t.next + 1) % len(outlets)
	t.made++
	t.tally.sent++
}

// fail notes what went wrong; t.mu is held.
func (t *tenant) fail(err error) {
	if t.problem == nil {
		t.problem = fmt.Errorf("tenant %d: %w", t.number+1, err)
	}
}

// refused notes an error that the tenant's controller got.
func (t *tenant) refused(m *openflow.ErrorMsg) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fail(fmt.Errorf("its switch answers %s", m.Code))
}

// outlet is a session and what is to be sent by it.
type outlet struct {
	to  *session.Session
	buf []byte
}

// flush sends what was appended, on this goroutine as far as the peer takes it.
func (o *outlet) flush() error {
	if len(o.buf) == 0 {
		return nil
	}
	o.to.Gather()
	err := o.to.SendBytes(o.buf)
	o.to.Write()
	o.buf = o.buf[:0]
	return err
}
