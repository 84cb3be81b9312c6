package node_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
)

// TestReadOnlyRegions: a tenant with a read-only region hears of another's packets and of nobody's, after a restart too, without
// the other's cookie; what it writes and sends there is refused, and the other's packets come to where its entries send them.
func TestReadOnlyRegions(t *testing.T) { versions(t, testReadOnlyRegions) }

func testReadOnlyRegions(t *testing.T, v openflow.Version) {
	owns, looks := newFixed(t, v), newFixed(t, v)
	const spec = "linear:1,hosts=3"
	first, net := emulate(t, spec, v)
	put := func(name string, ctl *fixed, region client.TenantRegion) {
		t.Helper()
		if _, err := first.api.PutTenant(t.Context(), &client.TenantDefinition{Name: name, Ports: []string{"1/*"},
			Controllers: []string{"tcp:" + ctl.address}, Space: []client.TenantRegion{region}},
			client.TenantOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	red := net.Hosts()[0].Spec().MAC.String()
	put("red", owns, client.TenantRegion{Priority: 10, Match: client.Selector{"eth_src": red}})
	put("spy", looks, client.TenantRegion{ReadOnly: true, Match: client.Selector{"eth_type": "0x0806"}})
	check := func(i *instance, hosts []*emu.Host) {
		i.await("the tenants' switch", func() bool { return owns.to(1) != nil && looks.to(1) != nil })
		show := flowAdd(7, openflow.OutputController(openflow.ControllerNoCut))
		show.Match = openflow.Match{}
		owns.confirmed(1, show)
		for _, sender := range []int{0, 1} {
			looks.takeHeard()
			owns.takeHeard()
			var copied, shown *openflow.PacketIn
			i.await("a copy of an announcement", func() bool {
				hosts[sender].Do(func(h *host.Host, now time.Duration, out host.Output) { h.Announce(now, out) })
				copied, shown = announced(looks, hosts[sender].Spec().MAC[:]), announced(owns, hosts[sender].Spec().MAC[:])
				return copied != nil && (shown != nil || sender != 0)
			})
			if sender != 0 && shown != nil {
				t.Errorf("the owner hears of a packet that is nobody's: %v", shown)
			}
			if copied.Buffer != openflow.NoBuffer || copied.InPort != hosts[sender].Spec().At.Port ||
				v == openflow.V13 && (copied.Cookie != ^uint64(0) || copied.Table != 0) {
				t.Errorf("the copy says %v", copied)
			}
		}
	}
	check(first, net.Hosts())
	flows, err := first.api.Flows(t.Context(), "1")
	owners := make(map[string]int)
	for i := 0; err == nil && i < len(flows.Items); i++ {
		owners[flows.Items[i].Owner]++
	}
	if err != nil || owners["tenant red"] == 0 || owners["tenant spy"] > 0 {
		t.Errorf("the rules of the switch are of %v: %v", owners, err)
	}

	arp := flowAdd(8, openflow.Output(1))
	arp.Match = openflow.Match{}
	arp.Match.SetUint(openflow.FieldEthType, 0x0806)
	frame := append([]byte{255, 255, 255, 255, 255, 255, 2, 0, 0, 0, 0, 9, 8, 6}, make([]byte, 46)...)
	looks.takeHeard()
	looks.confirmed(1, arp, &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortController, Data: frame,
		Actions: []openflow.Action{openflow.Output(2)}})
	var refused []openflow.ErrorCode
	for _, m := range looks.takeHeard() {
		if e, ok := m.(*openflow.ErrorMsg); ok {
			refused = append(refused, e.Code)
		}
	}
	want := []openflow.ErrorCode{openflow.FlowModFailedEPerm, openflow.BadRequestEPerm}
	if fmt.Sprint(refused) != fmt.Sprint(want) || len(looks.entries(1)) > 0 {
		t.Errorf("what it writes and sends is answered by %v, want %v", refused, want)
	}

	if err := net.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	second, again := emulateWith(t, spec, v, func(c *node.Config) { c.DataDir = first.cfg.DataDir })
	check(second, again.Hosts())
	owns.close()
	looks.close()
}

// announced returns a packet-in of a frame of that source that a controller has heard.
func announced(c *fixed, src []byte) *openflow.PacketIn {
	for _, m := range c.takeHeard() {
		if pin, ok := m.(*openflow.PacketIn); ok && len(pin.Data) > 14 && string(pin.Data[6:12]) == string(src) {
			return pin
		}
	}
	return nil
}
