package attach

import "testing"

// ledger is a port that counts what its device loses.
type ledger struct{ lost int }

func (*ledger) Send([][]byte) {}
func (*ledger) Plug(bool)     {}
func (l *ledger) Lost(n int)  { l.lost += n }

// TestCableTellsWhatIsLost has a cable given more frames than its queue takes.
func TestCableTellsWhatIsLost(t *testing.T) {
	l := &ledger{}
	c := NewCable(nil)
	c.port = l
	for range maxQueued + 3 {
		c.Deliver(make([]byte, 60))
	}
	if l.lost != 3 || c.Counters().Lost != 3 {
		t.Errorf("the port was told of %d, the cable counts %d, want 3", l.lost, c.Counters().Lost)
	}
}
