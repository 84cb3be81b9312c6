package proxyarp

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/golden"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// TestConversations runs the golden conversations in testdata. Their commands are those of
// scene.do.
func TestConversations(t *testing.T) {
	golden.Each(t, "testdata", func(t *testing.T, path string) {
		s := newScene()
		golden.Run(t, path, s.do)
	})
}

// scene is a conversation under way: a switch with ports 1 to 3 for hosts and 4 to another switch.
type scene struct {
	t     *testing.T
	view  *netview.View
	facts *netview.Facts
	core  *Core
	now   time.Time
	log   []string
}

func (s *scene) Raise(kind netview.AlarmKind, object, text string) {
	s.log = append(s.log, fmt.Sprintf("alarm %s %s: %s", kind, object, text))
}

func (s *scene) Clear(kind netview.AlarmKind, object string) {
	s.log = append(s.log, fmt.Sprintf("alarm %s %s cleared", kind, object))
}

func newScene() *scene {
	v := netview.New(netview.Limits{})
	s := &scene{view: v, facts: v.Facts(), now: time.Unix(0, 0)}
	s.core = NewCore(Config{Alarms: s, Conflict: time.Minute, Limits: Limits{Answers: 3},
		Learned: func(h netview.HostID, ip netip.Addr) {
			s.log = append(s.log, fmt.Sprintf("learned %s %s", h, ip))
		}}, s.now)
	row := &netview.Switch{DPID: 1, Connected: true}
	for p := range uint32(4) {
		role := netview.PortEdge
		if p == 3 {
			role = netview.PortLink
		}
		row.Ports = append(row.Ports, netview.Port{Number: p + 1, Up: true, Role: role})
	}
	s.facts.Update(func(tx *netview.FactsTx) { tx.PutSwitch(row) })
	return s
}

// do does one command and says what came of it:
//
//	host N PORT [vlan=V] [state=unconfirmed]                 discovery has found host N
//	gone N                                                   and lost it
//	arp PORT N SPA TPA [op=2] [dst=M] [sha=M] [vlan=V]       an ARP packet of host N comes in at a port
//	ns PORT N SRC TARGET [hops=H] [sll=M] [vlan=V]           a neighbour solicitation
//	na PORT N TARGET [tll=M]                                 a neighbour advertisement
//	wait DURATION                                            time passes
//	counts                                                   what was counted, but zeros
func (s *scene) do(t *testing.T, c *golden.Command) string {
	s.t, s.log = t, nil
	vlan := uint16(s.number(c.Arg("vlan", "0")))
	switch c.Name {
	case "host":
		h := &netview.Host{HostID: netview.HostID{MAC: s.mac(c.Args[0]), VLAN: vlan},
			State: netview.HostState(c.Arg("state", "confirmed")),
			At:    netview.Point{DPID: 1, Port: uint32(s.number(c.Args[1]))}}
		s.facts.Update(func(tx *netview.FactsTx) { tx.PutHost(h) })
	case "gone":
		s.facts.Update(func(tx *netview.FactsTx) { tx.DeleteHost(netview.HostID{MAC: s.mac(c.Args[0])}) })
	case "arp":
		k := packet.NewARPRequest(s.mac(c.Args[1]), s.four(c.Args[2]), s.four(c.Args[3]))
		k.ARPOp = uint16(s.number(c.Arg("op", "1")))
		if m := c.Arg("dst", ""); m != "" {
			k.EthDst = s.mac(m)
		}
		if m := c.Arg("sha", ""); m != "" {
			k.ARPSHA = s.mac(m)
		}
		k.VLAN = tag(vlan)
		s.come(c.Args[0], packet.AppendARP(nil, &k))
	case "ns":
		k := packet.NewNDSolicit(s.mac(c.Arg("sll", c.Args[1])), s.six(c.Args[2]), s.six(c.Args[3]))
		k.EthSrc, k.TTL, k.VLAN = s.mac(c.Args[1]), uint8(s.number(c.Arg("hops", "255"))), tag(vlan)
		s.come(c.Args[0], packet.AppendND(nil, &k, 0))
	case "na":
		k := packet.NewNDAdvert(s.mac(c.Arg("tll", c.Args[1])), s.six(c.Args[2]),
			packet.MAC{0x33, 0x33, 0, 0, 0, 1}, s.six("ff02::1"))
		k.EthSrc = s.mac(c.Args[1])
		s.come(c.Args[0], packet.AppendND(nil, &k, packet.NDOverride))
	case "wait":
		d, err := time.ParseDuration(c.Args[0])
		if err != nil {
			t.Fatal(err)
		}
		for end := s.now.Add(d); s.now.Before(end); {
			s.now = s.now.Add(200 * time.Millisecond)
			s.core.Tick(s.view.Snapshot(), s.now)
		}
	case "counts":
		n := &s.core.Counts
		return fmt.Sprintf("answered %d, limited %d, learned %d, clashes %d, misplaced %d", n.Answered.Load(), n.Limited.Load(),
			n.Learned.Load(), n.Clashes.Load(), n.Misplaced.Load())
	default:
		t.Fatalf("no command %q", c.Name)
	}
	return strings.Join(s.log, "\n")
}

// come has a frame come in at a port: what it claims is learned, what it asks answered.
func (s *scene) come(port string, frame []byte) {
	var k packet.Key
	if _, fault := packet.ParseKey(frame, &k); fault != packet.FaultNone {
		s.t.Fatalf("the frame is malformed: %s", fault)
	}
	at := netview.Point{DPID: 1, Port: uint32(s.number(port))}
	snap := s.view.Snapshot()
	if cl, ok := s.core.NewClaim(&k, at); ok {
		s.core.Learn(cl, snap)
	}
	answer, ok := s.core.Answer(nil, &k, at, snap)
	if !ok {
		return
	}
	s.log = append(s.log, fmt.Sprintf("out of port %d: %s", at.Port, text(s.t, answer)))
}

// text is an answer as it is read back.
func text(t testing.TB, frame []byte) string {
	var k packet.Key
	if _, fault := packet.ParseKey(frame, &k); fault != packet.FaultNone {
		t.Fatalf("the answer is malformed: %s: %x", fault, frame)
	}
	head := fmt.Sprintf("%s > %s vlan %#x", k.EthSrc, k.EthDst, k.VLAN)
	if k.Layers.Has(packet.LayerARP) {
		return fmt.Sprintf("%s arp op %d: %s is at %s, tell %s at %s", head, k.ARPOp, netip.AddrFrom4(k.ARPSPA), k.ARPSHA,
			netip.AddrFrom4(k.ARPTPA), k.ARPTHA)
	}
	flags := frame[len(frame)-8-packet.NDLen+4]
	return fmt.Sprintf("%s nd %d hops %d %s > %s flags %#x: %s is at %s", head, k.ICMPType, k.TTL, k.IPSrc.Netip(),
		k.IPDst.Netip(), flags,
		k.NDTarget.Netip(), k.NDTLL)
}

func tag(vlan uint16) uint16 {
	if vlan == 0 {
		return 0
	}
	return packet.VLANPresent | vlan
}

func (s *scene) number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *scene) mac(text string) packet.MAC { return packet.MAC{2, 0, 0, 0, 0, byte(s.number(text))} }

func (s *scene) four(text string) [4]byte { return netip.MustParseAddr(text).As4() }

func (s *scene) six(text string) packet.Addr {
	if text == "::" {
		return packet.Addr{}
	}
	return packet.AddrFrom(netip.MustParseAddr(text))
}
