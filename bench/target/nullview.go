package target

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// NullView is the null instance of the scenarios in which a network comes into the view. It knows
// beforehand, by the topology, which switches there are from datapath id 1 on and where their links
// lead. It asks each switch what it is, as an instance does, has one frame go over each link each
// way, and shows a switch that has described itself, and a link once its frame has come. It keeps
// nothing, measures nothing, and does nothing at rest but answer echo requests. What is measured
// with it is the generator, the switches, and the machine.
type NullView struct {
	Topology string // as loadswitch.ParseTopology reads it
	Seed     uint64

	done      <-chan struct{} // the end
	routes    *paths.Shortest
	mu        sync.Mutex // guards what follows, and what is sent to switches
	connected map[uint64]*nullViewSwitch
	links     map[topo.End]bool // that are shown, by the end at which the frame came
	log       []byte            // the stream of events, since the start
	changed   chan struct{}     // closed when the log gets longer, and another made
}

// nullViewSwitch is the connection of a switch.
type nullViewSwitch struct {
	conn    net.Conn
	version openflow.Version
	dpid    uint64
	shown   bool
}

// begin makes what is known beforehand.
func (n *NullView) begin(ctx context.Context) error {
	t, err := loadswitch.ParseTopology(n.Topology, n.Seed)
	if err != nil {
		return err
	}
	n.done, n.changed = ctx.Done(), make(chan struct{})
	n.routes, n.connected, n.links = paths.NewShortest(t), map[uint64]*nullViewSwitch{}, map[topo.End]bool{}
	return nil
}

// message does what a message of a switch asks for.
func (n *NullView) message(s *nullViewSwitch, frame []byte) error {
	h, m, err := openflow.Parse(frame)
	if err != nil {
		return err
	}
	switch m := m.(type) {
	case *openflow.Hello:
		s.version = min(h.Version, openflow.V13)
		ask := []openflow.Message{&openflow.FeaturesRequest{}, &openflow.MultipartRequest{Body: &openflow.DescRequest{}}}
		if s.version != openflow.V10 {
			ask = append(ask, &openflow.MultipartRequest{Body: &openflow.PortDescRequest{}})
		}
		return n.send(s, 1, ask...)
	case *openflow.EchoRequest:
		return n.send(s, h.XID, &openflow.EchoReply{Data: m.Data})
	case *openflow.FeaturesReply:
		s.dpid = m.DatapathID
	case *openflow.MultipartReply:
		_, ports := m.Body.(*openflow.PortDescList)
		if whole := ports || s.version == openflow.V10; whole && m.Flags&openflow.MultipartMore == 0 {
			return n.show(s)
		}
	case *openflow.PacketIn:
		n.linkSeen(topo.End{Switch: int(s.dpid) - 1, Port: m.InPort})
	}
	return nil
}

// send sends messages to a switch.
func (n *NullView) send(s *nullViewSwitch, xid uint32, list ...openflow.Message) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return s.send(xid, list...)
}

func (s *nullViewSwitch) send(xid uint32, list ...openflow.Message) (err error) {
	var b []byte
	for _, m := range list {
		if b, err = openflow.Append(b, s.version, xid, m); err != nil {
			return err
		}
	}
	_, err = s.conn.Write(b)
	return err
}

// show takes note that a switch has described itself. Over its links to switches that are there,
// frames go both ways.
func (n *NullView) show(s *nullViewSwitch) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if s.shown || n.connected[s.dpid] != nil {
		return nil
	}
	s.shown, n.connected[s.dpid] = true, s
	n.event("switch", s.append(nil))
	var mine []openflow.Message
	for _, near := range n.linksOf(s) {
		far := n.routes.Far[near]
		if other := n.connected[uint64(far.Switch)+1]; other != nil {
			mine = append(mine, probe(near.Port))
			_ = other.send(1, probe(far.Port)) // its own connection tells of its end
		}
	}
	return s.send(1, mine...)
}

// linksOf are the ends of links at a switch; none if it is not of the topology.
func (n *NullView) linksOf(s *nullViewSwitch) []topo.End {
	if s.dpid < 1 || s.dpid > uint64(len(n.routes.Of)) {
		return nil
	}
	return n.routes.Of[s.dpid-1]
}

// nullProbe is the least frame that switches pass on: discovery's type and nothing more.
var nullProbe = packet.AppendEthernet(nil, packet.MAC{1, 0x80, 0xc2, 0, 0, 0x0e}, packet.MAC{2}, 0, 0, packet.TypeLLDP)

func probe(port uint32) *openflow.PacketOut {
	return &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortController,
		Actions: []openflow.Action{openflow.Output(port)}, Data: nullProbe}
}

// linkSeen takes note that a frame came in at an end: there is a link to it.
func (n *NullView) linkSeen(at topo.End) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, ok := n.routes.Far[at]; ok && !n.links[at] {
		n.links[at] = true
		n.event("link", n.appendLink(nil, at))
	}
}

// leave takes note of the end of a connection: the switch and its links are gone.
func (n *NullView) leave(s *nullViewSwitch) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !s.shown {
		return
	}
	s.shown = false
	delete(n.connected, s.dpid)
	n.event("switch", s.append(nil))
	for _, near := range n.linksOf(s) {
		for _, at := range []topo.End{near, n.routes.Far[near]} {
			if n.links[at] {
				delete(n.links, at)
				n.event("link", n.appendLink(nil, at))
			}
		}
	}
}

// event adds an event to the log. mu is held.
func (n *NullView) event(kind string, data []byte) {
	n.log = fmt.Appendf(n.log, "event: %s\ndata: %s\n\n", kind, data)
	close(n.changed)
	n.changed = make(chan struct{})
}

// append appends a switch as its JSON.
func (s *nullViewSwitch) append(b []byte) []byte {
	b = append(append(b, `{"dpid":"`...), client.FormatDPID(s.dpid)...)
	return append(strconv.AppendBool(append(b, `","connected":`...), s.shown), '}')
}

// appendLink appends the link to an end as its JSON. mu is held.
func (n *NullView) appendLink(b []byte, dst topo.End) []byte {
	point := func(name string, e topo.End) {
		b = append(append(append(append(b, '"'), name...), `":{"dpid":"`...), client.FormatDPID(uint64(e.Switch)+1)...)
		b = append(strconv.AppendUint(append(b, `","port":`...), uint64(e.Port), 10), "},"...)
	}
	b = append(b, '{')
	point("src", n.routes.Far[dst])
	point("dst", dst)
	return append(strconv.AppendBool(append(b, `"up":`...), n.links[dst]), `,"state":"confirmed"}`...)
}

// switchesPath is where an instance shows its switches.
const switchesPath = "/v1/switches"

// answer appends the body of the answer to a request that reads. ok is false if there is no such
// thing.
func (n *NullView) answer(b []byte, path string) (body []byte, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if id, one := strings.CutPrefix(path, switchesPath+"/"); one {
		dpid, err := strconv.ParseUint(id, 16, 64)
		if s := n.connected[dpid]; err == nil && s != nil {
			return s.append(b), true
		}
		return append(b, "{}"...), false
	}
	b = append(b, `{"items":[`...)
	empty := len(b)
	switch path {
	case switchesPath:
		for _, s := range n.connected {
			b = append(s.append(b), ',')
		}
	case "/v1/links":
		for at := range n.links {
			b = append(n.appendLink(b, at), ',')
		}
	}
	if len(b) > empty {
		b = b[:len(b)-1] // the last comma
	}
	return append(b, `],"revision":"0.0"}`...), true
}
