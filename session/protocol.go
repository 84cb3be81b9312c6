package session

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/openflow"
)

// protocol is the core of a session under its lock, and when it is due. The reader steps it; others enter and
// forget requests.
type protocol struct {
	group    *group       // whose ticker looks at deadline
	deadline atomic.Int64 // of the core, in ns since group.epoch; 0 is none

	mu       sync.Mutex // guards core and features
	core     *Core
	features Features
}

// start begins the conversation on a connection that has been there since a time.
func (p *protocol) start(since time.Time) Ready {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.due(p.core.Start(since))
}

// step has the core take one input.
func (p *protocol) step(in Input) Ready {
	now := p.group.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.due(p.core.Step(in, now))
}

// end ends the core: all open requests are answered.
func (p *protocol) end(reason error) Ready {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.core.End(reason)
	p.setDeadline(time.Time{})
	return r
}

// due notes when the core has to be stepped again.
func (p *protocol) due(r Ready) Ready {
	p.setDeadline(r.Deadline)
	return r
}

// setDeadline sets when the ticker wakes the reader to step the core.
func (p *protocol) setDeadline(t time.Time) {
	if t.IsZero() {
		p.deadline.Store(0)
		return
	}
	p.deadline.Store(max(int64(t.Sub(p.group.epoch)), 1))
}

// request enters a request and queues it; part, if not nil, takes the parts of a multipart answer.
func (p *protocol) request(out *writer, m openflow.Message, part func(openflow.Version, []byte) error,
	answer func(openflow.Message, error)) (xid uint32, err error) {
	now := p.group.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	xid = p.core.NextXID()
	if err := p.core.Expect(xid, m.Type(), now, answer); err != nil {
		return 0, err
	}
	if part != nil {
		p.core.requests.find(xid).part = part
	}
	if err := out.messages(xid, 0, []openflow.Message{m}); err != nil {
		p.core.Forget(xid)
		return 0, err
	}
	p.setDeadline(p.core.nextDeadline())
	return xid, nil
}

// forget drops a request.
func (p *protocol) forget(xid uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.core.Forget(xid)
}

// part counts a part of so many bytes of an answer that was requested part by part, and gives it time for the next
// one; nil if it was not requested so. The error is ErrTooLarge.
func (p *protocol) part(xid uint32, length int) (*request, error) {
	now := p.group.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.core.requests.find(xid)
	if r == nil || r.part == nil {
		return nil, nil
	}
	r.parts++
	r.bytes += length
	r.deadline = now.Add(p.core.cfg.MultipartTimeout)
	if r.bytes > MaxMultipartBytes || r.parts > MaxMultipartParts {
		return r, ErrTooLarge
	}
	return r, nil
}

// partsEnd removes a request whose parts have been handed over.
func (p *protocol) partsEnd(r *request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.core.requests.remove(r)
	p.setDeadline(p.core.nextDeadline())
}
