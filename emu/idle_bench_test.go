package emu

import (
	"syscall"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// BenchmarkIdle measures what 10,000 idle switches cost, each with ten entries with time-outs and a
// session with a controller in this process, whose share is in it: per cent of one processor. One
// iteration is a second.
func BenchmarkIdle(b *testing.B) {
	ctl := newBoss()
	cfg := Config{Topology: parse(b, "linear:10000"), Versions: []openflow.Version{openflow.V13},
		Controllers: []string{"c"}, Silent: true,
		Dial: dialTo(map[string]*control{"c": serve(b, ctl, session.Config{MaxHalfOpen: 10000, MaxHalfOpenSource: 10000})})}
	n := start(b, cfg)
	for _, sw := range n.Switches() {
		s := ctl.of(b, sw.DatapathID())
		for i := range 10 {
			m := forward(uint32(i+1), 1).(*openflow.FlowMod)
			m.IdleTimeout = 600
			if _, err := s.Send(m); err != nil {
				b.Fatal(err)
			}
		}
		ask(b, s, &openflow.BarrierRequest{})
	}
	size := memory()
	time.Sleep(time.Second)
	b.ResetTimer()
	begin, from := processor(b), time.Now()
	for range b.N {
		time.Sleep(time.Second)
	}
	b.ReportMetric(100*float64(processor(b)-begin)/float64(time.Since(from)), "cpu%")
	b.ReportMetric(float64(size)/10000/1000, "KB/switch")
}

// processor is the time that the process has had of the processors.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
