package intents

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/weirnet/weir/api/intents/wire"
	"github.com/weirnet/weir/intent"
)

// across is the content of an intent.
const across = `"kind":"point-to-point","wide":true,"src":{"dpid":"1","port":1},"dst":{"dpid":"2","port":1}`

// TestFirstFlight: of a stream that comes at once a few items go ahead, the others follow together,
// and no item is lost, however the bytes come.
func TestFirstFlight(t *testing.T) {
	var lines strings.Builder
	for i := range 100 {
		fmt.Fprintf(&lines, `{"id":"i%d",%s}`+"\n", i, across)
	}
	flights := func(body io.Reader) (sizes []int, ids []string) {
		q := newRequestReader(body, false, newReaderMemory())
		for f := new(inflightBatch); q.next(f); {
			sizes = append(sizes, len(f.Slots))
			for i := range f.Requests {
				ids = append(ids, f.Requests[i].Spec.ID)
			}
		}
		return sizes, ids
	}
	sizes, ids := flights(strings.NewReader(lines.String()))
	if !slices.Equal(sizes, []int{firstBatchItems, 100 - firstBatchItems}) {
		t.Errorf("flights of %v items, want %d and the rest", sizes, firstBatchItems)
	}
	for i, id := range ids {
		if want := fmt.Sprint("i", i); id != want {
			t.Fatalf("item %d is %s, want %s", i, id, want)
		}
	}
	_, few := flights(iotest.HalfReader(strings.NewReader(lines.String()[:lines.Len()-1]))) // the last line has no end
	_, one := flights(iotest.OneByteReader(strings.NewReader(lines.String())))
	_, eof := flights(iotest.DataErrReader(strings.NewReader(lines.String())))
	if len(ids) != 100 || !slices.Equal(few, ids) || !slices.Equal(one, ids) || !slices.Equal(eof, ids) {
		t.Errorf("%d items, %d by halves, %d byte by byte, %d with the end, want 100 each", len(ids), len(few),
			len(one), len(eof))
	}
}

// TestFlightItems: however short the lines of a stream are, a batch of it has a bounded number of
// items.
func TestFlightItems(t *testing.T) {
	q := newRequestReader(strings.NewReader(strings.Repeat("{}\n", 10*maxBatchItems)), false, newReaderMemory())
	n := 0
	for f := (&inflightBatch{Batch: wire.Batch{}}); q.next(f); n += len(f.Slots) {
		if len(f.Slots) > maxBatchItems {
			t.Fatalf("%d items", len(f.Slots))
		}
	}
	if n != 10*maxBatchItems {
		t.Errorf("%d items", n)
	}
}

// TestSpareBatchesAreEmpty: what a stream leaves to others has nothing of its requests.
func TestSpareBatchesAreEmpty(t *testing.T) {
	var m spareMemory
	f := m.batch()
	q := newRequestReader(strings.NewReader(`{"id":"a"}`+"\n"), false, m.reader())
	if !q.next(f) || len(f.Slots) != 1 {
		t.Fatalf("%d items are read", len(f.Slots))
	}
	f.Requests = append(f.Requests, intent.Request{ID: "b"})
	m.takeBatch(f)
	if len(f.Slots)+len(f.Requests) != 0 || f.Slots[:1][0].Reason != "" || f.Requests[:1][0].ID != "" || f.parts != nil {
		t.Errorf("%+v is left", f.Batch)
	}
}
