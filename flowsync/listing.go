package flowsync

import (
	"errors"
	"time"

	"github.com/weirnet/weir/flowsync/objects"
	"github.com/weirnet/weir/openflow"
)

// incomingListing is a listing that is being received. It belongs to the session's reader.
type incomingListing struct {
	*questions
	request *Request
	groups  []openflow.GroupDesc
	meters  []openflow.MeterConfig
	unknown error            // why it is not known which groups or meters the switch has
	objects *objects.Listing // nil until groups and meters have come, or are not asked for
	entries openflow.FlowStatsReader
	reading Reading
	cost    time.Duration
}

// ask sends the questions. A switch may answer them in another order, though none is known to.
func (t *incomingListing) ask(conn Conn) error {
	r := t.request
	if !r.Objects {
		return t.askEntries(conn)
	}
	err := conn.Multipart(&openflow.GroupDescRequest{}, func(body openflow.ReplyBody, err error) {
		if list, ok := body.(*openflow.GroupDescList); ok {
			t.groups = list.Groups
		} else {
			t.lacks(err)
		}
	})
	if err != nil {
		return err
	}
	err = conn.Multipart(&openflow.MeterConfigRequest{Meter: openflow.MeterAll}, func(body openflow.ReplyBody, err error) {
		if list, ok := body.(*openflow.MeterConfigList); ok {
			t.meters = list.Meters
		} else {
			t.lacks(err)
		}
		t.haveObjects(false)
	})
	switch {
	case err != nil || r.ObjectsOnly:
		return err
	case r.InTurn:
		return conn.Barrier(func(err error) { t.passed(conn, err) })
	}
	return t.askEntries(conn)
}

// haveObjects posts the groups and meters, once. Of a silent switch, which has left a question open, numbers mean what
// they did.
func (t *incomingListing) haveObjects(silent bool) {
	if r := t.request; t.objects == nil && t.unknown == nil {
		t.objects = objects.Read(t.config.Domain, r.Numbers, t.groups, t.meters)
		if silent {
			t.objects.Numbers = r.Numbers
		}
		t.inbox.post(Objects{r.Address, r.ID, t.objects, silent})
	}
}

// passed takes the answer to a barrier after the questions for groups and meters, and asks for the entries. A switch
// that has not answered by then does not (OpenFlow 1.3.5, 6.2).
func (t *incomingListing) passed(conn Conn, err error) {
	if err == nil {
		t.haveObjects(true)
		if err = t.unknown; err == nil {
			err = t.askEntries(conn)
		}
	}
	if err != nil {
		t.end(err)
	}
}

// lacks takes an answer that lists nothing: a switch that has none for the question, or another than was asked for, has
// no groups, or meters; when the session ends it is not known.
func (t *incomingListing) lacks(err error) {
	if err != nil && !errors.Is(err, ErrNoAnswer) {
		t.unknown = err
	}
}

func (t *incomingListing) askEntries(conn Conn) error {
	return conn.MultipartParts(t.request.flowRequest(), t.part, t.end)
}

// errOrder ends a reading whose entries come before the groups and meters that they name.
var errOrder = errors.New("flowsync: the switch lists entries before the groups and meters it was asked for first")

// compareCost is about the time the core takes to find and compare one entry, mostly
// cache misses; measured with 1.2 million entries.
const compareCost = 800 * time.Nanosecond

// part takes one part.
func (t *incomingListing) part(v openflow.Version, body []byte) error {
	b, r := t.inbox, t.request
	began := t.config.Now()
	t.reading.numbers = r.Numbers
	if r.Objects {
		if t.objects == nil {
			return errOrder
		}
		t.reading.numbers = t.objects.Numbers
	}
	t.reading.Ours = Packed{}
	before := t.reading.bytes
	t.reading.bytesMax = b.listingRoom(before)
	_, err := t.entries.Each(v, body, func(s *openflow.FlowStats) {
		if t.reading.Ours.bytes == nil {
			t.reading.Ours.bytes = make([]byte, 0, len(body)/2)
		}
		t.config.classify(&t.reading, s)
	})
	b.addReadingBytes(t.reading.bytes - before)
	t.cost += t.config.Now().Sub(began) + time.Duration(t.reading.Ours.Count)*compareCost
	if t.reading.Ours.Count > 0 && err == nil {
		err = b.postListed(ListedPart{r.Address, r.ID, t.reading.Ours})
	}
	t.reading.Ours = Packed{}
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

// The memory of listings (soft entries, foreign ones, and firm ones of ours that nobody has ordered) is bounded for all
// switches together, by Config.ListMax: while they are received, while they wait for the loop, and
// in rows and softEntries. Packed entries that wait are bounded by packedMax instead.

// What an entry takes in memory, about: itself, its key and its slot in a map, without its match;
// and each of its instructions and actions.
const (
	entryBytes       = 256
	instructionBytes = 96
)

// listingShare: a listing may take this part of the free bytes; listingFloor bytes are always
// allowed.
const (
	listingShare = 4
	listingFloor = 16 << 10
)

// entrySize returns about how many bytes an entry takes of which this is kept.
func entrySize(match *openflow.Match, instructions []openflow.Instruction) int {
	return sizeOf(len(match.OXM), instructions)
}

func sizeOf(match int, instructions []openflow.Instruction) int {
	n := entryBytes + 2*match
	for i := range instructions {
		n += instructionBytes * (1 + len(instructions[i].Actions))
	}
	return n
}

// reserve takes room for an entry, if there is any.
func (r *Reading) reserve(bytes int) bool {
	if r.bytesMax > 0 && r.bytes+bytes > r.bytesMax {
		r.incomplete = true
		return false
	}
	r.bytes += bytes
	return true
}

// size returns about how many bytes the reading takes; less than bytes, if Config.Leftover dropped
// entries.
func (r *Reading) size() (n int) {
	for i := range r.Soft {
		n += entrySize(&r.Soft[i].Match, nil)
	}
	for i := range r.Foreign {
		n += entrySize(&r.Foreign[i].Match, nil)
	}
	return n + placeBytes*len(r.foreignPlaces)
}

// listingRoom returns how many bytes a listing may take in total that takes held now.
func (b *inbox) listingRoom(held int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	free := b.listMax - b.readingBytes - b.entriesBytes - int(b.listedBytes.Load())
	return max(listingFloor, (held+free)/listingShare)
}

// addReadingBytes counts bytes of listings being received.
func (b *inbox) addReadingBytes(bytes int) {
	b.mu.Lock()
	b.readingBytes += bytes
	b.mu.Unlock()
}
