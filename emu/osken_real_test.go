//go:build real

package emu

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/openflow"
)

// event is a line of one of our os-ken applications.
type event struct {
	Event    string
	Buffered bool
	Bytes    int
	Total    int
	Packets  uint64
}

// events are what an application has printed; f gives them in order.
func events(t *testing.T, p *netlab.Process) (all []event) {
	for line := range strings.Lines(p.Output()) {
		var e event
		if !strings.HasSuffix(line, "\n") {
			break // not yet whole
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("the application printed %s", line)
		}
		all = append(all, e)
	}
	return all
}

// tally counts events of a name that are as wanted.
func tally(all []event, name string, is func(event) bool) (n int) {
	for _, e := range all {
		if e.Event == name && (is == nil || is(e)) {
			n++
		}
	}
	return n
}

// TestUnderOSKen runs hosts under a learning switch written for os-ken, that has packets sent from
// the switches' buffers.
func TestUnderOSKen(t *testing.T) {
	for _, v := range versions {
		for _, buffers := range []int{256, 0} {
			t.Run(fmt.Sprintf("%s/%d buffers", v, buffers), func(t *testing.T) {
				python := need.OSKen(t)
				program := map[openflow.Version]string{openflow.V10: "testdata/learning10.py",
					openflow.V13: "testdata/learning13.py"}[v]
				netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
					app := l.Start(python, program, "6653")
					f := newForeign(t, l, "linear:3", v, buffers)
					await(t, "the application knows all switches",
						func() bool { return tally(events(t, app), "ready", nil) == len(f.n.Switches()) })
					f.pingAll(5, ipv4Of)
					f.pingAll(5, ipv6Of)
					f.learned(app, buffers > 0)
				})
			})
		}
	}
}

// learned compares what an application saw and did with what the network counted, when its entries
// have run out.
func (f *foreign) learned(app *netlab.Process, buffered bool) {
	f.t.Helper()
	left := int64(0)
	if f.n.cfg.Versions[0] != openflow.V10 {
		left = int64(len(f.n.Switches())) // the entries for misses stay
	}
	await(f.t, "all entries have run out", func() bool { return f.n.Totals().Entries == left })
	f.check()
	got := f.n.Totals()
	// What is in flight to the application is in no count yet, so its own counts must agree too.
	await(f.t, "the application has heard of all, and the entries counted every packet", func() bool {
		matched, want := counted(events(f.t, app), f.n.Totals(), buffered)
		return tally(events(f.t, app), "flow_removed", nil) == f.count(1, openflow.TypeFlowRemoved) &&
			tally(events(f.t, app), "packet_in", nil) == int(got.PacketIns) &&
			(left == 0 || matched >= want)
	})
	all := events(f.t, app)
	if tally(all, "error", nil) != 0 || tally(all, "packet_out", nil) != int(got.PacketOuts) ||
		tally(all, "flow_mod", nil)+int(left) != int(got.FlowMods) {
		f.t.Errorf("%+v; the application saw %d errors, sent %d packet-outs and %d flow-mods", got, tally(all, "error", nil),
			tally(all, "packet_out", nil), tally(all, "flow_mod", nil))
	}
	wrong := tally(all, "packet_in", func(e event) bool {
		return e.Buffered != buffered || e.Buffered && e.Bytes != min(e.Total, 128) || !e.Buffered && e.Bytes != e.Total
	})
	if wrong != 0 {
		f.t.Errorf("%d of %d packet-ins are not whole, or not cut at what is in a buffer", wrong, tally(all, "packet_in", nil))
	}
	// Of OpenFlow 1.0 an entry that takes the place of another begins to count anew.
	if matched, want := counted(all, got, buffered); matched > want || left > 0 && matched != want {
		f.t.Errorf("%+v; the entries counted %d packets, want %d", got, matched, want)
	}
}

// counted is how many packets entries counted that have run out, and how many went through such
// entries.
func counted(all []event, got Totals, buffered bool) (matched, want uint64) {
	for _, e := range all {
		matched += e.Packets
	}
	want = got.PacketHops - got.PacketIns
	if buffered { // what a flow-mod sends from a buffer goes through the tables, too
		want += uint64(tally(all, "flow_mod", nil))
	}
	return matched, want
}
