package etcd

import (
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
)

// disk of a test: probes that take so long, with the ticks of a process that runs so late.
type probes struct {
	s   slowness
	now time.Time
}

// tick lets time go on, with ticks that come late by so much.
func (p *probes) tick(d, late time.Duration) {
	for end := p.now.Add(d); p.now.Before(end); {
		due := p.now.Add(tickEvery)
		if p.now = due.Add(late); p.now.After(end) {
			p.now = end
		}
		p.s.tick(p.now, due)
	}
}

// probe makes a probe that takes so long, and waits for the next one.
func (p *probes) probe(took, late time.Duration) {
	p.s.begin(p.now)
	p.tick(took, late)
	p.s.end(p.now)
	p.tick(probeEvery, late)
}

const ms = time.Millisecond

// TestSlowness: a disk is slow when it takes too long again and again, or does not answer; not because of one probe, nor because
// of a process that runs late; and it is well again after a while, which is longer each time.
func TestSlowness(t *testing.T) {
	for _, c := range []struct {
		name   string
		probes []time.Duration
		late   time.Duration
		want   string
	}{
		{"a quick disk", []time.Duration{ms, 2 * ms, 150 * ms, 190 * ms, 190 * ms, 190 * ms}, 0, ""},
		{"two in five", []time.Duration{900 * ms, ms, ms, 300 * ms, ms, ms, ms, 300 * ms, ms, 300 * ms, ms}, 0, ""},
		{"three in five", []time.Duration{ms, 250 * ms, ms, 350 * ms, 450 * ms}, 0,
			"3 of the last 5 synchronisations took 250 ms or more, up to 450, and 200 are the limit"},
		{"one that takes long", []time.Duration{1300 * ms}, 0, "a synchronisation has not ended for 1 s"},
		{"a busy machine", []time.Duration{500 * ms, 500 * ms, 500 * ms, 500 * ms, 500 * ms}, 400 * ms, ""},
		{"a busy machine with a slow disk", []time.Duration{900 * ms, 900 * ms, 900 * ms}, 400 * ms, "3 of the last"},
	} {
		p := probes{now: time.Unix(1e9, 0)}
		p.tick(time.Second, c.late)
		for _, d := range c.probes {
			p.probe(d, c.late)
		}
		if got := p.s.why(); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestAloneIsNotSlow holds that a member whose disk was slow is not called so any more when the others were removed: its disk
// is not probed then, and harms nobody else.
func TestAloneIsNotSlow(t *testing.T) {
	a := mustStart(t, "a", t.TempDir(), "127.0.0.1:0")
	b := mustStart(t, "b", t.TempDir(), "127.0.0.1:0", a.address)
	probes := func() int {
		s := &a.member.disk.sync
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.last)
	}
	need.Await(t, "its disk to be probed", func() bool { return probes() > 0 })
	s := &a.member.disk.sync
	s.mu.Lock()
	s.slow(time.Now(), "a synchronisation has not ended for 3 s")
	s.mu.Unlock()
	if d := a.Cluster().Disk(); d.State() != "disk slow" {
		t.Fatalf("the disk is %q", d.State())
	}
	if err := a.Cluster().Remove(t.Context(), b.member.server.MemberID().String()); err != nil {
		t.Fatal(err)
	}
	need.Await(t, "it not to be called slow", func() bool { d := a.Cluster().Disk(); return d.Fit() })
	if n := probes(); n != 0 {
		t.Errorf("%d probes of then are kept", n)
	}
}

// TestWellAgain: a disk that was slow is well after so many quick probes, and after twice as many when it was slow again
// soon; a probe that hangs is told while it does.
func TestWellAgain(t *testing.T) {
	p := probes{now: time.Unix(1e9, 0)}
	wells := func() (n int) {
		for ; p.s.why() != "" && n < 1000; n++ {
			p.probe(ms, 0)
		}
		return n
	}
	for _, want := range []int{probesWell, 2 * probesWell, 4 * probesWell, 8 * probesWell, 16 * probesWell, probesMost} {
		p.s.begin(p.now)
		p.tick(30*time.Second, 0)
		if got := p.s.why(); !strings.Contains(got, "has not ended for 30 s") {
			t.Errorf("while it hangs: %q", got)
		}
		p.s.end(p.now)
		if got := wells(); got != want {
			t.Errorf("well after %d probes, want %d", got, want)
		}
	}
	p.tick(relapse, 0)
	p.probe(2*time.Second, 0)
	if got := wells(); got != probesWell {
		t.Errorf("after a long time: well after %d probes, want %d", got, probesWell)
	}
	for range probesSlow {
		p.probe(300*ms, 0)
	}
	for range 1000 { // half of the limit is well, more is not
		p.probe(slowSync/2+ms, 0)
	}
	if p.s.why() == "" {
		t.Error("a disk that was slow, and nearly is, is called well")
	}
}
