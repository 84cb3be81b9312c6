package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/client/intentpb"
	"github.com/weirnet/weir/api/intents"
	"github.com/weirnet/weir/api/intents/wire"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/store"
)

// lineStream is the media type of streams of lines.
const lineStream = "application/x-ndjson"

// newStreams is a server with intents on a real connection, and its client.
func newStreams(t testing.TB) (*small, *wishes, *client.Client) {
	t.Helper()
	s, w := newSmallWith(t)
	server := httptest.NewServer(openTo(s))
	t.Cleanup(server.Close)
	c, err := client.New(client.Config{Address: server.URL, Token: operatorToken})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return s, w, c
}

// flow is a request of its own packets.
func flow(n int) *client.IntentRequest {
	return &client.IntentRequest{ID: fmt.Sprintf("f%06d", n), Kind: client.PointToPoint, Wide: true,
		Src:      client.PointEnds(client.Point{DPID: "1", Port: 1}),
		Dst:      client.PointEnds(client.Point{DPID: "2", Port: 1}),
		Selector: client.Selector{"ipv4_dst": fmt.Sprintf("10.%d.%d.%d", n>>16, n>>8&255, n&255)}}
}

// TestStreams: requests are answered in order while more come, in both forms; create, put and
// withdraw; what is refused disturbs nothing else.
func TestStreams(t *testing.T) {
	for _, protobuf := range []bool{false, true} {
		t.Run(fmt.Sprintf("protobuf=%v", protobuf), func(t *testing.T) {
			s, _, c := newStreams(t)
			st, err := c.StreamIntents(t.Context(), protobuf)
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			want := func(id, status, detail string) {
				t.Helper()
				var a client.IntentAnswer
				if err := st.Receive(&a); err != nil || a.ID != id || a.Status != status || !strings.Contains(a.Detail, detail) {
					t.Fatalf("%+v, %v, want %s %s %s", a, err, id, status, detail)
				}
			}
			send := func(r *client.IntentRequest) {
				t.Helper()
				if err := errors.Join(st.Send(r), st.Flush()); err != nil {
					t.Fatal(err)
				}
			}
			send(flow(1)) // each answer is there before the next request
			want("f000001", "accepted", "")
			send(flow(1))
			want("f000001", "existing", "")
			wrong := flow(2)
			wrong.Selector["tcp_dst"] = "x"
			send(wrong)
			want("f000002", "invalid", "selector.tcp_dst")
			put := flow(1)
			put.Op, put.Selector = client.OpPut, client.Selector{"ipv4_dst": "11.0.0.1"}
			send(put)
			want("f000001", "accepted", "")
			put.IfMatch = "other"
			put.Selector = nil
			send(put)
			want("f000001", "mismatched", "another content")
			send(&client.IntentRequest{Op: client.OpWithdraw, ID: "f000001"})
			want("f000001", "accepted", "")
			send(&client.IntentRequest{Op: client.OpWithdraw, ID: "nobody"})
			want("nobody", "not-found", "")
			if err := st.CloseSend(); err != nil {
				t.Fatal(err)
			}
			if err := st.Receive(new(client.IntentAnswer)); err != io.EOF {
				t.Fatalf("after the last answer: %v", err)
			}
			checkStreamAudit(t, s, "3 accepted, 1 existing, 1 not found, 1 invalid, 1 mismatched")
		})
	}
}

// checkStreamAudit waits for the last record of a stream.
func checkStreamAudit(t *testing.T, s *small, detail string) {
	t.Helper()
	for {
		s.log.mu.Lock()
		n := len(s.log.records)
		last := s.log.records[n-1]
		s.log.mu.Unlock()
		if last.Result == "done" || last.Result == "failed" {
			if last.Detail != detail || n > 5 {
				t.Errorf("%d records, the last %+v, want %s", n, last, detail)
			}
			return
		}
	}
}

