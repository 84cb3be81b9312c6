package client

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// TestReadEvents: the lines of a stream as the HTML standard reads them, and where it goes on.
func TestReadEvents(t *testing.T) {
	row := `{"dpid":"1","op":"put"}`
	for _, x := range []struct {
		name, stream string
		want         []Event
		after        string
	}{
		{"one", "id: r1\nevent: switch\ndata: " + row + "\n\n", []Event{{"r1", "switch", false, []byte(row)}}, "r1"},
		{"gone", "event: host\ndata: {\"op\":\"delete\"}\n\n", []Event{{"", "host", true, []byte(`{"op":"delete"}`)}}, ""},
		{"order of fields", "data: {}\nid: r1\nevent: x\n\n", []Event{{"r1", "x", false, []byte("{}")}}, "r1"},
		{"data in two lines", "event: x\ndata: {\"a\":\ndata: 1}\n\n", []Event{{"", "x", false, []byte(`{"a":1}`)}}, ""},
		{"no space", "event:x\ndata:{}\n\n", []Event{{"", "x", false, []byte("{}")}}, ""},
		{"two spaces", "event:  x\ndata: {}\n\n", []Event{{"", " x", false, []byte("{}")}}, ""},
		{"carriage returns", "event: x\r\ndata: {}\r\n\r\n", []Event{{"", "x", false, []byte("{}")}}, ""},
		{"comments", ": one\nevent: x\n: two\ndata: {}\n:\n\n", []Event{{"", "x", false, []byte("{}")}}, ""},
		{"other fields", "retry: 5\nnew: 1\nevent: x\ndata: {}\n\n", []Event{{"", "x", false, []byte("{}")}}, ""},
		{"position alone", "id: r4\n\n", nil, "r4"},
		{"no kind", "data: {}\n\n", nil, ""},
		{"no data", "event: x\n\n", nil, ""},
		{"cut off", "id: r1\n\nid: r2\nevent: x\ndata: {}\n", nil, "r1"},
		{"several", "id: r1\nevent: x\ndata: {}\n\n\n\nid: r2\nevent: y\ndata: {}\n\n",
			[]Event{{"r1", "x", false, []byte("{}")}, {"r2", "y", false, []byte("{}")}}, "r2"},
	} {
		var got []Event
		w := &Watch{}
		err := readEvents(iotest.OneByteReader(strings.NewReader(x.stream)), w, func(e Event) error {
			got = append(got, e)
			return nil
		})
		var broken *streamBroken
		if !errors.As(err, &broken) || !reflect.DeepEqual(got, x.want) || w.After != x.after {
			t.Errorf("%s: got %+v, after %q, %v\nwant %+v, after %q", x.name, got, w.After, err, x.want, x.after)
		}
	}
}

// TestBadEvents: data that is no JSON ends a watch, and is no reason to connect again; a line that
// is too long is.
func TestBadEvents(t *testing.T) {
	var broken *streamBroken
	err := readEvents(strings.NewReader("event: x\ndata: {\n\n"), &Watch{}, func(Event) error { return nil })
	if err == nil || errors.As(err, &broken) || !strings.Contains(err.Error(), `event "x"`) {
		t.Errorf("no JSON: %v", err)
	}
	long := io.MultiReader(strings.NewReader("data: "), io.LimitReader(endless{}, maxEvent))
	if err := readEvents(long, &Watch{}, nil); !errors.As(err, &broken) {
		t.Errorf("a line without end: %v", err)
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

// TestWatchGoesOnAfterARestart: another server at the address is asked for what came after the last
// event of the one before, again if it cannot say just now.
func TestWatchGoesOnAfterARestart(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	var asked []string
	serve := func(l net.Listener) *http.Server {
		srv := &http.Server{}
		srv.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.Header.Get("Last-Event-ID"))
			if len(asked) == 2 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			fmt.Fprintf(w, "id: r%d\nevent: x\ndata: {}\n\n", len(asked))
		})
		go srv.Serve(l)
		return srv
	}
	first := serve(l)
	c, err := New(Config{Address: address})
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	events := 0
	err = c.Watch(t.Context(), Watch{After: "r0"}, func(Event) error {
		if events++; events == 2 {
			return enough
		}
		first.Close()
		again, err := net.Listen("tcp", address)
		if err != nil {
			return err
		}
		second := serve(again)
		t.Cleanup(func() { second.Close() })
		return nil
	})
	if err != enough || strings.Join(asked, " ") != "r0 r1 r1" {
		t.Errorf("asked after %v: %v", asked, err)
	}
}
