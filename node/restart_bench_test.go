package node_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
)

// BenchmarkRestart starts an instance anew on the data of one that ran a network, and tells how
// long it takes, from before its start, until all switches have connected and been compared with
// what is desired of them, until all links are confirmed too, and how many flow-mods were sent
// meanwhile. The switches connect as soon as the instance listens.
func BenchmarkRestart(b *testing.B) {
	for _, switches := range []int{100, 1000} {
		b.Run(fmt.Sprintf("switches=%d", switches), func(b *testing.B) { restart(b, switches) })
	}
}

func restart(b *testing.B, switches int) {
	quiet := func(c *node.Config) { c.Log, c.Discovery.LLDPPeriod = nil, node.Defaults().Discovery.LLDPPeriod }
	first := start(b, quiet)
	top, err := loadswitch.ParseTopology(fmt.Sprintf("wan:%d", switches), 1)
	if err != nil {
		b.Fatal(err)
	}
	n := loadswitch.New(top, loadswitch.Config{Version: openflow.V13, Hosts: 1, Tap: func(sw *loadswitch.Switch) loadswitch.Tap {
		return tap{sw.DatapathID(), first.journal}
	}})
	compared := func(i *instance) bool {
		return i.metric("weir_flowsync_switches", "state", "compared") == float64(switches)
	}
	if err := n.Connect(b.Context(), first.at.OpenFlow); err != nil {
		b.Fatal(err)
	}
	first.await("the network", func() bool { return compared(first) && first.settled(switches) })
	links, data := first.linksUp(), first.cfg.DataDir
	if err := first.stop(); err != nil {
		b.Fatal(err)
	}
	var tables, all time.Duration
	mark := first.journal.mark()
	for b.Loop() {
		for n.Disconnected() < switches {
			time.Sleep(time.Millisecond)
		}
		began := time.Now()
		next := start(b, quiet, func(c *node.Config) { c.DataDir = data })
		if err := n.Connect(b.Context(), next.at.OpenFlow); err != nil {
			b.Fatal(err)
		}
		next.await("tables", func() bool { return compared(next) })
		tables += time.Since(began)
		next.await("links", func() bool { return next.linksUp() == links })
		all += time.Since(began)
		if err := next.stop(); err != nil {
			b.Fatal(err)
		}
	}
	b.Cleanup(func() { _ = n.Close(context.Background()) }) // before the instances look for what they left
	b.ReportMetric(float64(tables.Milliseconds())/float64(b.N), "compared-ms")
	b.ReportMetric(float64(all.Milliseconds())/float64(b.N), "links-ms")
	b.ReportMetric(float64(len(first.journal.since(mark, isFlowMod)))/float64(b.N), "flow-mods")
	b.ReportMetric(0, "ns/op")
}
