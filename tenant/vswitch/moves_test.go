package vswitch

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/tenant"
)

// TestRulesMoveInOrder: when another tenant goes, the rules of those that share one table with it move, and no packet meets
// another entry meanwhile.
func TestRulesMoveInOrder(t *testing.T) {
	for _, other := range []uint16{5, 15} {
		w := &world{t: t, single: true, version: openflow.V13, r: rand.New(rand.NewPCG(1, 1)),
			physical: flowtable.New(flowtable.Config{}), numbers: make(map[string]uint32), holds: make(map[string]uint32)}
		for no := uint32(1); no <= physicalPorts; no++ {
			w.physical.AddPort(openflow.Port{Number: no, Name: fmt.Sprint(no)}, 0, &w.out)
		}
		region := func(mac uint64, priority uint16) []tenant.Region {
			var m openflow.Match
			m.SetUint(openflow.FieldEthDst, mac)
			return []tenant.Region{{Priority: priority, Match: m}}
		}
		red := tenant.Definition{Name: "red", Number: 1, Space: region(1, 10),
			Ports: []netview.Point{{DPID: 1, Port: 1}, {DPID: 1, Port: 2}}}
		blue := tenant.Definition{Name: "blue", Number: 2, Space: region(2, other), Ports: []netview.Point{{DPID: 1, Port: 3}}}
		both, alone := tenant.New(), tenant.New()
		for _, err := range []error{both.Put(red), both.Put(blue), alone.Put(red)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		w.tenants = both
		g := &guest{w: w, name: "red", ports: []uint32{1, 2}, before: make(map[uint32]int)}
		w.guests = []*guest{g}
		g.sw = New(recordedConfig(Config{Tenant: 1, DPID: 1, Space: both.Space("red"), Rows: &Rows{}, Single: true}))
		for _, p := range g.ports {
			g.sw.SetPort(openflow.Port{Number: p, Name: fmt.Sprint(p)}, 0, g)
		}
		w.classify()
		for _, priority := range []uint16{30000, 10000, 40000, 20000} {
			out := uint32(1)
			if priority == 40000 {
				out = 2
			}
			m := &openflow.FlowMod{Priority: priority, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
				OutGroup: openflow.GroupAny, Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(out))}}
			if err := g.sw.FlowMod(openflow.V13, m, Origin{}, 0, g); err != nil {
				t.Fatal(err)
			}
		}
		w.drain()
		frame := make([]byte, 60)
		frame[5], frame[12], frame[13] = 1, 8, 1
		check := func(when string) {
			t.Helper()
			w.physical.Receive(1, frame, 0, &w.out)
			if frames, _ := w.out.take(); len(frames) != 1 || frames[0][:2] != "2 " {
				t.Errorf("other region at %d, %s: the packet is sent as %v", other, when, frames)
			}
		}
		check("before")
		w.tenants = alone
		g.sw.SetSpace(alone.Space("red"), nil, 0, g)
		for n := 0; len(w.orders) > 0; n++ {
			w.execute(false)
			w.tell()
			check(fmt.Sprint("after order ", n))
		}
		w.classify()
		check("after classification")
	}
}
