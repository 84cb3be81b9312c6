package emu

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// pathFrames are the flow-mods that add, or remove strictly, the rules of so many paths, encoded.
func pathFrames(b testing.TB, from, count int, command openflow.FlowModCommand) (frames []byte) {
	for i := from; i < from+count; i++ {
		var m openflow.Match
		m.SetUint(openflow.FieldInPort, uint64(1+i%4))
		m.SetUint(openflow.FieldEthType, 0x0800)
		m.SetUint(openflow.FieldIPv4Src, uint64(uint32(i)|10<<24))
		m.SetUint(openflow.FieldIPv4Dst, uint64(uint32(i)*7|11<<24))
		f := addFlow(20100, m, openflow.Apply(openflow.Output(uint32(2+i%3))))
		f.Command, f.Cookie, f.Flags = command, uint64(i)<<16, openflow.FlagSendFlowRemoved
		var err error
		if frames, err = openflow.Append(frames, openflow.V13, 0, f); err != nil {
			b.Fatal(err)
		}
	}
	return frames
}

// BenchmarkFlowMods is what a flow-mod costs both ends of a session together, without making it: a
// switch that holds 30,000 rules of paths is sent 1,000 more and their strict deletions, which it
// tells of, in batches of 100 with a barrier each.
func BenchmarkFlowMods(b *testing.B) {
	const rules, more, each = 30_000, 1000, 100
	ctl := newBoss()
	cfg := Config{Topology: parse(b, "ring:3"), Versions: []openflow.Version{openflow.V13},
		Controllers: []string{"c"}, Silent: true,
		Dial: dialTo(map[string]*control{"c": serve(b, ctl, session.Config{})})}
	n := start(b, cfg)
	s := ctl.of(b, n.Switches()[0].DatapathID())
	send := func(frames []byte, count int) {
		if _, err := s.SendFrames(frames, count); err != nil {
			b.Fatal(err)
		}
		done := make(chan error, 1)
		if err := s.Barrier(func(err error) { done <- err }); err != nil {
			b.Fatal(err)
		}
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
	for i := 0; i < rules; i += 1000 {
		send(pathFrames(b, i, 1000, openflow.FlowAdd), 1000)
	}
	var frames [][]byte
	for _, command := range []openflow.FlowModCommand{openflow.FlowAdd, openflow.FlowDeleteStrict} {
		for i := 0; i < more; i += each {
			frames = append(frames, pathFrames(b, rules+i, each, command))
		}
	}
	b.ReportAllocs()
	began := processorTime()
	for b.Loop() {
		for _, f := range frames {
			send(f, each)
		}
	}
	b.ReportMetric(float64(processorTime()-began)/float64(b.N)/(2*more), "cpu-ns/flow-mod")
}

// processorTime is what this process has had of the processors.
func processorTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
