package session

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session/pipe"
)

// mods are n encoded flow-mods.
func mods(t testing.TB, v openflow.Version, n int) (frames []byte) {
	for i := range n {
		var err error
		m := &openflow.FlowMod{Cookie: uint64(i), Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
			OutGroup: openflow.GroupAny}
		if frames, err = openflow.Append(frames, v, 0xdead, m); err != nil {
			t.Fatal(err)
		}
	}
	return frames
}

func TestSendFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, Config{MaxQueue: 64 << 10, EchoInterval: -1}, pipe.Options{})
		var xids []uint32
		d := &datapath{id: 1}
		d.flowMod = func(_ *Session, h openflow.Header, fm *openflow.FlowMod) {
			if fm.Cookie != uint64(len(xids)) {
				t.Errorf("flow-mod %d comes as number %d", fm.Cookie, len(xids))
			}
			xids = append(xids, h.XID)
		}
		_, ctl, _ := p.connect(d)
		frames := mods(t, openflow.V13, 3)
		given := bytes.Clone(frames)
		first, err := ctl.SendFrames(frames, 3)
		if err != nil || !bytes.Equal(frames, given) {
			t.Fatalf("%v, or the bytes were changed", err)
		}
		next, _ := ctl.Send(&openflow.EchoRequest{})
		if next != first+3 {
			t.Errorf("the next transaction id is %d after %d and 3 messages", next, first)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if fmt.Sprint(xids) != fmt.Sprint([]uint32{first, first + 1, first + 2}) || ctl.Stats().Out[openflow.TypeFlowMod] != 3 {
			t.Errorf("transaction ids %v from %d, %d counted", xids, first, ctl.Stats().Out[openflow.TypeFlowMod])
		}
		refusesFrames(t, ctl, given)
		p.close()
	})
}

// refusesFrames has a session refuse bytes that are not as said, and queue nothing of them.
func refusesFrames(t *testing.T, s *Session, good []byte) {
	for name, c := range map[string]struct {
		frames []byte
		count  int
		err    error
	}{
		"too few":         {good, 4, errFrames},
		"too many":        {good, 2, errFrames},
		"cut":             {good[:len(good)-1], 3, errFrames},
		"another version": {mods(t, openflow.V10, 1), 1, openflow.ErrVersion},
		"too much":        {bytes.Repeat(good, 1000), 3000, ErrFull},
	} {
		before := s.Stats()
		if _, err := s.SendFrames(c.frames, c.count); !errors.Is(err, c.err) {
			t.Errorf("%s: %v, want %v", name, err, c.err)
		}
		if after := s.Stats(); after.Queue != before.Queue || after.Out != before.Out {
			t.Errorf("%s: something was queued", name)
		}
	}
}

// TestAppendFramesBudget holds the queue to no allocations when its buffer is large enough.
func TestAppendFramesBudget(t *testing.T) {
	need.NoRace(t)
	q := &output{version: openflow.V13, max: 1 << 20}
	frames := mods(t, openflow.V13, 100)
	if n := testing.AllocsPerRun(100, func() {
		if err := q.appendFrames(frames, 1, 100); err != nil {
			t.Fatal(err)
		}
		q.buf = q.buf[:0]
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkAppendFrames(b *testing.B) {
	q := &output{version: openflow.V13, max: 1 << 20}
	frames := mods(b, openflow.V13, 1000)
	for b.Loop() {
		_ = q.appendFrames(frames, 1, 1000)
		q.buf = q.buf[:0]
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/message")
}
