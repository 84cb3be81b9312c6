package flowtable_test

import (
	"slices"
	"testing"

	"github.com/weirnet/weir/internal/ofcase"
	"github.com/weirnet/weir/openflow"
)

// casePorts are the ports of a switch in cases.
func casePorts(v openflow.Version) (list []openflow.Port, addresses [][6]byte) {
	for n := uint32(1); n <= ofcase.Ports; n++ {
		p := openflow.Port{Number: n, HWAddr: [6]byte{2, 0, 0, 0, 9, byte(n)}, Name: "p"}
		if v == openflow.V13 {
			p.State = openflow.PortStateLive
		}
		list, addresses = append(list, p), append(addresses, p.HWAddr)
	}
	local := openflow.Port{Number: openflow.PortLocal, HWAddr: [6]byte{2, 0, 0, 0, 9, 9}, Name: "local"}
	if v == openflow.V13 {
		local.State = openflow.PortStateLive
	}
	return append(list, local), addresses
}

// TestTwin gives the same generated cases to a Switch and to its naive twin: the same comes of
// them.
func TestTwin(t *testing.T) {
	masks := slices.DeleteFunc(slices.Clone(ofcase.OVSMasks), func(m ofcase.Mask) bool {
		return m.Name != "tables-of-1.0" && m.Name != "port-counters"
	})
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		t.Run(v.String(), func(t *testing.T) {
			ports, addresses := casePorts(v)
			mine, other := &subject{t: t, v: v, ports: ports}, &twin{t: t, v: v, ports: ports}
			for _, opt := range []ofcase.Options{
				{Groups: true, Waits: true, Mods: true, Fragments6: true, Addresses: addresses},
				{Groups: true, Down: true, Fragments6: true, Addresses: addresses},
				{Normal: true, Waits: true, Mods: true, Addresses: addresses},
			} {
				for seed, failed := uint64(0), 0; seed < 200 && failed < 5; seed++ {
					c := ofcase.Generate(v, seed, opt)
					if ofcase.Compare(c, mine, other, masks...) == nil {
						continue
					}
					failed++
					c, d := ofcase.Shrink(c, mine, other, masks...)
					t.Errorf("%s%s", c, d.Text("flowtable", "twin"))
				}
			}
		})
	}
}
