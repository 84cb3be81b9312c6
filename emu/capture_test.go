package emu

import (
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
)

// recording keeps what a capture sees.
type recording struct {
	mu    sync.Mutex
	ways  []CaptureKind
	bytes [][]byte
}

func (r *recording) see(at time.Time, way CaptureKind, b []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ways, r.bytes = append(r.ways, way), append(r.bytes, append([]byte(nil), b...))
}

func (r *recording) all() ([]CaptureKind, [][]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]CaptureKind(nil), r.ways...), append([][]byte(nil), r.bytes...)
}

func TestCapturePort(t *testing.T) {
	b := newBoss()
	n := joined(t, "linear:1,hosts=2", b, openflow.V13, nil)
	h1, h2, sw := n.Hosts()[0], n.Hosts()[1], n.Switches()[0]
	b.tell(t, b.of(t, 1), flood())
	var one, other recording
	stop, err := sw.Capture(h1.Spec().At.Port, one.see)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sw.Capture(h1.Spec().At.Port, other.see); err != nil {
		t.Fatal(err)
	}
	speak(h1, h2, 60)
	await(t, "there", func() bool { return stationOf(h2).count() == 1 })
	speak(h2, h1, 61)
	await(t, "and back", func() bool { return stationOf(h1).count() == 1 })
	stop()
	speak(h1, h2, 62)
	await(t, "there", func() bool { return stationOf(h2).count() == 2 })
	ways, frames := one.all()
	if len(ways) != 2 || ways[0] != Received || ways[1] != Sent || len(frames[0]) != 60 || len(frames[1]) != 61 {
		t.Errorf("captured %v %x", ways, frames)
	}
	if ways, _ := other.all(); len(ways) != 3 {
		t.Errorf("the other capture saw %v", ways)
	}
	if _, err := sw.Capture(99, one.see); err == nil {
		t.Error("a port that does not exist is captured")
	}
}

func TestCaptureControl(t *testing.T) {
	b := newBoss()
	n := joined(t, "linear:1", b, openflow.V13, nil)
	var r recording
	s := b.of(t, 1)
	stop, err := n.Switches()[0].Control().Capture(0, r.see)
	if err != nil {
		t.Fatal(err)
	}
	ask(t, s, &openflow.BarrierRequest{})
	await(t, "the answer is captured", func() bool { ways, _ := r.all(); return len(ways) > 1 }) // after it was written
	stop()
	ways, list := r.all()
	var from, to []byte
	for i, b := range list {
		if ways[i] == FromController {
			from = append(from, b...)
		} else {
			to = append(to, b...)
		}
	}
	for _, c := range []struct {
		bytes []byte
		want  openflow.Type
	}{{from, openflow.TypeBarrierRequest}, {to, openflow.TypeBarrierReply}} {
		if h, _, err := openflow.Parse(c.bytes); err != nil || h.Type != c.want {
			t.Errorf("captured %x (%v), want one %v", c.bytes, err, c.want)
		}
	}
	if _, err := n.Switches()[0].Control().Capture(1, r.see); err == nil {
		t.Error("a controller that does not exist is captured")
	}
}
