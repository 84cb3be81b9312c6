package sim

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// network is the emulated network as it is, whatever an instance knows of it: switches, links,
// sockets and hosts. A host is in one socket at most, and has it for itself.
type network struct {
	*emu.Network
	w        *world
	sockets  []*socket
	stations []*station

	at    time.Time // when the network wants its turn; zero: never
	busy  int       // turns since time stands still
	stood time.Time // since when it does
	hops  hopMeter
}

func (n *network) addSocket(sw int) error {
	s := &socket{w: n.w, index: len(n.sockets), sw: sw}
	sws := n.Switches()[sw]
	out, err := sws.Attach(0, fmt.Sprintf("socket%d", s.index), plugs, s)
	if err != nil {
		return err
	}
	_, _, at, port := out.Link().Ends()
	if at != sws {
		_, port, _, _ = out.Link().Ends()
	}
	s.out, s.port = out, port
	out.Plug(false)
	n.sockets = append(n.sockets, s)
	return nil
}

func (n *network) addStation(spec HostPlan) error {
	i := len(n.stations)
	h := &station{w: n.w, index: i, heard: make(map[uint32]int)}
	binary.BigEndian.PutUint32(h.mac[2:], uint32(i)+1)
	h.mac[0] = 0x02
	h.ip = netip.AddrFrom4([4]byte{10, 0, 0, byte(i + 1)})
	cfg := host.Config{Name: h.name(), MAC: h.mac, IPv4: netip.PrefixFrom(h.ip, 24), VLAN: spec.VLAN,
		Seed: n.w.seed ^ uint64(i)<<40 | 1}
	if spec.IPv6 {
		v6 := [16]byte{0: 0xfd, 15: byte(i + 1)}
		cfg.IPv6 = netip.PrefixFrom(netip.AddrFrom16(v6), 64)
	}
	var err error
	h.stack, err = host.New(cfg)
	n.stations = append(n.stations, h)
	return err
}

// maxTurnsAtOnce is how many turns the network may take at one time.
const maxTurnsAtOnce = 10_000

// turn lets the network do what is due.
func (n *network) turn() {
	w := n.w
	next, more, ok := n.Turn()
	switch {
	case more:
		n.at = w.now
	case ok:
		n.at = later(epoch.Add(next), w.now)
	default:
		n.at = time.Time{}
	}
	if n.busy++; n.stood.Before(w.now) {
		n.busy, n.stood = 0, w.now
	}
	if n.busy > maxTurnsAtOnce {
		w.fail("frames loop and time stands still")
	}
	n.hops.look(w)
}

// hopMeter counts frames that switches take: a loop of broadcasts shows at once.
type hopMeter struct {
	since time.Time
	hops  uint64
}

// hopsMost is how many frames all switches may take in a second, and hopsEach how many more for
// each switch.
const (
	hopsMost = 4000
	hopsEach = 400
)

func (m *hopMeter) look(w *world) {
	hops := w.net.Totals().PacketHops
	took := hops - m.hops
	if took > uint64(hopsMost+hopsEach*w.plan.Switches) {
		w.fail("a storm: switches took %d frames in %v", took, w.now.Sub(m.since))
		return
	}
	if w.now.Sub(m.since) >= time.Second {
		m.since, m.hops = w.now, hops
	}
}

// linkEnds are the two ports of a link.
func (n *network) linkEnds(i int) (a, b netview.Point) {
	x, xp, y, yp := n.Links()[i].Ends()
	return netview.Point{DPID: netview.DPID(x.DatapathID()), Port: xp},
		netview.Point{DPID: netview.DPID(y.DatapathID()), Port: yp}
}

// across is the other end of a link between switches.
func (n *network) across(p netview.Point) (netview.Point, bool) {
	for i := range n.Links() {
		a, b := n.linkEnds(i)
		switch p {
		case a:
			return b, true
		case b:
			return a, true
		}
	}
	return netview.Point{}, false
}

// byHand changes entries behind the instance's back.
func (n *network) byHand(e Event) {
	sw, v := n.Switches()[e.A], n.w.plan.Version
	flows := sw.Flows(v)
	m := openflow.FlowMod{Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
	switch {
	case e.Kind == EmptyByHand:
		m.Command, m.Table = openflow.FlowDelete, openflow.TableAll
		if v == openflow.V10 {
			m.Table = 0
		}
	case e.Kind == AddByHand:
		m.Priority, m.Cookie = 100+uint16(e.B%1000), 0xabc
		m.Match = openflow.Match{OXM: []byte{0x80, 0, byte(openflow.FieldEthType) << 1, 2, 0x88, byte(0xb6 + e.B%4)}}
		m.Instructions = []openflow.Instruction{openflow.Apply(openflow.Output(sw.Ports()[0]))}
	case len(flows) == 0:
		return
	default:
		f := &flows[e.B%len(flows)]
		if plan.Decode(f.Cookie).Kind.Soft() && e.Kind == ChangeByHand {
			return // the switch is the truth about such entries: nobody would know
		}
		m.Command, m.Table, m.Priority, m.Match, m.Cookie = openflow.FlowDeleteStrict, f.Table, f.Priority, f.Match, f.Cookie
		if e.Kind == ChangeByHand {
			m.Command, m.IdleTimeout, m.HardTimeout, m.Flags = openflow.FlowAdd, f.IdleTimeout, f.HardTimeout, f.Flags
			m.Instructions = nil // packets go nowhere: others would make loops that nobody is to blame for
		}
	}
	if err := sw.Console().Apply(v, &m); err != nil {
		n.w.say("%s does not take it: %v", sw.Name(), err)
	}
}
