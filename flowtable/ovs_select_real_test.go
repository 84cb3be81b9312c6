//go:build real

package flowtable_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/internal/ofcase"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// selectFlows are how many flows are sent through a select group.
const selectFlows = 4000

// TestSelectGroupsShareAlike: a select group gives each bucket its share of the flows by its
// weight, here as in Open vSwitch, and each flow always the same bucket.
func TestSelectGroupsShareAlike(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		oracle := ofcase.NewOVS(t, l, openflow.V13)
		mine := &subject{t: t, v: openflow.V13, ports: oracle.Ports()}
		weights := map[uint32]uint16{2: 1, 3: 2, 4: 5}
		group := &openflow.GroupMod{Kind: openflow.GroupTypeSelect, Group: 1}
		for port := uint32(2); port <= 4; port++ {
			group.Buckets = append(group.Buckets, openflow.Bucket{
				Weight: weights[port], WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny,
				Actions: []openflow.Action{openflow.Output(port)},
			})
		}
		entry := &openflow.FlowMod{
			Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
			Instructions: []openflow.Instruction{openflow.Apply(openflow.Group(1))},
		}
		for name, sw := range map[string]ofcase.Switch{"flowtable": mine, "Open vSwitch": oracle} {
			sw.Reset()
			for _, m := range []openflow.Message{group, entry} {
				b, err := openflow.Append(nil, openflow.V13, 0, m)
				if err != nil {
					t.Fatal(err)
				}
				if out := sw.Do(ofcase.Step{Message: b}); len(out.Messages) != 0 {
					t.Fatalf("%s: %v", name, out.Messages)
				}
			}
			tolerance := 0.04
			if sw == oracle { // which has few hash values to give out: 16 for these weights
				tolerance = 0.12
			}
			share(t, name, sw, weights, tolerance)
		}
	})
}

// share sends the flows, each twice, and compares where they went with the weights: within the
// tolerance, as a share of all.
func share(t *testing.T, name string, sw ofcase.Switch, weights map[uint32]uint16, tolerance float64) {
	flows := map[uint32]int{}
	for i := range uint32(selectFlows) {
		k := packet.Key{
			EthDst: packet.MAC{2, 0, 0, 0, 0, 1}, EthSrc: packet.MAC{2, 0, 0, 0, 0, 2}, EtherType: packet.TypeIPv4,
			IPProto: 17, TTL: 64,
			SrcPort: uint16(1024 + i), DstPort: 53,
		}
		k.IPSrc, k.IPDst = address(0x0a000000|i%61), address(0x0a010000|i/61)
		frame := packet.AppendUDP(nil, &k, make([]byte, 20))
		var ports [2]uint32
		for n := range ports {
			sent := sw.Do(ofcase.Step{Port: 1, Frame: frame}).Sent
			if len(sent) != 1 {
				t.Fatalf("%s: flow %d left %d times", name, i, len(sent))
			}
			ports[n] = sent[0].Port
		}
		if ports[0] != ports[1] {
			t.Errorf("%s: flow %d left port %d, then %d", name, i, ports[0], ports[1])
		}
		flows[ports[0]]++
	}
	for port, w := range weights {
		want := float64(w) / 8
		if got := float64(flows[port]) / selectFlows; math.Abs(got-want) > tolerance {
			t.Errorf("%s: bucket of weight %d got %.3f of the flows, want %.3f", name, w, got, want)
		}
	}
	t.Logf("%s: %v", name, flows)
}

func address(v uint32) packet.Addr {
	a := packet.Addr{10: 0xff, 11: 0xff}
	binary.BigEndian.PutUint32(a[12:], v)
	return a
}
