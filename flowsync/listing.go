package flowsync

import (
	"errors"
	"time"

	"github.com/weirnet/weir/openflow"
)

// incomingListing is a listing that is being received. It belongs to the session's reader.
type incomingListing struct {
	loop    *Loop
	request *Request
	entries openflow.FlowStatsReader
	reading Reading
	cost    time.Duration
}

// requestEntries requests a switch's entries. Those that may be rules of rule sets, of which there
// may be very many, go to the core part by part.
func (l *Loop) requestEntries(r *Request) {
	conn := l.connOf(r.Address)
	if conn == nil {
		return
	}
	copied := *r
	list := &incomingListing{loop: l, request: &copied}
	if err := conn.MultipartParts(r.flowRequest(), list.part, list.end); err != nil {
		list.end(err)
	}
}

// compareCost is about the time the core takes to find and compare one entry of a rule set, mostly
// cache misses; measured with 1.2 million entries.
const compareCost = 800 * time.Nanosecond

// part takes one part.
func (t *incomingListing) part(v openflow.Version, body []byte) error {
	l, r := t.loop, t.request
	began := l.config.Now()
	t.reading.Compact = Packed{}
	before := t.reading.bytes
	t.reading.bytesMax = l.listingRoom(before)
	_, err := t.entries.Each(v, body, func(s *openflow.FlowStats) {
		if t.reading.Compact.bytes == nil {
			t.reading.Compact.bytes = make([]byte, 0, len(body)/2)
		}
		l.config.classify(&t.reading, s, r.Single)
	})
	l.addReadingBytes(t.reading.bytes - before)
	if err == nil && t.reading.firmDropped {
		err = errNoRoom
	}
	t.cost += l.config.Now().Sub(began) + time.Duration(t.reading.Compact.Count)*compareCost
	if t.reading.Compact.Count > 0 && err == nil {
		err = l.postListed(ListedPart{r.Address, r.ID, t.reading.Compact})
	}
	t.reading.Compact = Packed{}
	return err
}

// errListing ends a reading whose parts come faster than they are compared.
var errListing = errors.New("flowsync: listings wait that are too long together")

// postListed posts a part of a listing.
func (l *Loop) postListed(in ListedPart) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.packedBytes += cap(in.Entries.bytes); l.packedBytes > packedMax {
		l.packedBytes -= cap(in.Entries.bytes)
		return errListing
	}
	l.postLocked(in)
	return nil
}

// end takes the end of the listing.
func (t *incomingListing) end(err error) {
	l, r := t.loop, t.request
	in := Entries{Address: r.Address, ID: r.ID, Err: err}
	if l.addReadingBytes(-t.reading.bytes); err == nil {
		in.Reading, in.Cost = t.reading, readingCost(t.cost)
		if l.config.Leftover != nil {
			whole := r.Mask == 0 && in.Reading.SoftCount == len(in.Reading.Soft)
			in.Reading.Soft = l.config.Leftover(r.DPID, in.Reading.Soft, whole)
			in.Reading.SoftCount = len(in.Reading.Soft)
		}
	}
	l.mu.Lock()
	l.entriesBytes += in.Reading.size()
	l.postLocked(in)
	l.mu.Unlock()
}
