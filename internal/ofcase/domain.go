package ofcase

import (
	"encoding/binary"
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

// gen draws.
type gen struct {
	*rand.Rand
	v       openflow.Version
	opt     Options
	added   []*openflow.FlowMod // the additions so far
	groups  map[uint32]bool     // that exist for sure
	chained map[uint32]bool     // that others may send to, or watch
	// entry is set while an entry is drawn that may send to one group only, and once: a switch may
	// not survive the deletion of the groups of another one. Sends is set when it does.
	entry, sends bool
	tells        bool           // whether groups send to the controller, and then are in no action set: see set
	like         openflow.Match // that which the frame being drawn should satisfy
}

// as is a drawn value of a field, but with the bits that the match g.like wants.
func (g *gen) as(f openflow.Field, drawn []byte) []byte {
	value, mask, ok := g.like.Lookup(f)
	if !ok {
		return drawn
	}
	b := append([]byte{}, value...)
	for i := range mask {
		b[i] |= drawn[i] &^ mask[i]
	}
	return b
}

// as8 is as for a field of one byte, as16 for one of two.
func (g *gen) as8(f openflow.Field, drawn uint8) uint8 { return g.as(f, []byte{drawn})[0] }

func (g *gen) as16(f openflow.Field, drawn uint16) uint16 {
	return binary.BigEndian.Uint16(g.as(f, binary.BigEndian.AppendUint16(nil, drawn)))
}

// one in n is true.
func (g *gen) one(n int) bool { return g.IntN(n) == 0 }

// pick draws from a list.
func pick[T any](g *gen, list []T) T { return list[g.IntN(len(list))] }

func (g *gen) mac() [6]byte { return pick(g, macs) }

func (g *gen) ip4() [4]byte { return netip.MustParseAddr(pick(g, ips4)).As4() }

func (g *gen) ip6() [16]byte { return netip.MustParseAddr(pick(g, ips6)).As16() }

// port draws a port that the switch has.
func (g *gen) port() uint32 { return uint32(1 + g.IntN(Ports)) }

// ttl draws a time to live, of which the small ones matter.
func (g *gen) ttl() uint8 { return pick(g, []uint8{64, 64, 64, 2, 1, 0}) }

// dscp draws a type of service.
func (g *gen) tos() uint8 { return pick(g, []uint8{0, 0, 0xb8, 0xb9, 3}) }
