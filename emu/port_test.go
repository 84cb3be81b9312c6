package emu

import (
	"testing"

	"github.com/weirnet/weir/emu/topo"
)

// TestPortMACs has no two ports of a network have one MAC address, nor a port that of a host,
// whatever their datapath ids and numbers.
func TestPortMACs(t *testing.T) {
	top := &topo.Topology{Name: "ids"}
	for i, id := range []uint64{1, 1 << 20, 1<<24 | 1, 1<<32 | 1, 2, 0xffffffffffffffff, 0xffffff} {
		top.Switches = append(top.Switches, topo.Switch{Name: "s" + string(rune('a'+i)), DPID: id})
		for _, port := range []uint32{1, 255, 256, 4097, topo.MaxPort} {
			top.Hosts = append(top.Hosts,
				topo.Host{Name: "h" + string(rune('a'+len(top.Hosts))),
					MAC: [6]byte{2, 0, 0, 1, 0, byte(len(top.Hosts))}, At: topo.End{Switch: i, Port: port}})
		}
	}
	n, err := New(Config{Topology: top, stack: newStation})
	if err != nil {
		t.Fatal(err)
	}
	of := map[[6]byte]string{}
	take := func(mac [6]byte, name string) {
		if other := of[mac]; other != "" {
			t.Errorf("%x is the address of %s and %s", mac, other, name)
		}
		of[mac] = name
	}
	for _, h := range n.Hosts() {
		take(h.Spec().MAC, h.Spec().Name)
	}
	for _, sw := range n.Switches() {
		for _, number := range sw.Ports() {
			p, _ := sw.Port(number)
			take(p.HWAddr, p.Name+" of "+sw.Name())
			if p.HWAddr[0]&3 != 2 {
				t.Errorf("%x is not a station's, administered locally", p.HWAddr)
			}
		}
	}
	if first, _ := n.Switches()[0].Port(1); first.HWAddr != [6]byte{6, 0, 0, 1, 0, 1} {
		t.Errorf("port 1 of switch 1 has %x", first.HWAddr)
	}
}
