package load

import (
	"testing"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// TestNewcomersAreAnswered reads flow-mods that tell of a new host, of a known one while hosts are
// introduced, and of others.
func TestNewcomersAreAnswered(t *testing.T) {
	topology, err := loadswitch.ParseTopology("single:3", 1)
	if err != nil {
		t.Fatal(err)
	}
	c := &Config{Hosts: 8, Version: openflow.V13, Outstanding: 4, Learning: true, Network: topology}
	c.withDefaults()
	s := New(c).sources[2]
	token, _ := s.window.Take(0, -1)
	src, dst := s.draw(token)
	if dst != &s.sw.Hosts[dst.Number%8] || src.At.Port == dst.At.Port {
		t.Errorf("a packet from %+v to %+v", *src, *dst)
	}
	first := *src
	if src, _ = s.draw(token + 1); src.MAC == first.MAC || src.IP == first.IP {
		t.Errorf("two newcomers are %+v and %+v", first, *src)
	}
	s.asked[3] = 99
	known := s.sw.Hosts[3].MAC
	read := func(field openflow.Field, mac packet.MAC, command openflow.FlowModCommand) (uint32, bool) {
		m := &openflow.FlowMod{Command: command, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
			OutGroup: openflow.GroupAny}
		m.Match.Set(field, mac[:], nil)
		b, err := openflow.Append(nil, openflow.V13, 1, m)
		if err != nil {
			t.Fatal(err)
		}
		return s.learnedToken(b)
	}
	for _, field := range []openflow.Field{openflow.FieldEthSrc, openflow.FieldEthDst} {
		if got, ok := read(field, first.MAC, openflow.FlowAdd); !ok || got != token {
			t.Errorf("a newcomer's entry is read as %d, %v", got, ok)
		}
	}
	if _, ok := read(openflow.FieldEthSrc, first.MAC, openflow.FlowDelete); ok {
		t.Error("the end of an entry is an answer")
	}
	if _, ok := read(openflow.FieldEthSrc, known, openflow.FlowAdd); ok {
		t.Error("an entry of a known host is an answer")
	}
	s.probing.Store(true)
	if got, ok := read(openflow.FieldEthSrc, known, openflow.FlowAdd); !ok || got != 99 {
		t.Errorf("an introduced host's entry is read as %d, %v", got, ok)
	}
}

// TestCopiesHaveTheirTag parses what FAUCET is sent.
func TestCopiesHaveTheirTag(t *testing.T) {
	src, dst := loadswitch.NewHost(5, topo.End{Port: 3}), loadswitch.NewHost(70000, topo.End{Port: 4})
	_, m, err := openflow.Parse(newFrameTemplate(openflow.V13, 9, target.FaucetVLAN).append(nil, &src, &dst, 0x12345, false))
	if err != nil {
		t.Fatal(err)
	}
	pin := m.(*openflow.PacketIn)
	var k packet.Key
	if _, fault := packet.ParseKey(pin.Data, &k); fault != 0 || len(pin.Data) != 68 ||
		k.VLAN != packet.VLANPresent|target.FaucetVLAN ||
		pin.Reason != openflow.ReasonAction || pin.InPort != 3 || k.EthSrc != src.MAC ||
		!packet.IPv4(pin.Data[18:]).ChecksumOK() {
		t.Errorf("%+v, %+v", pin, k)
	}
}
