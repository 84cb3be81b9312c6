//go:build real

package netlab

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
)

// TestTags: two pairs of hosts are joined by wide intents without a selector, over one link and in both directions, and a
// third pair by none. Each reaches its own, with frames of full size too.
func TestTags(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"1.3", "1.0"} {
		t.Run(version, func(t *testing.T) {
			Inside(t, func(t *testing.T, l *Lab) { tagsOver(t, l, version) })
		})
	}
}

func tagsOver(t *testing.T, l *Lab, version string) {
	w := l.StartWeir()
	topology, err := Parse("linear:2,hosts=3")
	if err != nil {
		t.Fatal(err)
	}
	n := l.StartOVS().Build(topology, version, Controller)
	for _, e := range []End{n.Cables[0].A, n.Cables[0].B} {
		l.Run("ip", "link", "set", e.Device, "mtu", "1508")
	}
	w.AwaitLinks(n, time.Minute)
	if lost := n.PingAll(false); len(lost) > 0 {
		t.Fatalf("before: %v", lost)
	}
	v := &wanted{l: l}
	if v.api, err = client.New(client.Config{Address: API}); err != nil {
		t.Fatal(err)
	}
	at := func(host int) client.Point {
		return client.Point{DPID: fmt.Sprintf("%016x", n.Switches[host/3].DPID), Port: uint32(host%3 + 1)}
	}
	var list []client.IntentRequest
	for _, pair := range [][2]int{{0, 3}, {3, 0}, {1, 4}, {4, 1}} {
		r := client.IntentRequest{ID: fmt.Sprintf("h%d-h%d", pair[0], pair[1]), Kind: "point-to-point", Wide: true,
			Src: client.PointEnds(at(pair[0])), Dst: client.PointEnds(at(pair[1]))}
		if version == "1.0" {
			r.Selector = client.Selector{"vlan_vid": "none", "eth_type": "0x0800"}
		}
		v.ids, list = append(v.ids, r.ID), append(list, r)
	}
	if _, err := v.api.CreateIntents(context.Background(), list, client.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	v.await("installed")
	tags := CountRules(n.Tables(), func(r Rule) bool {
		return r.Ours() && r.Cookie>>48&0xf == 4 && strings.Contains(r.Text, "priority=60001")
	})
	if tags != 4 {
		t.Fatalf("the switches hold %d rules of tags, want one for each intent", tags)
	}
	pairs := [][2]*Host{{n.Hosts[0], n.Hosts[3]}, {n.Hosts[1], n.Hosts[4]}, {n.Hosts[2], n.Hosts[5]}}
	for _, p := range pairs {
		for _, size := range []string{"56", "1472"} {
			p[0].Run("ping", "-c", "20", "-i", "0.02", "-W", "2", "-M", "do", "-s", size, p[1].IP4.String())
		}
		server := p[1].Start("iperf3", "-s", "-1", "--forceflush")
		l.Eventually(20*time.Second, "iperf3 answers", func() bool { return strings.Contains(server.Output(), "listening") })
		p[0].Run("iperf3", "-c", p[1].IP4.String(), "-t", "2")
	}
}
