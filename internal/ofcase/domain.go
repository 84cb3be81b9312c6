package ofcase

import (
	"math/rand/v2"
	"net/netip"

	"github.com/weirnet/weir/openflow"
)

// Ports is how many ports the switch of a case has, numbered from 1.
const Ports = 4

// The domains of values are small, so that frames meet matches and matches overlap.
var (
	macs = [][6]byte{
		{2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 2}, {2, 0, 0, 0, 1, 1}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, {1, 0, 0x5e, 0, 0, 5},
	}
	macMasks = [][6]byte{
		{1}, {0xff, 0xff, 0xff, 0xff, 0xff}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xf0}, {0, 0, 0, 0, 0, 3},
		{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, {},
	}
	ips4  = []string{"10.0.0.1", "10.0.0.2", "10.0.1.1", "10.1.0.1", "224.0.0.5"}
	ips6  = []string{"fd00::1", "fd00::2", "fd00::1:1", "fe80::1", "ff02::1:ff00:1"}
	vids  = []uint16{1, 2, 3, 0, 4095}
	types = []uint16{0x88cc, 0x9999, 0x1234}
	ports = []uint16{80, 81, 1000, 0x5050, 0}
	// tables are those that get entries; the others of OpenFlow 1.3 are named rarely.
	tables = []uint8{0, 0, 0, 1, 1, 2}
)

// lastTable is the last one that entries go on to.
const lastTable = 4

// Options turn on parts of OpenFlow for Generate.
type Options struct {
	Steps  int  // how many steps a case has; 0: 30
	Groups bool // groups, of OpenFlow 1.3
	Select bool // among them select groups: what they choose is not promised
	Meters bool // meters, of OpenFlow 1.3
	// Fragments6 has packets with a fragment header of IPv6, whatever comes after it.
	Fragments6 bool
	Odd        bool // also what the specification forbids, or leaves open
	Waits      bool // time passes, and entries have time-outs
	Mods       bool // the configuration of ports changes
	Down       bool // ports go down, or receive nothing; no counter is then looked at, and no time passes
	Normal     bool // outputs to OFPP_NORMAL, and what it learns runs out
	// Addresses are those of the switch's ports, from port 1, which a port-mod must name.
	Addresses [][6]byte
}

// draws are values drawn from the domains, for a version and Options.
type draws struct {
	*rand.Rand
	v   openflow.Version
	opt Options
}

// one in n is true.
func (g draws) one(n int) bool { return g.IntN(n) == 0 }

// pick draws from a list.
func pick[T any](g interface{ IntN(int) int }, list []T) T { return list[g.IntN(len(list))] }

func (g draws) mac() [6]byte { return pick(g, macs) }

func (g draws) ip4() [4]byte { return netip.MustParseAddr(pick(g, ips4)).As4() }

func (g draws) ip6() [16]byte { return netip.MustParseAddr(pick(g, ips6)).As16() }

// port draws a port that the switch has.
func (g draws) port() uint32 { return uint32(1 + g.IntN(Ports)) }

// ttl draws a time to live, of which the small ones matter.
func (g draws) ttl() uint8 { return pick(g, []uint8{64, 64, 64, 2, 1, 0}) }

// tos draws a type of service.
func (g draws) tos() uint8 { return pick(g, []uint8{0, 0, 0xb8, 0xb9, 3}) }

// table draws a table; OpenFlow 1.0 has one.
func (g draws) table() uint8 {
	if g.v == openflow.V10 {
		return 0
	}
	return pick(g, tables)
}

// groupID draws one of the few groups of a case.
func (g draws) groupID() uint32 { return uint32(1 + g.IntN(4)) }

// meterID draws one of the few meters of a case.
func (g draws) meterID() uint32 { return uint32(1 + g.IntN(3)) }

// value draws a value of a field.
func (g draws) value(f openflow.Field) []byte {
	switch f {
	case openflow.FieldEthDst, openflow.FieldEthSrc, openflow.FieldARPSHA, openflow.FieldARPTHA, openflow.FieldIPv6NDSLL,
		openflow.FieldIPv6NDTLL:
		a := g.mac()
		return a[:]
	case openflow.FieldIPv4Src, openflow.FieldIPv4Dst, openflow.FieldARPSPA, openflow.FieldARPTPA:
		a := g.ip4()
		return a[:]
	case openflow.FieldIPv6Src, openflow.FieldIPv6Dst, openflow.FieldIPv6NDTarget:
		a := g.ip6()
		return a[:]
	case openflow.FieldIPDSCP:
		return []byte{g.tos() >> 2}
	case openflow.FieldIPECN:
		return []byte{g.tos() & 3}
	case openflow.FieldIPv6FLabel:
		return pick(g, [][]byte{{0, 0, 0, 7}, {0, 1, 0x23, 0x45}})
	case openflow.FieldARPOp:
		return []byte{0, byte(1 + g.IntN(2))}
	}
	p := pick(g, ports)
	return []byte{byte(p >> 8), byte(p)}
}
