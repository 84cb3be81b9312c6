package wire

import (
	"bytes"
	"testing"
	"time"
)

// checked is a message that a side checks when it has come.
type checked interface{ Check() error }

// FuzzRead reads anything as each message. What is read and found right is written, and read again as it was.
func FuzzRead(f *testing.F) {
	for _, m := range []any{&answer, &Hello{Version, make([]byte, NonceLen)}, &Proof{Version: Version, Error: &Error{Why: "no"}},
		&Question{Do: Own, VLAN: 7, MTU: 1500, Sizes: []int{56, 0}, Count: 3, Interval: time.Millisecond},
		&Answer{Shares: []Share{{Paths: []time.Duration{1, 2}}, {Error: &Error{Why: "a", Seen: "b", Want: "c", Do: "d"}}}}} {
		var b bytes.Buffer
		if err := Write(&b, m); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add([]byte("\x00\x00\x00\x05null!"))
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, message := range []func() checked{
			func() checked { return new(Hello) }, func() checked { return new(Proof) },
			func() checked { return new(Question) }, func() checked { return new(Answer) },
		} {
			m := message()
			if err := Read(bytes.NewReader(in), Short, m); err != nil || m.Check() != nil {
				continue
			}
			var once, twice bytes.Buffer
			if err := Write(&once, m); err != nil {
				t.Fatalf("%+v was read, and is not written: %v", m, err)
			}
			again := message()
			if err := Read(bytes.NewReader(once.Bytes()), Long, again); err != nil {
				t.Fatalf("%q was written, and is not read: %v", once.Bytes(), err)
			}
			if err := again.Check(); err != nil {
				t.Fatalf("%q was written, and is refused: %v", once.Bytes(), err)
			}
			if err := Write(&twice, again); err != nil || !bytes.Equal(once.Bytes(), twice.Bytes()) {
				t.Fatalf("%q came back as %q, %v", once.Bytes(), twice.Bytes(), err)
			}
			if a, ok := m.(*Answer); ok && (a.Error.Err() == nil) != (a.Error == nil) {
				t.Fatalf("%+v: error %v", a.Error, a.Error.Err())
			}
		}
	})
}
