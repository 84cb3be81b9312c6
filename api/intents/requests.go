package intents

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/weirnet/weir/api/client/intentpb"
	"github.com/weirnet/weir/api/intents/wire"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/intent"
)

const (
	ndjson = "application/x-ndjson"

	streamRead       = 2 * wire.MaxItem // bytes of requests that are read together, at most
	maxStreamBatches = 64               // batches of a stream that wait for the store, at most
	maxBatchItems    = 1024             // items of a batch, at most: a buffer of the shortest has forty times as many
	streamBuffer     = 64 << 10         // bytes of answers gathered before a write
	firstBatchItems  = 8                // items of the first: its rules are on their way while others are read
)

// streamType returns the media type of a stream's requests and answers; "" where the request is none.
func streamType(r *http.Request) string {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	switch kind = strings.ToLower(strings.TrimSpace(kind)); kind {
	case ndjson:
		return ndjson
	case intentpb.ContentType, intentpb.ContentTypeAlso:
		return intentpb.ContentType
	}
	return ""
}

// inflightBatch is a batch of a stream on its way through the store. It belongs to the reader,
// then, from SubmitAsync until done is received from, to the engine, then to the writer, which
// gives it back, to this stream and, after it, to others; one that is answered before is given back to nobody.
type inflightBatch struct {
	wire.Batch
	sent  time.Time     // to the store
	first uint64        // index of its first item
	done  chan struct{} // holds one token when the answers are there
	parts *intent.Parts // nil before it is submitted
}

// requestReader cuts a stream into batches. It owns its buffer.
type requestReader struct {
	readerMemory
	body     io.Reader
	protobuf bool

	n        int // bytes in buf
	line     int // lines before buf
	index    uint64
	hasItems bool // buf may have whole items
	skipping bool // what is left of a line that is too long
	ended    bool
	err      error // why it ended; nil: orderly
}

// readerMemory is what a requestReader can leave to another.
type readerMemory struct {
	json *wire.JSON
	buf  []byte
}

func newReaderMemory() *readerMemory { return &readerMemory{wire.NewJSON(), make([]byte, streamRead)} }

func newRequestReader(body io.Reader, protobuf bool, m *readerMemory) *requestReader {
	return &requestReader{body: body, protobuf: protobuf, readerMemory: *m}
}

// next reads what there is into the batch, at least one item; it is false at the end. It blocks
// while nothing comes.
func (q *requestReader) next(f *inflightBatch) bool {
	f.Reset()
	f.first, f.parts = q.index, nil
	for len(f.Slots) == 0 && (q.hasItems || !q.ended) {
		if !q.hasItems {
			q.read()
		}
		q.parse(f)
	}
	q.index += uint64(len(f.Slots))
	return len(f.Slots) > 0
}

// read takes what there is into the buffer.
func (q *requestReader) read() {
	n, err := q.body.Read(q.buf[q.n:])
	q.n += n
	if err == nil {
		return
	}
	if q.ended = true; !errors.Is(err, io.EOF) {
		q.err = err
	}
}

// full reports whether a batch takes no more items for now.
func (q *requestReader) full(f *inflightBatch) bool {
	q.hasItems = len(f.Slots) >= maxBatchItems || q.index == 0 && len(f.Slots) >= firstBatchItems
	return q.hasItems
}

// parse reads the whole items of the buffer, or as many as the batch takes, and moves what is left
// to its beginning.
func (q *requestReader) parse(f *inflightBatch) {
	q.hasItems = false
	text := string(q.buf[:q.n])
	used := 0
	if q.protobuf {
		used = q.messages(f, text)
	} else {
		used = q.lines(f, text)
	}
	q.n = copy(q.buf, q.buf[used:q.n])
}

func (q *requestReader) lines(f *inflightBatch, text string) (used int) {
	for used < q.n && !q.full(f) {
		rest := q.buf[used:q.n]
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			if len(rest) > wire.MaxItem {
				q.tooLong(f)
				return q.n
			}
			if !q.ended {
				return used
			}
			end = len(rest)
		}
		switch line := bytes.TrimSpace(rest[:end]); {
		case q.skipping:
			q.skipping = false
			q.line++
		case end > wire.MaxItem:
			q.tooLong(f)
			q.skipping = false
			q.line++
		default:
			q.line++
			if len(line) > 0 {
				q.json.Line(&f.Batch, rest[:end], text[used:used+end], q.line)
			}
		}
		used = min(used+end+1, q.n)
	}
	return used
}

// tooLong refuses a line, whose rest is passed over; once.
func (q *requestReader) tooLong(f *inflightBatch) {
	if !q.skipping {
		f.Refuse("", q.line+1, fmt.Sprintf("more than %d bytes given, want at most that many a line", wire.MaxItem))
	}
	q.skipping = true
}

func (q *requestReader) messages(f *inflightBatch, text string) (used int) {
	for used < q.n && !q.full(f) {
		m, n, err := wire.Delimited(q.buf[used:q.n])
		if err != nil {
			f.Refuse("", 0, fmt.Sprintf("message %d: %v; the stream ends here", q.index+uint64(len(f.Slots)), err))
			q.ended, q.err = true, err
			return q.n
		}
		if n == 0 {
			if q.ended && q.err == nil {
				f.Refuse("", 0, fmt.Sprintf("message %d: the stream ends within it, after %d bytes",
					q.index+uint64(len(f.Slots)), q.n-used))
				return q.n
			}
			return used
		}
		f.Message(m, text[used+n-len(m):used+n])
		used += n
	}
	return used
}

// appendRefused appends the answer to the first item that was not taken of a stream that is ended.
func appendRefused(b []byte, index uint64, why *rest.Refusal, protobuf bool) []byte {
	a := wire.Answer{Index: index, Status: intentpb.StatusFailed, Detail: "the stream is ended: " + why.Detail}
	if protobuf {
		return a.AppendMessage(b)
	}
	return append(a.AppendJSON(b), '\n')
}

// appendBatchAnswers appends the answers to a batch; where the store has not answered in time, of
// what is not answered that the outcome is unknown.
func appendBatchAnswers(b []byte, f *inflightBatch, late, protobuf bool, n *tally) []byte {
	answers, failure := f.parts.Answers()
	if late {
		failure = errStoreTimeout
	}
	for i := range f.Slots {
		a := wireAnswer(&f.Slots[i], f.first+uint64(i), answers, failure)
		n.count(&a)
		if protobuf {
			b = a.AppendMessage(b)
		} else {
			b = append(a.AppendJSON(b), '\n')
		}
	}
	return b
}
