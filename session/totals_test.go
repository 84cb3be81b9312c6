package session

import (
	"testing"
	"testing/synctest"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session/pipe"
)

// TestTotals: what a session counted stays counted when it has ended, once; who was refused is
// counted by reason, and no session of it.
func TestTotals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, Config{}, pipe.Options{})
		_, first, _ := p.connect(&datapath{id: 1})
		_, second, _ := p.connect(&datapath{id: 2})
		other, _, _ := p.connect(&datapath{id: 2})
		<-other.Done()
		check := func(when string, sessions int) {
			t.Helper()
			total := p.server.Totals()
			if n := total.In[openflow.TypeFeaturesReply]; n != 2 {
				t.Errorf("%s: %d features replies of switches that were connected, want 2", when, n)
			}
			if got, want := total.InBytes, first.Stats().InBytes+second.Stats().InBytes; got != want {
				t.Errorf("%s: %d bytes, want %d", when, got, want)
			}
			if n := len(p.server.Sessions()); n != sessions {
				t.Errorf("%s: %d sessions, want %d", when, n, sessions)
			}
			if n := total.Connections["datapath_in_use"]; n != 1 || len(total.Connections) != 1 {
				t.Errorf("%s: refused: %v, want one of a datapath id in use", when, total.Connections)
			}
		}
		check("both live", 2)
		first.Close(nil)
		<-first.Done()
		check("one has ended", 1)
		p.close()
		check("none lives", 0)
	})
}
