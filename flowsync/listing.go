package flowsync

import (
	"errors"
	"time"

	"github.com/weirnet/weir/openflow"
)

// incomingListing is a listing that is being received. It belongs to the session's reader.
type incomingListing struct {
	*questions
	request *Request
	entries openflow.FlowStatsReader
	reading Reading
	cost    time.Duration
}

// compareCost is about the time the core takes to find and compare one entry of a rule set, mostly
// cache misses; measured with 1.2 million entries.
const compareCost = 800 * time.Nanosecond

// part takes one part.
func (t *incomingListing) part(v openflow.Version, body []byte) error {
	b, r := t.inbox, t.request
	began := t.config.Now()
	t.reading.Compact = Packed{}
	before := t.reading.bytes
	t.reading.bytesMax = b.listingRoom(before)
	_, err := t.entries.Each(v, body, func(s *openflow.FlowStats) {
		if t.reading.Compact.bytes == nil {
			t.reading.Compact.bytes = make([]byte, 0, len(body)/2)
		}
		t.config.classify(&t.reading, s, r.Single)
	})
	b.addReadingBytes(t.reading.bytes - before)
	if err == nil && t.reading.firmDropped {
		err = errNoRoom
	}
	t.cost += t.config.Now().Sub(began) + time.Duration(t.reading.Compact.Count)*compareCost
	if t.reading.Compact.Count > 0 && err == nil {
		err = b.postListed(ListedPart{r.Address, r.ID, t.reading.Compact})
	}
	t.reading.Compact = Packed{}
	return err
}

// errListing ends a reading whose parts come faster than they are compared.
var errListing = errors.New("flowsync: listings wait that are too long together")

// postListed posts a part of a listing.
func (b *inbox) postListed(in ListedPart) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.packedBytes += cap(in.Entries.bytes); b.packedBytes > packedMax {
		b.packedBytes -= cap(in.Entries.bytes)
		return errListing
	}
	b.postLocked(in)
	return nil
}

// end takes the end of the listing.
func (t *incomingListing) end(err error) {
	b, r := t.inbox, t.request
	in := Entries{Address: r.Address, ID: r.ID, Err: err}
	if b.addReadingBytes(-t.reading.bytes); err == nil {
		in.Reading, in.Cost = t.reading, readingCost(t.cost)
		if t.config.Leftover != nil {
			whole := r.Mask == 0 && in.Reading.SoftCount == len(in.Reading.Soft)
			in.Reading.Soft = t.config.Leftover(r.DPID, in.Reading.Soft, whole)
			in.Reading.SoftCount = len(in.Reading.Soft)
		}
	}
	b.postEntries(in)
}

// postEntries posts the end of a listing, with what is kept of it.
func (b *inbox) postEntries(in Entries) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.entriesBytes += in.Reading.size()
	b.postLocked(in)
}
