package intents

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/api/rest"
)

// TestAnsweredInTurn: a batch of a stream is late when the store has said nothing for
// Limits.StoreAnswer, and not when it has answered one before it meanwhile.
func TestAnsweredInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &stream{limits: rest.Limits{StoreAnswer: 5 * time.Second}}
		var list []*inflightBatch
		for n := range time.Duration(4) {
			f := &inflightBatch{sent: time.Now(), done: make(chan struct{}, 1)}
			list = append(list, f)
			if n < 3 { // of the last the store never says anything
				time.AfterFunc((n+1)*3*time.Second, func() { f.done <- struct{}{} })
			}
		}
		for n, f := range list {
			if got := st.answered(f); got != (n < 3) {
				t.Errorf("batch %d is answered in time: %t", n+1, got)
			}
		}
		if took := time.Since(list[0].sent); took != 14*time.Second {
			t.Errorf("the last is given up after %v, want 5 s after the one before it was answered", took)
		}
	})
}
