package warmstart

import (
	"bytes"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"pgregory.net/rapid"
)

// twin is a recorder that follows a view, and what it should have written.
type twin struct {
	t      *rapid.T
	view   *netview.View
	facts  *netview.Facts
	wanted *netview.Desired
	r      *Recorder
	now    time.Time

	broken bool     // the file cannot be written
	asked  [][]byte // to be written, since the last look
	ends   naiveEnds
	stable []byte    // that was written last
	wrote  time.Time // when
}

func newTwin(t *rapid.T) *twin {
	limits := netview.Limits{Changes: rapid.SampledFrom([]int{0, 4}).Draw(t, "log")} // 4: changes are missed
	v := netview.New(limits)
	w := &twin{t: t, view: v, facts: v.Facts(), wanted: v.Desired("tree"), now: time.Unix(1_790_000_000, 0)}
	w.r = NewTo(func(file []byte) error {
		w.asked = append(w.asked, bytes.Clone(file))
		if w.broken {
			return errors.New("broken")
		}
		return nil
	}, func() time.Time { return w.now }, v, treeOf, nil)
	_, w.stable = appendFile(nil, new(Facts))
	return w
}

// happen is one thing that happens.
func (w *twin) happen() {
	dpid := func(name string) netview.DPID { return netview.DPID(rapid.IntRange(1, 4).Draw(w.t, name)) }
	port := func(name string) uint32 { return rapid.Uint32Range(1, 3).Draw(w.t, name) }
	point := func(name string) netview.Point { return netview.Point{DPID: dpid(name), Port: port(name + " port")} }
	switch op := rapid.IntRange(0, 13).Draw(w.t, "op"); {
	case op < 3:
		row := &netview.Switch{DPID: dpid("row"), Name: rapid.SampledFrom([]string{"", "x"}).Draw(w.t, "name"),
			Connected: rapid.Bool().Draw(w.t, "connected")}
		for n := range port("ports") {
			row.Ports = append(row.Ports,
				netview.Port{Number: n + 1, Up: true, Role: netview.PortRole(rapid.IntRange(0, 2).Draw(w.t, "role"))})
		}
		w.facts.Update(func(tx *netview.FactsTx) { tx.PutSwitch(row) })
	case op < 4:
		w.facts.Update(func(tx *netview.FactsTx) { tx.DeleteSwitch(dpid("deleted")) })
	case op < 8:
		l := &netview.Link{
			LinkKey: netview.LinkKey{Src: point("src"), Dst: point("dst")}, Up: rapid.Bool().Draw(w.t, "up"),
			State: rapid.SampledFrom(states).Draw(w.t, "state"),
			Since: w.now.Add(time.Duration(rapid.IntRange(0, 3).Draw(w.t, "since"))),
		}
		w.facts.Update(func(tx *netview.FactsTx) { tx.PutLink(l) })
	case op < 9:
		for l := range w.view.Snapshot().LinksFrom(dpid("unlinked")) {
			w.facts.Update(func(tx *netview.FactsTx) { tx.DeleteLink(l.LinkKey) })
		}
	case op < 11:
		id := netview.HostID{MAC: packet.MAC{2, byte(rapid.IntRange(0, 2).Draw(w.t, "host"))}}
		h := &netview.Host{HostID: id, At: point("at"), Seen: w.now}
		if rapid.Bool().Draw(w.t, "named") {
			h.IPs = []netip.Addr{netip.AddrFrom4([4]byte{10})}
		}
		w.facts.Update(func(tx *netview.FactsTx) { tx.PutHost(h) })
	case op < 12:
		id := netview.HostID{MAC: packet.MAC{2, byte(rapid.IntRange(0, 2).Draw(w.t, "host"))}}
		w.facts.Update(func(tx *netview.FactsTx) { tx.DeleteHost(id) })
	default:
		var rule netview.Rule
		rule.Match.SetUint(openflow.FieldInPort, uint64(port("tree")))
		rules := []netview.Rule{rule}[:rapid.IntRange(0, 1).Draw(w.t, "rules")]
		w.wanted.Update(func(tx *netview.DesiredTx) { tx.Set(dpid("tree"), rules) })
	}
}

// look has the recorder take its turn, try again, or come to its end, and compares.
func (w *twin) look() {
	w.now = w.now.Add(rapid.SampledFrom([]time.Duration{time.Second, time.Second, time.Hour}).Draw(w.t, "passes"))
	w.broken = rapid.IntRange(0, 4).Draw(w.t, "broken") == 0
	concern := w.view.Snapshot().Revision() != w.r.seen
	switch rapid.IntRange(0, 9).Draw(w.t, "how") {
	case 0:
		w.r.end()
		concern = true
	case 1:
		w.r.Turn()
		concern = concern || w.r.failed && !w.broken
		w.r.retryWrite()
	default:
		concern = concern || w.r.failed
		w.r.Turn()
	}
	file, stable := appendFile(nil, naiveTake(w.view.Snapshot(), &w.ends, treeOf))
	other := !bytes.Equal(stable, w.stable)
	late := !w.wrote.IsZero() && w.now.Sub(w.wrote) >= seenInterval
	switch {
	case len(w.asked) == 0 && other:
		w.t.Fatal("what has changed was not written")
	case len(w.asked) == 0 && late && concern:
		w.t.Fatal("when hosts were seen was not written")
	case len(w.asked) > 0 && !other && !late:
		w.t.Fatal("written for nothing")
	}
	for _, got := range w.asked {
		if !bytes.Equal(got, file) {
			w.t.Fatalf("written was\n%x, want\n%x", got, file)
		}
	}
	if len(w.asked) > 0 && !w.broken {
		w.stable, w.wrote = bytes.Clone(stable), w.now
	}
	if w.r.sections.changed && !w.broken {
		w.t.Fatal("what has been written counts as changed")
	}
	w.asked = w.asked[:0]
}

// TestLikeTakenAnew: after each turn the file is what it is when everything is taken and encoded
// anew.
func TestLikeTakenAnew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newTwin(t)
		for range rapid.IntRange(1, 60).Draw(t, "length") {
			w.happen()
			if rapid.Bool().Draw(t, "look") {
				w.look()
			}
		}
	})
}