// TestManyInAStream: thousands of requests, sent and read at the same time.
func TestManyInAStream(t *testing.T) {
	for _, protobuf := range []bool{false, true} {
		_, _, c := newStreams(t)
		st, err := c.StreamIntents(t.Context(), protobuf)
		if err != nil {
			t.Fatal(err)
		}
		const many = 20_000
		sent := make(chan error, 1)
		go func() {
			var err error
			for i := 0; i < many && err == nil; i++ {
				err = st.Send(flow(i))
			}
			sent <- errors.Join(err, st.CloseSend())
		}()
		for i := range many {
			var a client.IntentAnswer
			if err := st.Receive(&a); err != nil || a.Index != i || a.Status != "accepted" || a.ID != flow(i).ID {
				t.Fatalf("protobuf %v, answer %d: %+v, %v", protobuf, i, a, err)
			}
		}
		if err := <-sent; err != nil {
			t.Fatal(err)
		}
		st.Close()
	}
}

// stream posts a whole body as a stream, and reads the answers as text.
func (s *small) stream(body io.Reader, kind string) *httptest.ResponseRecorder {
	return s.do("POST", "/v1/intents", func(r *http.Request) {
		r.Body = io.NopCloser(body)
		r.Header.Set("Content-Type", kind)
		r.Header.Set("Authorization", "Bearer "+operatorToken)
	})
}

// TestBrokenStreams: lines that are too long, too deep, or no text; streams that end within a
// request.
func TestBrokenStreams(t *testing.T) {
	s, _ := newSmallWith(t)
	line := func(n int) string {
		b, _ := flow(n).AppendJSON(nil)
		return string(b)
	}
	framed := func(n int) string {
		b, _ := flow(n).AppendMessage(nil)
		return string(b)
	}
	long := strings.Repeat("x", 3*wire.MaxItem)
	for i, c := range []struct {
		kind, body string
		want       []string // status of each answer, and a part of its detail
	}{
		{lineStream, line(0) + "\n" + long + "\n" + line(1) + "\n",
			[]string{"accepted", "invalid line 2: more than 65536 bytes", "accepted"}},
		{lineStream, long + "\n\n" + line(2) + "\r\n" + strings.Repeat("y", wire.MaxItem+1) + "\n" + line(3) + "\n{",
			[]string{"invalid line 1: more than", "accepted", "invalid line 4: more than", "accepted",
				"invalid line 6: not JSON"}},
		{lineStream, line(4) + "\n" + strings.Repeat("[", 30_000) + "\n{\"id\":\"\xff\"}\n" + line(5),
			[]string{"accepted", "invalid line 2:", "invalid line 3: not JSON: invalid UTF-8", "accepted"}},
		{lineStream, line(6) + "\n" + line(7)[:20], []string{"accepted", "invalid line 2: not JSON"}},
		{lineStream, "", nil},
		{lineStream, long, []string{"invalid line 1"}},
		{intentpb.ContentType, framed(8) + framed(9)[:20], []string{"accepted", "invalid message 1: the stream ends within it"}},
		{intentpb.ContentType, framed(10) + strings.Repeat("\xff", 20) + framed(11),
			[]string{"accepted", "invalid message 1: the length"}},
		{intentpb.ContentTypeAlso + "; x=y", framed(12) + "\xff\xff\xff\x7f" + framed(13),
			[]string{"accepted", "invalid message 1: a message of more than"}},
		{intentpb.ContentType, framed(14) + "\x00" + framed(15), []string{"accepted", "invalid kind: nothing", "accepted"}},
		{intentpb.ContentType, "", nil},
	} {
		for _, body := range []io.Reader{strings.NewReader(c.body), oneByOne{strings.NewReader(c.body)}} {
			w := s.stream(body, c.kind)
			got := readAnswers(t, w.Body.Bytes(), c.kind)
			if w.Code != 200 || len(got) != len(c.want) {
				t.Errorf("%d: status %d, %d answers %+v, want %d", i, w.Code, len(got), got, len(c.want))
				continue
			}
			for k, want := range c.want {
				status, detail, _ := strings.Cut(want, " ")
				said := got[k].Detail
				if got[k].Line > 0 {
					said = fmt.Sprintf("line %d: %s", got[k].Line, said)
				}
				if got[k].Index != k || !strings.HasPrefix(said, detail) || got[k].Status != status &&
					!(status == "accepted" && got[k].Status == "existing") {
					t.Errorf("%d: answer %d is %+v, want %s", i, k, got[k], want)
				}
			}
		}
	}
}

