package warmstart

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// Where a link led that is down is remembered of both ends until more is known of them, also when
// the view shows the link no more and another instance has taken over.
func TestLinksThatAreDown(t *testing.T) {
	a, b := netview.Point{DPID: 1, Port: 1}, netview.Point{DPID: 2, Port: 1}
	there := netview.LinkKey{Src: a, Dst: b}
	view := netview.New(netview.Limits{})
	var file []byte
	r := NewTo(func(b []byte) error { file = bytes.Clone(b); return nil }, func() time.Time { return time.Time{} },
		view, nil, nil)
	facts, role := view.Facts(), netview.PortUnknown
	expect := func(when string, change func(tx *netview.FactsTx), want ...netview.LinkKey) {
		t.Helper()
		facts.Update(func(tx *netview.FactsTx) {
			ports := []netview.Port{{Number: 1, Up: true}, {Number: 2, Up: true}}
			tx.PutSwitch(&netview.Switch{DPID: 1, State: netview.SwitchReady, Connected: true, Ports: ports})
			tx.PutSwitch(&netview.Switch{DPID: 2, State: netview.SwitchDisconnected,
				Ports: []netview.Port{{Number: 1, Up: true, Role: role}}})
			change(tx)
		})
		r.Turn()
		known, err := Parse(file)
		if err != nil {
			t.Fatal(err)
		}
		var got []netview.LinkKey
		for _, l := range known.Links {
			if !l.Up {
				got = append(got, l.LinkKey)
			}
		}
		if len(got) != len(want) || len(got) > 0 && got[0] != want[0] || len(got) > 1 && got[1] != want[1] {
			t.Errorf("%s: remembered are %v, want %v", when, got, want)
		}
	}
	expect("no link was there", func(*netview.FactsTx) {})
	expect("it is down", func(tx *netview.FactsTx) {
		tx.PutLink(&netview.Link{LinkKey: there})
		tx.PutLink(&netview.Link{LinkKey: there.Reverse()})
	}, there, there.Reverse())
	expect("the view has forgotten it", func(tx *netview.FactsTx) {
		tx.DeleteLink(there)
		tx.DeleteLink(there.Reverse())
	}, there, there.Reverse())
	role = netview.PortEdge
	expect("a host is at one end", func(*netview.FactsTx) {}, there)
	role = netview.PortUnknown
	expect("and it is unplugged", func(*netview.FactsTx) {}, there)
	expect("a switch is gone", func(tx *netview.FactsTx) { tx.DeleteSwitch(1) })
}

// A file of the format before, which has no links that are down, is read.
func TestFormatBefore(t *testing.T) {
	f := some(1)
	f.Links = f.Links[:len(states)]
	file, _ := appendFile(nil, f)
	old := bytes.Clone(file[:len(file)-sha256.Size])
	binary.BigEndian.PutUint16(old[len(magic):], 1)
	sum := sha256.Sum256(old)
	if got, err := Parse(append(old, sum[:]...)); err != nil || text(got) != text(f) {
		t.Errorf("%v, %s", err, text(got))
	}
}

// TestAnAddressIsWrittenSoon: what is learned after a quiet time is written at once, since it may
// never be told again, and so is what is learned just after it; under steady change there are two
// turns a second.
func TestAnAddressIsWrittenSoon(t *testing.T) {
	now := time.Unix(1000, 0)
	view := netview.New(netview.Limits{})
	writes := 0
	r := NewTo(func([]byte) error { writes++; return nil }, func() time.Time { return now }, view, nil, nil)
	facts := view.Facts()
	learn := func(n byte) {
		facts.Update(func(tx *netview.FactsTx) {
			tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: packet.MAC{2, 0, 0, 0, 0, n}},
				At: netview.Point{DPID: 1, Port: 1}, State: netview.HostConfirmed})
		})
	}
	facts.Update(func(tx *netview.FactsTx) {
		tx.PutSwitch(&netview.Switch{DPID: 1, State: netview.SwitchReady, Connected: true})
	})
	begun := now
	for n := range byte(burst + 10) {
		learn(n)
		wait := r.Delay()
		if want := writeInterval - writeDelay*(burst-1); (n < burst) != (wait == writeDelay) || n == burst && wait != want ||
			n > burst && wait != writeInterval {
			t.Errorf("change %d under steady change waits %v", n, wait)
		}
		now = now.Add(wait)
		r.Turn()
	}
	if writes != burst+10 || now.Sub(begun) != 10*writeInterval+writeDelay {
		t.Errorf("%d writes in %v", writes, now.Sub(begun))
	}
	now = now.Add(time.Minute)
	if wait := r.Delay(); wait != writeDelay {
		t.Errorf("after another quiet time it waits %v", wait)
	}
}
