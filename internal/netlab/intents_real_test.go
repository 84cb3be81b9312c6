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

// wanted are intents between the hosts that speak in two networks.
type wanted struct {
	l   *Lab
	api *client.Client
	ids []string
}

// intents asks for intents between the hosts of traffic's pings, and waits until all are installed.
func intents(l *Lab, nets [2]*Network) *wanted {
	l.t.Helper()
	api, err := client.New(client.Config{Address: API})
	if err != nil {
		l.t.Fatal(err)
	}
	v := &wanted{l: l, api: api}
	var list []client.IntentRequest
	for k, n := range nets {
		h := n.speakers()
		for _, pair := range [][2]int{{0, 4}, {2, 6}, {4, 3}, {1, 5}, {7, 5}} {
			id := fmt.Sprintf("n%d-h%d-h%d", k, pair[0], pair[1])
			v.ids = append(v.ids, id)
			list = append(list, client.IntentRequest{
				ID: id, Kind: "host-to-host", Src: client.HostEnd(h[pair[0]].MAC), Dst: client.HostEnd(h[pair[1]].MAC),
			})
		}
	}
	answers, err := api.CreateIntents(context.Background(), list, client.CreateOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
	for i := range answers.Items {
		if !answers.Items[i].OK() {
			l.t.Fatalf("intent %s: %+v", v.ids[i], answers.Items[i])
		}
	}
	v.await("installed")
	return v
}

// await waits until all intents are in one of some states.
func (v *wanted) await(states ...string) {
	v.l.t.Helper()
	wrong := ""
	defer func() {
		if v.l.t.Failed() && wrong != "" {
			v.l.t.Log(wrong)
		}
	}()
	v.l.Eventually(60*time.Second, "all intents are "+strings.Join(states, " or "), func() bool {
		page, err := v.api.Intents(context.Background())
		if err != nil {
			wrong = err.Error()
			return false
		}
		if wrong = ""; len(page.Items) != len(v.ids) {
			wrong = fmt.Sprintf("there are %d intents, want %d", len(page.Items), len(v.ids))
		}
		for i := range page.Items {
			if in := &page.Items[i]; !strings.Contains(strings.Join(states, " "), in.State) {
				wrong = fmt.Sprintf("%s is %s: %s %s", in.ID, in.State, in.Code, in.Detail)
			}
		}
		return wrong == ""
	})
}

// replace gives each intent another priority: all its rules are others then.
func (v *wanted) replace() {
	v.l.t.Helper()
	for _, id := range v.ids {
		in, err := v.api.Intent(context.Background(), id)
		if err != nil {
			v.l.t.Fatal(err)
		}
		priority := uint16(500)
		r := &client.IntentRequest{ID: id, Kind: in.Kind, Src: in.Src, Dst: in.Dst, Priority: &priority}
		if _, err := v.api.ReplaceIntent(context.Background(), r, client.CreateOptions{}); err != nil {
			v.l.t.Fatal(err)
		}
	}
}

// withdraw withdraws all, and waits until they are gone.
func (v *wanted) withdraw() {
	v.l.t.Helper()
	if _, err := v.api.WithdrawIntents(context.Background(), v.ids); err != nil {
		v.l.t.Fatal(err)
	}
	v.ids = nil
	v.await()
}

// ofIntents are the entries of intents that the switches of a network hold.
func (n *Network) ofIntents() (count int) {
	for _, rules := range n.Tables() {
		count += CountRules([][]Rule{rules}, func(r Rule) bool { return r.Ours() && r.Cookie>>48&0xf == 4 })
	}
	return count
}

// TestIntents: hosts of two networks speak, and intents between them are installed, changed, lost
// by switches, kept over an instance that is killed, and withdrawn: nobody loses a packet. When a
// cable is cut only what is in flight is lost.
func TestIntents(t *testing.T) {
	t.Parallel()
	Inside(t, func(t *testing.T, l *Lab) {
		w, o, nets := twoNetworks(l)
		both := Both(nets[0], nets[1])
		traffic := talk(o, nets)
		weir := BuiltWeir(t)
		lossless := func(what string) {
			t.Helper()
			for _, f := range traffic.Lost() {
				t.Errorf("%s: %s", what, f)
			}
			l.Run(weir, "check", "--api", API, "--data-dir", l.dir)
		}
		flows := streams(nets, 20*time.Second)
		v := intents(l, nets)
		lossless("intents are installed")
		v.replace()
		v.await("installed")
		lossless("intents are replaced")
		unharmed(t, traffic, flows)
		for _, n := range nets {
			if n.ofIntents() < 10 {
				t.Errorf("the switches hold %d entries of intents", n.ofIntents())
			}
			n.Switches[0].Ofctl("del-flows", "cookie=0x0014000000000000/0xffff000000000000")
		}
		w.AwaitAlarm("drift", fmt.Sprintf("%016x", nets[1].Switches[0].DPID), 20*time.Second)
		v.await("installed")
		l.Eventually(repairLimit, "switches hold again what they lost",
			func() bool { return w.Metric(`weir_flowsync_rules{state="pending"}`) == 0 })
		lossless("switches hold again what they lost")

		cables := []*Cable{both.Cables[0], both.Cables[len(nets[0].Cables)]}
		var outages []*Outage
		for _, c := range cables {
			outages = append(outages, both.CutObserved(c))
		}
		onItsWay := func(interval time.Duration) int { return max(outages[0].Lost(interval), outages[1].Lost(interval)) }
		onItsWay(time.Second)
		w.AwaitLinks(both, 60*time.Second, cables...)
		v.await("installed")
		for _, f := range traffic.LostMore(onItsWay) {
			t.Errorf("cables are cut: %s", f)
		}
		traffic.Baseline() // those are counted
		for _, c := range cables {
			c.Restore()
		}
		w.AwaitLinks(both, 60*time.Second)
		v.await("installed")
		lossless("the cables are back")

		w.Kill()
		w = comeBack(t, l, both)
		v.await("installed")
		lossless("an instance was killed")

		v.withdraw()
		for _, n := range nets {
			if count := n.ofIntents(); count > 0 {
				t.Errorf("%d entries of intents that are gone", count)
			}
		}
		lossless("intents are withdrawn")
	})
}
