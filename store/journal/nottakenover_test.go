package journal

import (
	"context"
	"errors"
	"testing"

	"github.com/weirnet/weir/store"
)

// TestOpenedWhileFull: a writer that opened while the store was full acknowledges nothing when
// another one, or a late attempt of its own, has taken the journal meanwhile: the row may then be
// as its own transaction would have made it.
func TestOpenedWhileFull(t *testing.T) {
	for _, who := range []string{"another", "itself", "nobody", "nobody, and the first answer is lost"} {
		t.Run(who, func(t *testing.T) {
			st := store.NewMemory(nil)
			txns := []store.Fault{store.Full}
			if who == "itself" {
				txns = []store.Fault{store.UnknownLate, store.Full}
			}
			st.Inject(func(c store.Call) store.Fault {
				if c.Name != "Txn" || len(txns) == 0 {
					return store.None
				}
				fault := txns[0]
				txns = txns[1:]
				return fault
			})
			open := func() *Journal {
				j, err := Open(context.Background(), st, Config{Prefix: "x/"})
				if err != nil {
					t.Fatal(err)
				}
				return j
			}
			j := open()
			wantLost := true
			switch who {
			case "another":
				open()
			case "itself":
				st.Settle()
			case "nobody, and the first answer is lost":
				txns = []store.Fault{store.UnknownDone}
				fallthrough
			default:
				wantLost = false
			}
			told, times := error(nil), 0
			if err := j.Append([]Record{{Number: 1, Data: []byte{1}}},
				func(_ store.Revision, err error) { told, times = err, times+1 }); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				j.Turn(context.Background())
			}
			if times != 1 || errors.Is(told, ErrDeposed) != wantLost || !wantLost && told != nil {
				t.Errorf("told %d times: %v, want ErrDeposed: %v", times, told, wantLost)
			}
			kept := 0
			again := open()
			if err := again.Load(context.Background(), func(Record) error { kept++; return nil }); err != nil {
				t.Fatal(err)
			}
			if kept != 0 == wantLost {
				t.Errorf("%d records kept", kept)
			}
		})
	}
}
