package wire

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/intent/spec"
)

// checkBatch checks what holds of every batch: each slot is a request or says why not, and requests
// are checked, and in their one form.
func checkBatch(t *testing.T, b *Batch) {
	t.Helper()
	n := 0
	for _, s := range b.Slots {
		if s.Request < 0 {
			if s.Reason == "" || spec.CheckID(s.ID) != nil {
				t.Fatalf("refused without a reason, or with an id that is none: %+v", s)
			}
			continue
		}
		if s.Request != n {
			t.Fatalf("slot of request %d, want %d", s.Request, n)
		}
		n++
		r := b.Requests[s.Request]
		if r.Op == intent.Withdraw {
			continue
		}
		if !r.Checked {
			t.Fatalf("%s is left to be checked by its receiver", &r.Spec)
		}
		again, err := spec.Parse(r.Spec.Append(nil))
		if err != nil || again.String() != r.Spec.String() {
			t.Fatalf("%s is read back as %s, %v", &r.Spec, &again, err)
		}
	}
	if n != len(b.Requests) {
		t.Fatalf("%d requests, and slots of %d", len(b.Requests), n)
	}
}

func FuzzLine(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 40 {
		q := randomRequest(r)
		line, _ := q.AppendJSON(nil)
		f.Add(line)
		f.Add([]byte(`{"items":[` + string(line) + `],"atomic":true}`))
	}
	for _, s := range []string{`{"id":"\ud83d"}`, "{\"id\":\"\xff\"}", `{"priority":1e3}`, `[[[[`,
		`{"a":{"b":[{}]}}`, `{"selector":{"ipv4_src":"1.2.3.4/\u0038"}}`} {
		f.Add([]byte(s))
	}
	j := NewJSON()
	f.Fuzz(func(t *testing.T, in []byte) {
		var b Batch
		j.Line(&b, in, string(in), 1)
		if len(b.Slots) != 1 {
			t.Fatalf("%d slots of one line", len(b.Slots))
		}
		checkBatch(t, &b)
		before := len(b.Slots)
		doc, err := j.Body(&b, in, intent.Create, "")
		if err == nil && doc.Single && len(b.Slots) != before+1 {
			t.Fatalf("%d slots of one intent", len(b.Slots)-before)
		}
		checkBatch(t, &b)
	})
}

func FuzzMessage(f *testing.F) {
	r := rand.New(rand.NewPCG(8, 8))
	for range 60 {
		q := randomRequest(r)
		m, _ := q.AppendMessage(nil)
		f.Add(m)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var b Batch
		text := string(in)
		items := 0
		for at := 0; at < len(in); items++ {
			m, n, err := Delimited(in[at:])
			if err != nil || n == 0 {
				break
			}
			if !bytes.HasSuffix(in[:at+n], m) {
				t.Fatal("a message that is not where it ends")
			}
			b.Message(m, text[at+n-len(m):at+n])
			at += n
		}
		if len(b.Slots) != items {
			t.Fatalf("%d slots of %d messages", len(b.Slots), items)
		}
		checkBatch(t, &b)
	})
}