// oneByOne is a reader that gives a little at a time.
type oneByOne struct{ r io.Reader }

func (o oneByOne) Read(b []byte) (int, error) { return o.r.Read(b[:min(len(b), 777)]) }

func readAnswers(t *testing.T, b []byte, kind string) (list []client.IntentAnswer) {
	t.Helper()
	for len(b) > 0 {
		var a client.IntentAnswer
		if kind == lineStream {
			line, rest, _ := bytes.Cut(b, []byte("\n"))
			a, b = mustAnswer(t, line), rest
		} else {
			m, n, err := wire.Delimited(b)
			if err != nil || n == 0 {
				t.Fatalf("answers end with %x: %v", b, err)
			}
			if err := a.ParseMessage(m); err != nil {
				t.Fatal(err)
			}
			b = b[n:]
		}
		list = append(list, a)
	}
	return list
}

func mustAnswer(t *testing.T, line []byte) client.IntentAnswer {
	t.Helper()
	w := httptest.NewRecorder()
	w.Body.Write(line)
	return answerOf[client.IntentAnswer](t, w, 200)
}

// TestStreamStoreFaults: a store that fails is told of in each answer, and what is too much is
// tried again until it is taken.
func TestStreamStoreFaults(t *testing.T) {
	busy := &overloadedFor{}
	s, j := newSmallWith(t, func(c *Config) { busy.Engine, c.Intents = c.Intents, busy })
	line, _ := flow(1).AppendJSON(nil)
	for _, c := range []struct {
		refuse, fail error
		say          string
	}{{store.ErrFull, nil, "the store is full"}, {nil, store.ErrUnknown, "the same request again"},
		{nil, errDisk, "the disk is gone"}} {
		j.journal.set(c.refuse, c.fail)
		got := readAnswers(t, s.stream(bytes.NewReader(line), lineStream).Body.Bytes(), lineStream)
		if len(got) != 1 || got[0].Status != "failed" || !strings.Contains(got[0].Detail, c.say) {
			t.Errorf("%v %v: %+v", c.refuse, c.fail, got)
		}
	}
	j.journal.set(nil, nil)
	busy.tried.Store(0)
	busy.times = 5
	if got := readAnswers(t, s.stream(bytes.NewReader(line), lineStream).Body.Bytes(), lineStream); len(got) != 1 ||
		got[0].Status != "accepted" || busy.tried.Load() != 6 {
		t.Errorf("after overloads: %+v, tried %d times", got, busy.tried.Load())
	}
}

// TestStreamOverloadWithin: a stream's batch of which the engine takes a part only waits with the
// rest, and none of it fails.
func TestStreamOverloadWithin(t *testing.T) {
	s, j := newSmallWith(t)
	j.journal.mu.Lock()
	j.journal.overload = 5 // every so many
	j.journal.mu.Unlock()
	var body []byte
	const many = 3000
	for i := range many {
		body, _ = flow(i).AppendJSON(body)
		body = append(body, '\n')
	}
	got := readAnswers(t, s.stream(bytes.NewReader(body), lineStream).Body.Bytes(), lineStream)
	if len(got) != many {
		t.Fatalf("%d answers", len(got))
	}
	for i := range got {
		if got[i].Status != "accepted" || got[i].Index != i {
			t.Fatalf("answer %d: %+v", i, got[i])
		}
	}
}

