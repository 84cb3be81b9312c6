package target

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"net"
	"slices"
	"strconv"
	"sync"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

// Null is the null instance: what it is asked for by the scenarios of intents it knows beforehand,
// by their seed. It keeps nothing, confirms nothing, compares nothing, and looks at no more of a
// request than the numbers in it: the paths of a request go to the switches, in the encoding that
// Weir has, before the answer. What is measured with it is the generator, the switches, and the
// machine.
type Null struct {
	Topology string // as loadswitch.ParseTopology reads it
	Hops     int
	Seed     uint64

	paths    *paths.Set
	add, del []byte // flow-mods as they are sent, but for what is of a path

	mu        sync.Mutex // guards what follows, and the order in which switches are told
	switches  []nullSwitch
	connected int              // switches that are connected
	installed map[int]nullPath // paths that were asked for, by their numbers
	routes    *paths.Shortest
	touched   []int // switches with something to send
}

// nullSwitch is the connection of a switch, and what is to be sent to it.
type nullSwitch struct {
	conn net.Conn
	out  []byte
}

// nullPath is a path that is held: hops with the switch, the port in, and the port out.
type nullPath struct {
	paths.Path
	hops [][3]uint32
}

// begin makes what is known beforehand.
func (n *Null) begin(context.Context) error {
	t, err := loadswitch.ParseTopology(n.Topology, n.Seed)
	if err != nil {
		return err
	}
	net := loadswitch.New(t, loadswitch.Config{Version: openflow.V13, Hosts: paths.EndPorts, HostPorts: paths.EndPorts})
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.paths, err = paths.New(net, n.Hops, n.Seed); err != nil {
		return err
	}
	n.switches, n.installed, n.routes = make([]nullSwitch, len(t.Switches)), map[int]nullPath{}, paths.NewShortest(t)
	one := paths.Path{N: 1, Src: 1, Dst: 1}
	if n.add, err = openflow.Append(nil, openflow.V13, 1, one.Mod(openflow.FlowAdd, [3]uint32{1, 1, 1})); err != nil {
		return err
	}
	n.del, err = openflow.Append(nil, openflow.V13, 1, one.Mod(openflow.FlowDeleteStrict, [3]uint32{1, 1, 1}))
	return err
}

// Where what is of a path stands in its flow-mods (struct ofp_flow_mod of OpenFlow 1.3, its match
// in canonical order).
const (
	nullCookie = 8
	nullInPort = 56
	nullSrc    = 70
	nullDst    = 78
	nullOut    = 100
)

// queue has hops of a path be told to their switches with the next send. mu is held.
func (n *Null) queue(p *nullPath, mod []byte, hops [][3]uint32) {
	for _, h := range hops {
		s := &n.switches[h[0]]
		if len(s.out) == 0 {
			n.touched = append(n.touched, int(h[0]))
		}
		at := len(s.out)
		s.out = append(s.out, mod...)
		b, be := s.out[at:], binary.BigEndian
		be.PutUint64(b[nullCookie:], uint64(p.N))
		be.PutUint32(b[nullInPort:], h[1])
		be.PutUint32(b[nullSrc:], p.Src)
		be.PutUint32(b[nullDst:], p.Dst)
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

// install installs a path, or replaces the one with its number. mu is held.
func (n *Null) install(p paths.Path) {
	x := nullPath{Path: p, hops: n.routes.Hops(p.From, p.To)}
	old := n.installed[p.N]
	n.installed[p.N] = x
	n.queue(&x, n.add, x.hops)
	n.queue(&old, n.del, paths.Elsewhere(old.hops, x.hops))
}

// withdraw withdraws a path. mu is held.
func (n *Null) withdraw(number int) {
	if x, ok := n.installed[number]; ok {
		n.queue(&x, n.del, x.hops)
		delete(n.installed, number)
	}
}

// carrier takes a port that went down or came up: the paths that took its link go another way.
func (n *Null) carrier(at topo.End, up bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.routes.Set(at, up) {
		return nil
	}
	other := n.routes.Far[at]
	for _, x := range n.installed {
		if up || !x.takes(at) && !x.takes(other) {
			continue
		}
		n.install(x.Path)
	}
	return n.send()
}

// Held is how many paths are held.
func (n *Null) Held() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.installed)
}

// takes reports whether a path leaves by a port.
func (p *nullPath) takes(at topo.End) bool {
	return slices.ContainsFunc(p.hops, func(h [3]uint32) bool { return int(h[0]) == at.Switch && h[2] == at.Port })
}

// Links is how many directions of links there are, when all switches are there: each needs its
// ports at both ends.
func (n *Null) Links() (count int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.connected == 0 || n.connected < len(n.switches) {
		return 0
	}
	for a, b := range n.routes.Far {
		if !n.routes.Down[a] && !n.routes.Down[b] {
			count++
		}
	}
	return count
}

// handle does what a request asks for, and appends the body of its answer.
func (n *Null) handle(b []byte, r *nullRequest) ([]byte, error) {
	if r.method == "GET" {
		return n.show(b, r), nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	answer := `{"status":"accepted"}` + "\n"
	switch {
	case r.method == "DELETE":
		number, _ := numberOf(r.path[len(paths.IntentsURL)+1:])
		n.withdraw(number)
		return b, n.send()
	case r.method == "PUT":
		number, _ := numberOf(r.path[len(paths.IntentsURL)+1:])
		n.install(n.paths.Moved(number))
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
		withdraw := r.path == paths.WithdrawURL || bytes.HasSuffix(body[:at], []byte(`"withdraw","id":`))
		number, ok := numberOf(body[at+1:])
		body = body[at+2:]
		if !ok {
			continue
		}
		if withdraw {
			n.withdraw(number)
		} else {
			n.install(n.paths.At(number))
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
		withdraw := x[0] == paths.RequestOp<<3|paths.WireVarint
		if withdraw {
			x = x[2:]
		}
		length = uint64(min(int(x[1])+2, len(x)))
		number, ok := numberOf(x[2:length])
		switch {
		case !ok:
			return b, errors.New("a message without a number")
		case withdraw:
			n.withdraw(number)
		default:
			n.install(n.paths.At(number))
		}
		b = append(b, 4, 1<<3, 0, paths.AnswerStatus<<3, paths.StatusAccepted)
	}
	return b, n.send()
}

// numberOf reads the number of a path from its id, "p12", and whatever stands behind it.
func numberOf[T string | []byte](id T) (number int, ok bool) {
	if len(id) == 0 || id[0] != 'p' {
		return 0, false
	}
	for i := 1; i < len(id) && id[i] >= '0' && id[i] <= '9' && number < paths.Max; i++ {
		number, ok = number*10+int(id[i]-'0'), true
	}
	return number, ok
}

// show answers a request that reads: of links as many as there are, and nothing of anything else.
func (n *Null) show(b []byte, r *nullRequest) []byte {
	b = append(b, `{"items":[`...)
	if r.path == "/v1/links" {
		for i := range n.Links() {
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
