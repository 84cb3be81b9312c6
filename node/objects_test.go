package node_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/openflow"
)

// TestTheAPIShowsMeters of a switch that has them, of one of OpenFlow 1.0, and of one that has gone.
func TestTheAPIShowsMeters(t *testing.T) {
	versions(t, func(t *testing.T, v openflow.Version) {
		i := start(t)
		n := i.emulate("linear:2", v)
		first := dpid(1)
		meters := func(of string) []client.Meter {
			return must[client.Page[client.Meter]](i)(i.api.Meters(t.Context(), of)).Items
		}
		if groups := must[client.Page[client.Group]](i)(i.api.Groups(t.Context(), first)).Items; len(groups) > 0 {
			t.Errorf("groups: %+v", groups)
		}
		if _, err := i.api.Meters(t.Context(), "77"); !is404(err) {
			t.Errorf("an unknown switch: %v", err)
		}
		if v == openflow.V10 {
			if list := meters(first); len(list) > 0 {
				t.Errorf("OpenFlow 1.0: %+v", list)
			}
			return
		}
		const tree = `"meter":1,"unit":"pktps","bands":[{"type":"drop","rate":1000,"burst":1000}],`
		text := func() string {
			list := meters(first)
			b, err := json.Marshal(list)
			if err != nil || len(list) != 1 || len(meters("")) != 2 {
				t.Fatalf("%s of switch 1 and %d in all: %v", b, len(meters("")), err)
			}
			return string(b)
		}
		const confirmed = `"state":"confirmed","rules":1,"owners":1}]`
		i.await("the meter of the tree", func() bool { return text() == `[{"dpid":"`+first+`",`+tree+confirmed })
		n.Switches[0].Session().Close(nil)
		const waits = `"state":"waiting","reason":"the switch is not connected","rules":1,"owners":1}]`
		i.await("the meter that waits", func() bool { return text() == `[{"dpid":"`+first+`",`+tree+waits })
	})
}

func is404(err error) bool {
	var p *client.Problem
	return errors.As(err, &p) && p.Status == http.StatusNotFound
}