// overloadedFor refuses so many batches.
type overloadedFor struct {
	intents.Engine
	times int64
	tried atomic.Int64
}

func (o *overloadedFor) SubmitAsync(reqs []intent.Request, atomic bool, done func([]intent.Answer, error)) error {
	if o.tried.Add(1) <= o.times {
		return &intent.Overload{What: "a test", RetryAfter: 1}
	}
	return o.Engine.SubmitAsync(reqs, atomic, done)
}

// TestStreamBackPressure: while the store takes nothing, no more than a bounded number of requests
// is read, and none is lost.
func TestStreamBackPressure(t *testing.T) {
	_, j, c := newStreams(t)
	hold := make(chan struct{})
	j.journal.mu.Lock()
	j.journal.hold = hold
	j.journal.mu.Unlock()
	st, err := c.StreamIntents(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	const many = 120_000 // some 18 MB of lines
	var sent atomic.Int64
	var released atomic.Bool // then no more are sent than those that wait
	over := make(chan error, 1)
	go func() {
		var err error
		for i := 0; i < many && err == nil && !released.Load(); i++ {
			err = st.Send(flow(i))
			sent.Add(1)
		}
		over <- errors.Join(err, st.CloseSend())
	}()
	for before := int64(-1); before != sent.Load() || before == 0; { // until nothing more is taken
		before = sent.Load()
		select {
		case err := <-over:
			t.Fatalf("all was taken while the store took nothing: %v", err)
		case <-timeAfter(t):
		}
	}
	if n := sent.Load(); n == many {
		t.Error("all was sent while the store took nothing")
	}
	j.journal.mu.Lock()
	j.journal.hold = nil
	j.journal.mu.Unlock()
	released.Store(true)
	close(hold)
	answered := int64(0)
	for ; ; answered++ {
		var a client.IntentAnswer
		err := st.Receive(&a)
		if err == io.EOF {
			break
		}
		if err != nil || a.Status != "accepted" || a.Index != int(answered) {
			t.Fatalf("answer %d: %+v, %v", answered, a, err)
		}
	}
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	if n := sent.Load(); n != answered {
		t.Errorf("%d requests were sent, %d answered", n, answered)
	}
	t.Logf("%d requests waited in buffers", answered)
}

// TestStreamsRefused: before anything is read.
func TestStreamsRefused(t *testing.T) {
	s, _ := newSmallWith(t, func(c *Config) { c.Limits.IntentStreams = 1 })
	if w := s.do("POST", "/v1/intents", setHeader("Content-Type", lineStream)); w.Code != 403 {
		t.Errorf("a viewer's stream: %d", w.Code)
	}
	if w := s.do("POST", "/v1/intents?wait=installed", setHeader("Content-Type", lineStream),
		setHeader("Authorization", "Bearer "+operatorToken)); w.Code != 422 {
		t.Errorf("a stream with a query: %d", w.Code)
	}
	body, more := io.Pipe()
	ended := make(chan struct{})
	go func() { s.stream(body, lineStream); close(ended) }()
	more.Write([]byte("\n")) // returns when the stream reads
	if w := s.stream(strings.NewReader(""), lineStream); w.Code != 429 || w.Header().Get("Retry-After") != "5" {
		t.Errorf("one stream too many: %d, Retry-After %q", w.Code, w.Header().Get("Retry-After"))
	}
	more.Close()
	<-ended
	s.log.broken = errDisk
	if w := s.stream(strings.NewReader(""), lineStream); w.Code != 503 || !strings.Contains(w.Body.String(), "audit log") {
		t.Errorf("without an audit log: %d %s", w.Code, w.Body)
	}
	s.log.broken = nil
	if w := newSmall(t, nil).stream(strings.NewReader(""), lineStream); w.Code != 404 {
		t.Errorf("without intents: %d", w.Code)
	}
}
