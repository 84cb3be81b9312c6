package client_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/client/intentpb"
	"github.com/weirnet/weir/api/intents/wire"
)

func dial(t *testing.T, h http.HandlerFunc) *client.Client {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).EnableFullDuplex() // or the answer waits for the end of the requests
		h(w, r)
	}))
	t.Cleanup(srv.Close)
	c, err := client.New(client.Config{Address: srv.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// reader reads the requests of a stream with package wire, as an instance does.
type reader struct {
	in       *bufio.Reader
	protobuf bool
	json     *wire.JSON
}

// next returns the next request as a slot of a batch of its own; false at the end.
func (r *reader) next() (*wire.Batch, bool) {
	b := new(wire.Batch)
	if !r.protobuf {
		line, err := r.in.ReadString('\n')
		if err != nil {
			return nil, false
		}
		r.json.Line(b, []byte(line), line, 1)
		return b, true
	}
	for size := 1; ; size++ {
		head, err := r.in.Peek(size)
		if err != nil {
			return nil, false
		}
		if m, n, err := wire.Delimited(head); err != nil {
			return nil, false
		} else if n > 0 {
			b.Message(m, string(m))
			r.in.Discard(n)
			return b, true
		}
	}
}

// answers is a server that answers each request as soon as it has come: with its id, and statuses
// and states in turn.
func answers(protobuf bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctl := http.NewResponseController(w)
		w.WriteHeader(http.StatusOK)
		ctl.Flush()
		in := &reader{bufio.NewReader(r.Body), protobuf, wire.NewJSON()}
		for i := 0; ; i++ {
			b, ok := in.next()
			if !ok {
				return
			}
			var out []byte
			if a := answer(i, b.Requests[0].Spec.ID); protobuf {
				out = a.AppendMessage(nil)
			} else {
				out = append(a.AppendJSON(nil), '\n')
			}
			w.Write(out)
			ctl.Flush()
		}
	}
}

func answer(i int, id string) wire.Answer {
	return wire.Answer{Index: uint64(i), ID: id, Status: uint8(1 + i%(len(intentpb.StatusNames)-1)),
		State: uint8(i % len(intentpb.StateNames)), Detail: strings.Repeat("\"é\n", i%3), ETag: fmt.Sprint("e", i),
		Revision: "e.7"}
}

// TestStream: what is sent, each by itself or many together, is answered in order, in both forms.
func TestStream(t *testing.T) {
	for _, protobuf := range []bool{false, true} {
		s, err := dial(t, answers(protobuf)).StreamIntents(t.Context(), protobuf)
		if err != nil {
			t.Fatal(err)
		}
		const n = 300
		go func() {
			for i := range n {
				r := &client.IntentRequest{ID: fmt.Sprint("i", i), Kind: client.PointToPoint, Wide: true,
					Src: client.PointEnds(client.Point{DPID: "1", Port: 2}),
					Dst: client.PointEnds(client.Point{DPID: "2", Port: 1})}
				if s.Send(r) != nil || i < n/2 && i%7 == 0 && s.Flush() != nil {
					return
				}
			}
			s.CloseSend()
		}()
		for i := range n {
			var got client.IntentAnswer
			if err := s.Receive(&got); err != nil {
				t.Fatalf("protobuf %v, answer %d: %v", protobuf, i, err)
			}
			a := answer(i, fmt.Sprint("i", i))
			want := client.IntentAnswer{Index: i, ID: a.ID, Status: intentpb.StatusNames[a.Status],
				State: intentpb.StateNames[a.State], Detail: a.Detail, ETag: a.ETag, Revision: a.Revision}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("protobuf %v: got %+v\nwant %+v", protobuf, got, want)
			}
		}
		if err := s.Receive(new(client.IntentAnswer)); err != io.EOF {
			t.Errorf("protobuf %v, after the last: %v", protobuf, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestStreamForm: the form is named, and what cannot be said in it is refused before it is sent.
func TestStreamForm(t *testing.T) {
	var form string
	c := dial(t, func(w http.ResponseWriter, r *http.Request) { form = r.Header.Get("Content-Type") })
	for protobuf, want := range map[bool]string{false: client.NDJSON, true: intentpb.ContentType} {
		s, err := c.StreamIntents(t.Context(), protobuf)
		if err != nil || form != want {
			t.Fatalf("protobuf %v: Content-Type %q: %v", protobuf, form, err)
		}
		bad := []client.IntentRequest{{OXM: []byte{1}}}
		if protobuf {
			host := func(id string) client.IntentRequest { return client.IntentRequest{Src: client.HostEnd(id)} }
			bad = []client.IntentRequest{{Op: "make"}, {Kind: "anything"}, {ID: strings.Repeat("x", 1<<21)},
				{Dst: client.PointEnds(client.Point{DPID: "x"})}, {Hops: []client.IntentHop{{DPID: "x"}}},
				host("x"), host("00:00:00:00:00:0g"), host("00-00-00-00-00-01"), host("00:00:00:00:00:01/4096"),
				host("00:00:00:00:00:01/")}
		}
		for _, r := range bad {
			if s.Send(&r) == nil {
				t.Errorf("protobuf %v: %.60v is sent", protobuf, r)
			}
		}
		s.Close()
	}
}

// TestBrokenStreams: what a server says that breaks off, or is none of ours, is an error; what is
// new is passed over.
func TestBrokenStreams(t *testing.T) {
	for _, x := range []struct {
		protobuf bool
		says     string
		want     error
	}{
		{false, "", io.EOF}, {false, `{"index":3`, io.ErrUnexpectedEOF}, {false, "<html>\n", client.ErrOther},
		{false, "7\n", client.ErrOther}, {false, "\n", client.ErrOther}, {false, "{\"index\":\"x\"}\n", client.ErrOther},
		{false, "{\"index\":3,}\n", client.ErrOther}, {false, "{\"index\"\n", client.ErrOther},
		{true, "", io.EOF}, {true, "\x80", io.ErrUnexpectedEOF}, {true, "\x05\x08", io.ErrUnexpectedEOF},
		{true, "\xff\xff\xff\xff\xff\x01", client.ErrUnreachable}, {true, "\xff\xff\x7f\x08", io.ErrUnexpectedEOF},
		{true, "\x01\x08", client.ErrOther}, {true, "\x02\x12\x05", client.ErrOther}, {true, "\x01\x00", client.ErrOther},
		{true, "\x03\x09\x00\x00", client.ErrOther},
	} {
		s, err := dial(t, saying(x.says)).StreamIntents(t.Context(), x.protobuf)
		if err != nil {
			t.Fatal(err)
		}
		var a client.IntentAnswer
		if err := s.Receive(&a); !errors.Is(err, x.want) || x.want != io.EOF && errors.Is(err, io.EOF) {
			t.Errorf("%q is %+v, %v", x.says, a, err)
		}
		s.Close()
	}
	// a field that is not known, a number, a text and 8 bytes; a status and a state that are not known
	for protobuf, says := range map[bool]string{
		false: "{\"new\":[1,{}],\"index\":3}\n",
		true:  "\x17\x08\x03\xf8\x01\x07\xfa\x01\x01x\xf9\x01\x00\x00\x00\x00\x00\x00\x00\x00\x18\x63\x20\x63",
	} {
		s, err := dial(t, saying(says)).StreamIntents(t.Context(), protobuf)
		if err != nil {
			t.Fatal(err)
		}
		var a client.IntentAnswer
		if err := s.Receive(&a); err != nil || !reflect.DeepEqual(a, client.IntentAnswer{Index: 3}) {
			t.Errorf("protobuf %v: %+v, %v", protobuf, a, err)
		}
		s.Close()
	}
}

// saying is a server that says something, and ends.
func saying(what string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, what) }
}

// TestStreamRefused: a stream that the server does not begin is a *Problem.
func TestStreamRefused(t *testing.T) {
	c := dial(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(429)
		io.WriteString(w, `{"title":"Too Many Requests","detail":"256 streams are open"}`)
	})
	var p *client.Problem
	_, err := c.StreamIntents(t.Context(), true)
	if !errors.As(err, &p) || p.Status != 429 || p.Detail != "256 streams are open" {
		t.Errorf("%v", err)
	}
}

// FuzzAnswers: no bytes of a server make the reader of answers panic, and it ends.
func FuzzAnswers(f *testing.F) {
	a := answer(5, "x")
	f.Add(a.AppendMessage(nil)[1:])
	f.Add([]byte("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x18\xff\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var got client.IntentAnswer
		if err := got.ParseMessage(b); err != nil {
			return
		}
		for _, s := range []string{got.Status, got.State} {
			if !slices.Contains(slices.Concat(intentpb.StatusNames, intentpb.StateNames), s) {
				t.Fatalf("%q of %x", s, b)
			}
		}
	})
}
