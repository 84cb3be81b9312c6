package node_test

import (
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
)

// often has switches asked for their counters as often as can be.
func often(c *node.Config) {
	c.Stats.PortPeriod, c.Stats.TablePeriod, c.Stats.FlowPeriod = time.Second, time.Second, time.Second
}

// What switches count shows at the API, of every version; the firm rules' counters only where they
// can be asked for apart.
func TestTheAPIShowsWhatSwitchesCount(t *testing.T) {
	versions(t, func(t *testing.T, v openflow.Version) {
		i := start(t, often)
		n := i.emulate("linear:2", v)
		i.converse(n)
		first := dpid(1)
		i.await("counters", func() bool {
			ports := must[client.Page[client.PortCounters]](i)(i.api.Ports(t.Context(), first)).Items
			sums := must[client.SwitchCounters](i)(i.api.Counters(t.Context(), first))
			for _, p := range ports {
				if p.AsOf == nil || p.RxPackets == nil || *p.RxPackets+*p.TxPackets == 0 || p.RxBytesRate == nil {
					return false
				}
			}
			for _, name := range []string{"weir_port_receive_bytes_total",
				"weir_switch_ports_transmit_packets_total", "weir_port_transmit_errors_total"} {
				if len(i.metrics()[name].GetMetric()) == 0 {
					return false
				}
			}
			return len(ports) == 2 && sums.FlowEntries != nil && int(*sums.FlowEntries) == n.Switches[0].Entries()
		})
		i.await("tables", func() bool {
			entries := 0
			for _, table := range must[client.Page[client.TableCounters]](i)(i.api.Tables(t.Context(), first)).Items {
				entries += int(table.Entries)
			}
			return entries == n.Switches[0].Entries()
		})
		i.await("firm rules' counters", func() bool {
			known, firm := 0, 0
			for _, f := range i.flows(first) {
				if f.Packets != nil && f.Bytes != nil && f.AsOf != nil {
					known++
				}
				if !f.Soft {
					firm++
				}
			}
			if v == openflow.V10 {
				return known == 0
			}
			return known == firm
		})
	})
}

// One counters' copy for everybody: however often it is read, the switch is not asked more often.
func TestReadingCountersAsksNobody(t *testing.T) {
	i := start(t, func(c *node.Config) {
		c.Stats.PortPeriod, c.Stats.TablePeriod, c.Stats.FlowPeriod = time.Hour, -1, -1
	})
	n := i.emulate("linear:2", openflow.V13)
	asked := func() uint64 { return n.Switches[0].Session().Stats().In[openflow.TypeMultipartRequest] }
	before := asked()
	for range 50 {
		must[client.Page[client.PortCounters]](i)(i.api.Ports(t.Context(), dpid(1)))
		i.metrics()
	}
	if n := asked() - before; n > 10 { // flowsync's, at its own pace; one for each reading would be 50 or more
		t.Errorf("a switch was asked %d times", n)
	}
}

// With more ports than may be shown each, metrics show switches only, and say so.
func TestTooManyPortsAreLeftOutOfTheMetrics(t *testing.T) {
	i := start(t, often, func(c *node.Config) { c.PortSeries = 3 })
	i.emulate("linear:2", openflow.V13)
	i.await("counters of both switches", func() bool {
		all := i.metrics()
		return i.value(all, "weir_port_series_left_out") == 4 &&
			len(all["weir_switch_ports_receive_bytes_total"].GetMetric()) == 2
	})
	if n := len(i.metrics()["weir_port_receive_bytes_total"].GetMetric()); n != 0 {
		t.Errorf("%d ports are shown", n)
	}
}
