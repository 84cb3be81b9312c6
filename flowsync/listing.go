package flowsync

import (
	"errors"
	"time"

	"github.com/weirnet/weir/openflow"
)

// incoming is an answer to a reading that is coming in, in parts. Only the session's reader touches it.
type incoming struct {
	loop    *Loop
	request *Request
	entries openflow.FlowStatsReader
	reading Reading
	cost    time.Duration
}

// read asks a switch for its entries. Those that may be rules of programs, of which there may be very many, are given to the core part by part.
func (l *Loop) read(r *Request) {
	conn := l.connOf(r.Address)
	if conn == nil {
		return
	}
	copied := *r
	list := &incoming{loop: l, request: &copied}
	if err := conn.MultipartParts(r.flowRequest(), list.part, list.end); err != nil {
		list.end(err)
	}
}

// comparing is what the core takes to find and compare an entry of a program's rule, about: each is somewhere else in memory. It was
// measured with 1.2 million of them.
const comparing = 800 * time.Nanosecond

// part takes one part.
func (t *incoming) part(v openflow.Version, body []byte) error {
	l, r := t.loop, t.request
	began := l.config.Now()
	t.reading.Programs = Packed{}
	_, err := t.entries.Each(v, body, func(s *openflow.FlowStats) {
		if t.reading.Programs.bytes == nil {
			t.reading.Programs.bytes = make([]byte, 0, len(body)/2)
		}
		l.config.sort(&t.reading, s, r.Single)
	})
	t.cost += l.config.Now().Sub(began) + time.Duration(t.reading.Programs.Count)*comparing
	if t.reading.Programs.Count > 0 && err == nil {
		err = l.list(Listed{r.DPID, r.Session, r.ID, t.reading.Programs})
	}
	t.reading.Programs = Packed{}
	return err
}

// errListing ends a reading whose parts come faster than they are compared.
var errListing = errors.New("flowsync: listings wait that are too long together")

// list leaves a part of a listing for the loop.
func (l *Loop) list(in Listed) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listing += cap(in.Entries.bytes); l.listing > listingMost {
		l.listing -= cap(in.Entries.bytes)
		return errListing
	}
	l.put(in)
	return nil
}

// end takes the end.
func (t *incoming) end(err error) {
	l, r := t.loop, t.request
	in := Entries{DPID: r.DPID, Session: r.Session, ID: r.ID, Err: err}
	if err == nil {
		in.Reading, in.Cost = t.reading, cost(t.cost)
		if l.config.Adopt != nil {
			whole := r.Mask == 0 && in.Reading.SoftCount == len(in.Reading.Soft)
			in.Reading.Soft = l.config.Adopt(r.DPID, in.Reading.Soft, whole)
			in.Reading.SoftCount = len(in.Reading.Soft)
		}
	}
	l.answer(in)
}
