package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/openflow"
)

// benchRequest is a request as the benchmarks of whole instances send it.
func benchRequest(oxm bool) *client.IntentRequest {
	q := &client.IntentRequest{ID: "flow-000001", Kind: client.PointToPoint, Wide: true,
		Src: client.PointEnds(client.Point{DPID: "00000000000000a1", Port: 3}),
		Dst: client.PointEnds(client.Point{DPID: "00000000000000b2", Port: 1})}
	if !oxm {
		q.Selector = client.Selector{"ipv4_src": "10.0.0.1", "ipv4_dst": "10.0.0.2"}
		return q
	}
	var m openflow.Match
	m.SetUint(openflow.FieldEthType, 0x0800)
	m.SetUint(openflow.FieldIPv4Src, 0x0a000001)
	m.SetUint(openflow.FieldIPv4Dst, 0x0a000002)
	q.OXM = m.OXM
	return q
}

const benchItems = 256

func jsonLines(tb testing.TB) []byte {
	line, err := benchRequest(false).AppendJSON(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return bytes.Repeat(append(line, '\n'), benchItems)
}

func messages(tb testing.TB, oxm bool) []byte {
	m, err := benchRequest(oxm).AppendMessage(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return bytes.Repeat(m, benchItems)
}

func readLines(tb testing.TB, j *JSON, b *Batch, in []byte) {
	b.Reset()
	text := string(in)
	for at, line := 0, 1; at < len(in); line++ {
		n := bytes.IndexByte(in[at:], '\n')
		j.Line(b, in[at:at+n], text[at:at+n], line)
		at += n + 1
	}
	if len(b.Requests) != benchItems {
		tb.Fatalf("%d requests, want %d: %s", len(b.Requests), benchItems, b.Slots[0].Reason)
	}
}

func readMessages(tb testing.TB, b *Batch, in []byte) {
	b.Reset()
	text := string(in)
	for at := 0; at < len(in); {
		m, n, err := Delimited(in[at:])
		if err != nil {
			tb.Fatal(err)
		}
		b.Message(m, text[at+n-len(m):at+n])
		at += n
	}
	if len(b.Requests) != benchItems {
		tb.Fatalf("%d requests, want %d: %s", len(b.Requests), benchItems, b.Slots[0].Reason)
	}
}

func perItem(b *testing.B, f func()) {
	b.ReportAllocs()
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchItems, "ns/intent")
}

func BenchmarkReadLines(b *testing.B) {
	in, j, batch := jsonLines(b), NewJSON(), new(Batch)
	perItem(b, func() { readLines(b, j, batch, in) })
}

func BenchmarkReadBody(b *testing.B) {
	in := []byte(`{"items":[` + strings.Join(strings.Split(strings.TrimSpace(string(jsonLines(b))), "\n"), ",") + `]}`)
	j, batch := NewJSON(), new(Batch)
	perItem(b, func() {
		batch.Reset()
		if _, err := j.Body(batch, in, intent.Create, ""); err != nil || len(batch.Requests) != benchItems {
			b.Fatal(len(batch.Requests), err)
		}
	})
}

func BenchmarkReadMessages(b *testing.B) {
	in, batch := messages(b, false), new(Batch)
	perItem(b, func() { readMessages(b, batch, in) })
}

func BenchmarkReadMessagesWithTLVs(b *testing.B) {
	in, batch := messages(b, true), new(Batch)
	perItem(b, func() { readMessages(b, batch, in) })
}

// BenchmarkStandardLibrary is encoding/json on the same lines, into the client's type, without any
// check.
func BenchmarkStandardLibrary(b *testing.B) {
	in := jsonLines(b)
	perItem(b, func() {
		for rest := in; len(rest) > 0; {
			n := bytes.IndexByte(rest, '\n')
			var q client.IntentRequest
			if err := json.Unmarshal(rest[:n], &q); err != nil {
				b.Fatal(err)
			}
			rest = rest[n+1:]
		}
	})
}

func BenchmarkWriteAnswers(b *testing.B) {
	a := Answer{Index: 123456, ID: "flow-000001", Status: 1, State: 1, ETag: "0123456789abcdef", Revision: "0a1b2c3d.7.i123456"}
	var buf []byte
	perItem(b, func() {
		buf = buf[:0]
		for range benchItems {
			buf = append(a.AppendJSON(buf), '\n')
		}
	})
}

// TestReadingBudget: a batch of the usual requests allocates once, for the text that its ids are
// parts of.
func TestReadingBudget(t *testing.T) {
	need.NoRace(t)
	lines, plain, tlvs := jsonLines(t), messages(t, false), messages(t, true)
	j, b := NewJSON(), new(Batch)
	for name, f := range map[string]func(){
		"lines": func() { readLines(t, j, b, lines) }, "messages": func() { readMessages(t, b, plain) },
		"TLVs": func() { readMessages(t, b, tlvs) },
	} {
		f()
		if n := testing.AllocsPerRun(20, f); n > 1 {
			t.Errorf("%s: %v allocations for %d requests, want 1", name, n, benchItems)
		}
	}
}
