package bench

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net"
	"strconv"
	"sync"

	"github.com/weirnet/weir/bench/rig"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

// Null is the null instance: what it is asked for by the scenarios of intents it knows beforehand, by their seed. It keeps nothing, confirms nothing,
// compares nothing, and looks at no more of a request than the numbers in it: the paths of a request go to the switches, in the encoding that Weir has,
// before the answer. What is measured with it is the generator, the switches, and the machine.
type Null struct {
	Topology string // as rig.ParseTopology reads it
	Hops     int
	Seed     uint64

	asks     *asks
	add, del []byte // flow-mods as they are sent, but for what is of a path

	mu       sync.Mutex // guards what follows, and the order in which switches are told
	switches []nullSwitch
	there    int              // switches that are connected
	held     map[int]nullPath // paths that were asked for, by their numbers
	down     map[topo.End]bool
	towards  [][]nullHop // by the switch that ways lead to, and the switch that they are at; nil: not looked for yet
	at       map[topo.End]topo.End
	of       [][]topo.End // the ports with links of each switch
	touched  []int        // switches with something to send
}

// nullSwitch is the connection of a switch, and what is to be sent to it.
type nullSwitch struct {
	conn net.Conn
	out  []byte
}

// nullPath is a path that is held: hops with the switch, the port in, and the port out.
type nullPath struct {
	pathAsk
	hops [][3]uint32
}

// nullHop is the port by which a way goes on; none: there is no way.
type nullHop struct{ out uint32 }

