package control

import (
	"context"
	"testing"
	"time"

	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/internal/need"
)

// TestFlowsSettle holds when nothing more is to be expected of a flow that ended at 10 s.
func TestFlowsSettle(t *testing.T) {
	const s = time.Second
	flow := host.FlowReport{Sent: 10, Issued: 10, Ended: 10 * s, Done: true}
	echo, waiting, unsent := flow, flow, flow
	echo.DstPort = host.EchoPort
	waiting.Sent = 9
	unsent.Sent, unsent.Unsent = 0, 10
	some := &host.SinkReport{Received: 9, Last: 10 * s, Latency: host.Summary{Max: s / 2}}
	all := &host.SinkReport{Received: 10, Last: 10 * s}
	for _, c := range []struct {
		name string
		f    host.FlowReport
		s    *host.SinkReport
		now  time.Duration
		want bool
	}{
		{"nothing has arrived", flow, nil, 11 * s, false},
		{"nothing has arrived for long", flow, nil, 12 * s, true},
		{"all has arrived", flow, all, 10 * s, true},
		{"all has arrived, nothing is back", echo, all, 10 * s, false},
		{"one is missing, and may be on its way", flow, some, 11 * s, false},
		{"one is missing, for longer than any took", flow, some, 10*s + quiet + s, true},
		{"one waits for its neighbour", waiting, some, 11*s + s/2, false},
		{"nothing could be sent", unsent, nil, 10 * s, true},
	} {
		if got := settled(&c.f, c.s, c.now); got != c.want {
			t.Errorf("%s: settled is %v", c.name, got)
		}
	}
}

// TestDelayIsNotMissing has a flow done only when its datagrams have crossed a slow link.
func TestDelayIsNotMissing(t *testing.T) {
	d, _, _ := start(t, "linear:2,delay=300ms")
	to, err := Address(d.Host("h2"), false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), need.Patience)
	defer cancel()
	ping, err := d.Begin(d.Host("h1"), to, topo.Traffic{Kind: "ping", Count: 1})
	if err != nil || !ping.Await(ctx).Done {
		t.Fatal("no ping", err)
	}
	udp, err := d.Begin(d.Host("h1"), to, topo.Traffic{Kind: "udp", Count: 20, Rate: 10000})
	if err != nil {
		t.Fatal(err)
	}
	if o := udp.Await(ctx); !o.Done || o.Sink == nil || o.Sink.Received != 20 {
		t.Errorf("%+v %+v", o.UDP, o.Sink)
	}
}
