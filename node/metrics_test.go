package node_test

import (
	"fmt"
	"slices"
	"testing"

	dto "github.com/prometheus/client_model/go"

	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
)

// The metrics are what happened: as many messages as the switches got and sent, as many rows as
// there are.
func TestMetricsCountWhatHappens(t *testing.T) {
	i := start(t)
	n := i.emulate("linear:3", openflow.V13)
	i.converse(n)
	middle := n.Switches[1]
	all := i.metrics()
	got := func(name string, labels ...string) float64 { t.Helper(); return i.value(all, "weir_"+name, labels...) }
	flowMods := float64(len(i.journal.since(0, isFlowMod)))
	for what, pair := range map[string][2]float64{
		"hellos":         {got("openflow_messages_total", "direction", "in", "type", "hello"), 3},
		"flow-mods":      {got("openflow_messages_total", "direction", "out", "type", "flow_mod"), flowMods},
		"packet-ins":     {got("forward_total", "kind", "packet_ins"), 4},
		"pairs":          {got("forward_total", "kind", "pairs"), 1},
		"released":       {got("forward_total", "kind", "released"), 1},
		"unsent":         {got("forward_total", "kind", "unsent"), 0},
		"switches":       {got("view_rows", "table", "switches"), 3},
		"links":          {got("view_rows", "table", "links"), 4},
		"hosts":          {got("view_rows", "table", "hosts"), 3},
		"rules":          {got("flowsync_rules", "state", "installed"), float64(i.firm())},
		"pending":        {got("flowsync_rules", "state", "pending"), 0},
		"failed":         {got("flowsync_rules", "state", "failed"), 0},
		"learned":        {got("discovery_total", "kind", "hosts_learned"), 3},
		"decode errors":  {got("openflow_decode_errors_total"), 0},
		"queue overflow": {got("openflow_dropped_total", "reason", "queue_full"), 0},
		"refused":        {got("openflow_refused_connections_total", "reason", "shed"), 0},
		"its queue":      {got("switch_queue_bytes", "dpid", dpid(2)), 0},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: %v, want %v", what, pair[0], pair[1])
		}
	}
	if heard, sent := got("discovery_total", "kind", "probes_heard"),
		got("discovery_total", "kind", "probes_sent"); heard < 8 || sent < heard {
		t.Errorf("%v probes sent, %v heard", sent, heard)
	}
	if in := got("openflow_bytes_total", "direction", "in"); in < 1000 {
		t.Errorf("%v bytes", in)
	}
	checkTypes(t, all)

	// What a session counted stays counted when it is gone, and its gauges go.
	mark := got("openflow_messages_total", "direction", "in", "type", "packet_in")
	middle.Session().Close(nil)
	i.await("the loss", func() bool { return i.connected() == 2 })
	all = i.metrics()
	if now := got("openflow_messages_total", "direction", "in", "type", "packet_in"); now < mark {
		t.Errorf("%v packet-ins after a switch went, %v before", now, mark)
	}
	if n := len(all["weir_switch_queue_bytes"].GetMetric()); n != 2 {
		t.Errorf("%d switches have a queue, want 2", n)
	}
}

// firm is how many firm rules are desired.
func (i *instance) firm() int {
	n := 0
	for _, f := range i.flows("") {
		if !f.Soft {
			n++
		}
	}
	return n
}

// checkTypes wants the counters to be named as such, every one explained, and the API's and the
// process's metrics among them.
func checkTypes(t *testing.T, all map[string]*dto.MetricFamily) {
	t.Helper()
	for name, f := range all {
		counter := f.GetType() == dto.MetricType_COUNTER
		if len(name) > 6 && name[:5] == "weir_" && counter != (name[len(name)-6:] == "_total") {
			t.Errorf("%s is a %s", name, f.GetType())
		}
		if f.GetHelp() == "" {
			t.Errorf("%s has no explanation", name)
		}
	}
	for _, name := range []string{"go_goroutines", "process_resident_memory_bytes"} {
		if all[name] == nil {
			t.Errorf("no metric %s", name)
		}
	}
}

// Without forwarding, Weir still finds the network and its paths, and installs nothing but what
// discovery needs.
func TestWithoutForwarding(t *testing.T) {
	i := start(t, func(c *node.Config) { c.Apps.Disable = []string{"forward"} })
	a, b := i.switchOn(1, openflow.V13, 2), i.switchOn(2, openflow.V13, 2)
	join(a, 1, b, 1)
	a.serve()
	b.serve()
	i.await("the network", func() bool { return i.linksUp() == 2 && i.edges() == 2 })
	a.send(packetIn(2, announcement(good, 1)))
	i.await("the host", func() bool { return len(i.hosts()) == 1 })
	a.send(packetIn(2, udp(stranger, good)))
	a.ping()
	i.await("a path", func() bool {
		p, err := i.api.Paths(t.Context(), dpid(1), dpid(2), 1, "")
		return err == nil && len(p.Items) == 1 && len(p.Items[0].Hops) == 2
	})
	apps, err := i.api.Apps(t.Context())
	var disabled []string // the tree was a part of forwarding
	if err == nil {
		for _, a := range apps.Items {
			if a.State == "disabled" && !a.Enabled {
				disabled = append(disabled, a.Name)
			}
		}
	}
	if err != nil || len(apps.Items) != 6 || !slices.Equal(disabled, []string{"broadcast", "forward"}) {
		t.Errorf("applications are %+v, %v", apps, err)
	}
	for _, f := range i.flows("") {
		if kind := fmt.Sprintf("%016x", uint64(f.Cookie))[3]; kind != '0' {
			t.Errorf("rule %+v, want only infrastructure", f)
		}
	}
	if got := i.journal.since(0, isData); len(got) != 0 {
		t.Errorf("packets were sent: %v", texts(got))
	}
}

// Without broadcast there are pairs, and neither a tree nor floods.
func TestWithoutBroadcast(t *testing.T) {
	i := start(t, func(c *node.Config) { c.Apps.Disable = []string{"broadcast"} })
	a, b := i.switchOn(1, openflow.V13, 2), i.switchOn(2, openflow.V13, 2)
	join(a, 1, b, 1)
	a.serve()
	b.serve()
	i.await("the network", func() bool { return i.linksUp() == 2 && i.edges() == 2 })
	a.send(packetIn(2, udp(good, stranger))) // nobody knows where to
	a.ping()
	if n := i.metric("weir_forward_total", "kind", "no_path"); n != 1 {
		t.Errorf("%v packets without a path, want that to an unknown host", n)
	}
	b.send(packetIn(2, announcement(stranger, 2)))
	i.await("both hosts", func() bool { return len(i.hosts()) == 2 })
	a.send(packetIn(2, udp(good, stranger)))
	i.await("the pair", func() bool { return i.metric("weir_forward_total", "kind", "pairs") == 1 })
	for _, f := range i.flows("") {
		if kind := fmt.Sprintf("%016x", uint64(f.Cookie))[3]; kind != '0' && kind != '2' {
			t.Errorf("rule %+v, want only infrastructure and pairs", f)
		}
	}
}
