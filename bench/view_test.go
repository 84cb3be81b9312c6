package bench

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/openflow"
)

// TestViewIsWholeWhenEverythingIsThere follows a view that grows, loses a link, and shows one which
// there is not.
func TestViewIsWholeWhenEverythingIsThere(t *testing.T) {
	topology, err := loadswitch.ParseTopology("linear:2", 1)
	if err != nil {
		t.Fatal(err)
	}
	v := newViewed(topology, loadswitch.New(topology, loadswitch.Config{Version: openflow.V13, Hosts: 1}))
	v.begin()
	tell := func(kind string, gone bool, row any) {
		b, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		if err := v.event(client.Event{Kind: kind, Delete: gone, Data: b}); err != nil {
			t.Fatal(err)
		}
	}
	whole := func() bool {
		select {
		case <-v.whole:
			return true
		default:
			return false
		}
	}
	one, two := client.FormatDPID(1), client.FormatDPID(2)
	link := func(a, b, state string) client.Link {
		return client.Link{Src: client.Point{DPID: a, Port: 1}, Dst: client.Point{DPID: b, Port: 1}, Up: true, State: state}
	}
	tell("switch", false, client.Switch{DPID: one, Connected: true})
	tell("switch", false, client.Switch{DPID: client.FormatDPID(9), Connected: true}) // no switch of ours
	tell("link", false, link(one, two, "confirmed"))
	tell("link", false, link(two, one, "unconfirmed"))
	tell("switch", false, client.Switch{DPID: two, Connected: true})
	if whole() || !strings.Contains(v.missing(), "2 of 2 switches and 1 of 2 directions") {
		t.Errorf("whole %v, %s", whole(), v.missing())
	}
	tell("link", false, link(two, one, "confirmed"))
	if all, links, losses, wrong := v.result(); !whole() || all == 0 || links < all || losses != 0 || wrong != nil {
		t.Errorf("whole %v, %v, %v, %d lost, %v", whole(), all, links, losses, v.wrong)
	}
	tell("link", true, link(two, one, "confirmed"))
	tell("link", false, link(one, one, "confirmed"))
	if _, _, losses, wrong := v.result(); losses != 1 || wrong == nil {
		t.Errorf("%d lost, %v", losses, v.wrong)
	}
}
