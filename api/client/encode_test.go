package client

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/weirnet/weir/internal/need"
)

// FuzzAppendJSON: a request is written as encoding/json writes it, whatever its strings are.
func FuzzAppendJSON(f *testing.F) {
	f.Add("a", "host-to-host", "00:00:00:00:00:01", "1", "tcp_dst", uint32(2), uint8(0))
	f.Add("\"\\\x00\x7f", "é\xff", "", "two\nlines", "<&>\u2028", uint32(1<<32-1), uint8(255))
	f.Fuzz(func(t *testing.T, id, kind, host, dpid, field string, port uint32, parts uint8) {
		r := IntentRequest{ID: id, Kind: kind, Op: field, IfMatch: host, Key: dpid, Wide: parts&1 > 0}
		if parts&2 > 0 {
			p := uint16(port)
			r.Priority = &p
		}
		if parts&4 > 0 {
			r.Src = HostEnd(host)
		} else if parts&8 > 0 {
			r.Src = PointEnds(Point{dpid, port})
		}
		if parts&16 > 0 {
			r.Dst = PointEnds(Point{dpid, port}, Point{id, port})
		}
		if parts&32 > 0 {
			r.Hops = []IntentHop{{dpid, port, 1}, {id, 0, port}}
		}
		if parts&64 > 0 {
			r.Selector = Selector{field: host}
		}
		own, err := r.AppendJSON([]byte("before"))
		if err != nil || !strings.HasPrefix(string(own), "before{") {
			t.Fatalf("%s: %v", own, err)
		}
		std, err := json.Marshal(&r)
		if err != nil {
			t.Fatal(err)
		}
		var got, want any
		if err := json.Unmarshal(own[len("before"):], &got); err != nil {
			t.Fatalf("%s: %v", own, err)
		}
		if err := json.Unmarshal(std, &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\nencoding/json: %s", own, std)
		}
	})
}

// TestRequestBudget: requests are written, and answers read, without allocations but for the text of
// an answer.
func TestRequestBudget(t *testing.T) {
	need.NoRace(t)
	r := request
	buf := make([]byte, 0, 4096)
	for form, write := range map[string]func([]byte) ([]byte, error){"JSON": r.AppendJSON, "protobuf": r.AppendMessage} {
		if n := testing.AllocsPerRun(100, func() {
			var err error
			if buf, err = write(buf[:0]); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%s: %v allocations", form, n)
		}
	}
	s := &IntentStream{}
	var a IntentAnswer
	message := []byte("\x08\x05\x18\x01\x20\x01\x3a\x03e.7") // index, status, state, revision
	if n := testing.AllocsPerRun(100, func() {
		if err := a.parse(message, &s.names); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("an answer: %v allocations", n)
	}
	if a.Index != 5 || a.Status != "accepted" || a.State != "submitted" || a.Revision != "e.7" {
		t.Errorf("%+v", a)
	}
}