// begin makes what is known beforehand.
func (n *Null) begin() error {
	t, err := rig.ParseTopology(n.Topology, n.Seed)
	if err != nil {
		return err
	}
	setup := Setup{}
	if n.asks, err = newAsks(setup.newNetwork(t), n.Hops, n.Seed); err != nil {
		return err
	}
	n.switches, n.towards = make([]nullSwitch, len(t.Switches)), make([][]nullHop, len(t.Switches))
	n.held, n.down, n.at, n.of = map[int]nullPath{}, map[topo.End]bool{}, map[topo.End]topo.End{}, make([][]topo.End, len(t.Switches))
	for _, l := range t.Links {
		n.at[l.A], n.at[l.B] = l.B, l.A
		n.of[l.A.Switch], n.of[l.B.Switch] = append(n.of[l.A.Switch], l.A), append(n.of[l.B.Switch], l.B)
	}
	m := &openflow.FlowMod{Table: 1, Priority: 20100, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
	for field, v := range map[openflow.Field]uint64{openflow.FieldInPort: 1, openflow.FieldEthType: nullIPv4, openflow.FieldIPv4Src: 1, openflow.FieldIPv4Dst: 1} {
		m.Match.SetUint(field, v)
	}
	m.Match = m.Match.Canonical()
	del := *m
	del.Command = openflow.FlowDeleteStrict
	m.Instructions = []openflow.Instruction{openflow.Apply(openflow.Output(1))}
	if n.add, err = openflow.Append(nil, openflow.V13, 1, m); err != nil {
		return err
	}
	n.del, err = openflow.Append(nil, openflow.V13, 1, &del)
	return err
}

// Where what is of a path stands in its flow-mods (struct ofp_flow_mod of OpenFlow 1.3, its match in canonical order).
const (
	nullIPv4   = 0x0800
	nullCookie = 8
	nullInPort = 56
	nullSrc    = 70
	nullDst    = 78
	nullOut    = 100
)

// way finds the hops of a path over links that are up; nil if there are none. mu is held.
func (n *Null) way(p *pathAsk) (hops [][3]uint32) {
	t := n.towards[p.to.Switch]
	if t == nil {
		t = n.tree(p.to.Switch)
		n.towards[p.to.Switch] = t
	}
	at, in := p.from.Switch, p.from.Port
	for at != p.to.Switch {
		out := t[at].out
		if out == 0 {
			return nil
		}
		hops = append(hops, [3]uint32{uint32(at), in, out})
		next := n.at[topo.End{Switch: at, Port: out}]
		at, in = next.Switch, next.Port
	}
	return append(hops, [3]uint32{uint32(at), in, p.to.Port})
}

// tree is a shortest way from each switch to one. mu is held.
func (n *Null) tree(to int) []nullHop {
	t := make([]nullHop, len(n.of))
	for queue := []int{to}; len(queue) > 0; queue = queue[1:] {
		for _, near := range n.of[queue[0]] {
			far := n.at[near]
			if far.Switch != to && t[far.Switch].out == 0 && !n.down[near] && !n.down[far] {
				t[far.Switch].out = far.Port
				queue = append(queue, far.Switch)
			}
		}
	}
	return t
}

// write has hops of a path be told to their switches with the next send. mu is held.
func (n *Null) write(p *nullPath, mod []byte, hops [][3]uint32) {
	for _, h := range hops {
		s := &n.switches[h[0]]
		if len(s.out) == 0 {
			n.touched = append(n.touched, int(h[0]))
		}
		at := len(s.out)
		s.out = append(s.out, mod...)
		b, be := s.out[at:], binary.BigEndian
		be.PutUint64(b[nullCookie:], uint64(p.n))
		be.PutUint32(b[nullInPort:], h[1])
		be.PutUint32(b[nullSrc:], p.src)
		be.PutUint32(b[nullDst:], p.dst)
		if len(b) > nullOut {
			be.PutUint32(b[nullOut:], h[2])
		}
	}
}

// send tells switches. mu is held.
func (n *Null) send() error {
	var err error
	for _, i := range n.touched {
		s := &n.switches[i]
		if s.conn == nil {
			err = errors.Join(err, errors.New("a switch is not connected"))
		} else if _, e := s.conn.Write(s.out); e != nil {
			err = e
		}
		s.out = s.out[:0]
	}
	n.touched = n.touched[:0]
	return err
}

// put installs a path, or replaces the one with its number. mu is held.
func (n *Null) put(p pathAsk) {
	x := nullPath{pathAsk: p}
	x.hops = n.way(&p)
	old := n.held[p.n]
	n.held[p.n] = x
	n.write(&x, n.add, x.hops)
	n.write(&old, n.del, elsewhere(old.hops, x.hops))
}

// drop withdraws a path. mu is held.
func (n *Null) drop(number int) {
	if x, ok := n.held[number]; ok {
		n.write(&x, n.del, x.hops)
		delete(n.held, number)
	}
}

// elsewhere are the hops whose entries no other has the place of.
func elsewhere(hops, others [][3]uint32) (out [][3]uint32) {
	for _, h := range hops {
		kept := false
		for _, o := range others {
			kept = kept || o[0] == h[0] && o[1] == h[1]
		}
		if !kept {
			out = append(out, h)
		}
	}
	return out
}

// carrier takes a port that went down or came up: the paths that took its link go another way.
func (n *Null) carrier(at topo.End, up bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	other, ok := n.at[at]
	if !ok || n.down[at] == !up {
		return nil
	}
	n.down[at] = !up
	clear(n.towards)
	for _, x := range n.held {
		if up || !x.takes(at) && !x.takes(other) {
			continue
		}
		n.put(x.pathAsk)
	}
	return n.send()
}

// takes reports whether a path leaves by a port.
func (p *nullPath) takes(at topo.End) bool {
	for _, h := range p.hops {
		if int(h[0]) == at.Switch && h[2] == at.Port {
			return true
		}
	}
	return false
}

// links is how many directions of links there are, when all switches are there: each needs its ports at both ends.
func (n *Null) links() (count int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for a, b := range n.at {
		if n.there == len(n.switches) && !n.down[a] && !n.down[b] {
			count++
		}
	}
	return count
}

// ask does what a request asks for, and appends the body of its answer.
func (n *Null) ask(b []byte, r *nullRequest) ([]byte, error) {
	if r.method == "GET" {
		return n.show(b, r), nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	answer := `{"status":"accepted"}` + "\n"
	switch {
	case r.method == "DELETE":
		number, _ := numberOf(r.path[len(intentsPath)+1:])
		n.drop(number)
		return b, n.send()
	case r.method == "PUT":
		number, _ := numberOf(r.path[len(intentsPath)+1:])
		n.put(n.asks.moved(number))
		return append(b, answer...), n.send()
	case r.protobuf:
		return n.messages(b, r.body)
	}
	body := r.body
	for {
		at := bytes.Index(body, []byte(`"p`))
		if at < 0 {
			return b, n.send()
		}
		withdraw := r.path == withdrawPath || bytes.HasSuffix(body[:at], []byte(`"withdraw","id":`))
		number, ok := numberOf(body[at+1:])
		body = body[at+2:]
		if !ok {
			continue
		}
		if withdraw {
			n.drop(number)
		} else {
			n.put(n.asks.at(number))
		}
		b = append(b, answer...)
	}
}

// messages is ask of protobuf messages. mu is held.
func (n *Null) messages(b, body []byte) ([]byte, error) {
	for len(body) > 0 {
		length, m := binary.Uvarint(body)
		if m <= 0 || length > uint64(len(body)-m) || length < 4 {
			return b, errors.New("a message is cut short")
		}
		x := body[m : m+int(length)]
		body = body[m+int(length):]
		withdraw := x[0] == requestOp<<3|wireVarint
		if withdraw {
			x = x[2:]
		}
		length = uint64(min(int(x[1])+2, len(x)))
		number, ok := numberOf(x[2:length])
		switch {
		case !ok:
			return b, errors.New("a message without a number")
		case withdraw:
			n.drop(number)
		default:
			n.put(n.asks.at(number))
		}
		b = append(b, 4, 1<<3, 0, answerStatus<<3, statusAccepted)
	}
	return b, n.send()
}

// numberOf reads the number of a path from its id, "p12", and whatever stands behind it.
func numberOf[T string | []byte](id T) (number int, ok bool) {
	if len(id) == 0 || id[0] != 'p' {
		return 0, false
	}
	for i := 1; i < len(id) && id[i] >= '0' && id[i] <= '9' && number < askMost; i++ {
		number, ok = number*10+int(id[i]-'0'), true
	}
	return number, ok
}

// show answers a request that reads: of links as many as there are, and nothing of anything else.
func (n *Null) show(b []byte, r *nullRequest) []byte {
	b = append(b, `{"items":[`...)
	if r.path == "/v1/links" {
		for i := range n.links() {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, `{"src":{"dpid":"0","port":1},"dst":{"dpid":"0","port":`...)
			b = strconv.AppendInt(b, int64(i), 10)
			b = append(b, `},"up":true,"state":"confirmed"}`...)
		}
	}
	return append(b, `],"revision":"0.0"}`...)
}
