package metrics

import (
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/stats"
)

// BenchmarkScrape gathers the metrics of 1,000 switches of 48 ports, with each port shown and
// without.
func BenchmarkScrape(b *testing.B) {
	view := netview.New(netview.Limits{})
	board := make(map[netview.DPID]*stats.Switch)
	view.Facts().Update(func(tx *netview.FactsTx) {
		for d := range netview.DPID(1000) {
			tx.PutSwitch(&netview.Switch{DPID: d, State: netview.SwitchReady, Connected: true})
			s := &stats.Switch{DPID: d, Ports: &stats.Ports{AsOf: time.Unix(0, 0)},
				Tables: &stats.Tables{List: []stats.Table{{}, {Number: 1}, {Number: 2}}}}
			for n := range uint32(48) {
				s.Ports.List = append(s.Ports.List, stats.Port{Number: n + 1})
			}
			board[d] = s
		}
	})
	for _, series := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint("series=", series), func(b *testing.B) {
			r := prometheus.NewRegistry()
			r.MustRegister(&switchCounters{view: view, read: func(d netview.DPID) *stats.Switch { return board[d] },
				counts: new(stats.Counts), series: series})
			b.ReportAllocs()
			for b.Loop() {
				families, err := r.Gather()
				if err != nil || len(families) == 0 {
					b.Fatal(err)
				}
			}
		})
	}
}
