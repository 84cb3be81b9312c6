package warmstart

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/netview"
)

// TestWriteNow: when it returns the file has what the view shows, also where that is nothing and
// nothing was written before.
func TestWriteNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		view := netview.New(netview.Limits{})
		var file []byte
		var fails error
		r := NewTo(func(b []byte) error { file = bytes.Clone(b); return fails }, time.Now, view, nil, nil)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { r.Run(ctx); close(ended) }()
		known := func(want int) {
			t.Helper()
			file = nil
			if err := r.WriteNow(t.Context()); err != nil {
				t.Fatal(err)
			}
			if facts, err := Parse(file); err != nil || len(facts.Switches) != want {
				t.Errorf("%d switches in the file, want %d: %v", len(facts.Switches), want, err)
			}
		}
		known(0)
		facts := view.Facts()
		facts.Update(func(tx *netview.FactsTx) { tx.PutSwitch(&netview.Switch{DPID: 1}) })
		known(1)
		facts.Update(func(tx *netview.FactsTx) { tx.DeleteSwitch(1) })
		known(0)
		fails = errors.New("no space left")
		if err := r.WriteNow(t.Context()); !errors.Is(err, fails) {
			t.Errorf("a write that fails: %v", err)
		}
		stop()
		<-ended
		if err := r.WriteNow(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("after the end: %v", err)
		}
	})
}
