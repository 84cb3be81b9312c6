package node_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
)

// wire is a switch that is nothing but a connection: it sends the bytes that a test gives it and
// answers what every switch must. One goroutine reads at a time: the test's own (exchange), or,
// after serve, one of the wire's.
type wire struct {
	t       testing.TB
	dpid    uint64
	version openflow.Version
	ports   int
	conn    net.Conn
	in      *bufio.Reader
	journal *journal
	xid     uint32

	served chan struct{} // closed when the connection has ended
	pongs  chan uint32

	mu    sync.Mutex           // guards what follows
	peers map[uint32]far       // links, by port
	hold  bool                 // barriers are not answered
	held  []uint32             // barriers that wait
	rows  []openflow.FlowStats // firm entries: what is not read back is written anew, after seconds
}

// far is the other end of a link.
type far struct {
	w    *wire
	port uint32
}

// join links two ports: discovery frames pass.
func join(a *wire, p uint32, b *wire, q uint32) {
	for _, e := range []struct {
		at   *wire
		port uint32
		far
	}{{a, p, far{b, q}}, {b, q, far{a, p}}} {
		e.at.mu.Lock()
		if e.at.peers == nil {
			e.at.peers = map[uint32]far{}
		}
		e.at.peers[e.port] = e.far
		e.at.mu.Unlock()
	}
}

// pass sends a discovery frame over the links of the ports that it is for.
func (w *wire) pass(po *openflow.PacketOut) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, port := range outputs(po) {
		if to, ok := w.peers[port]; ok {
			to.w.write(to.w.append(nil, 0, packetIn(to.port, po.Data)))
		}
	}
}

// dial connects a switch and sends its HELLO.
func (i *instance) dial(dpid uint64, v openflow.Version, ports int) *wire {
	i.t.Helper()
	conn, err := net.Dial("tcp", i.at.OpenFlow)
	if err != nil {
		i.t.Fatal(err)
	}
	conn.SetReadDeadline(time.Now().Add(2 * patience))
	w := &wire{t: i.t, dpid: dpid, version: v, ports: ports, conn: conn, in: bufio.NewReader(conn), xid: 1 << 31,
		journal: i.journal, pongs: make(chan uint32, 1)}
	i.t.Cleanup(func() {
		conn.Close()
		if w.served != nil {
			<-w.served
		}
	})
	return w
}

// switchOn connects a switch, does its handshake and waits until it is a switch of the view.
func (i *instance) switchOn(number uint64, v openflow.Version, ports int) *wire {
	i.t.Helper()
	w := i.dial(number, v, ports)
	w.send(&openflow.Hello{})
	for done := false; !done; {
		h, frame, err := w.read()
		if err != nil {
			i.t.Fatalf("switch %d, in its handshake: %v", number, err)
		}
		w.answer(h, frame)
		done = h.Type == openflow.TypeMultipartRequest && binary.BigEndian.Uint16(frame[8:]) == 0 // description: the last
	}
	i.await("a switch", func() bool {
		sw, err := i.api.Switch(i.t.Context(), dpid(number))
		return err == nil && sw.Connected && sw.Address == w.conn.LocalAddr().String()
	})
	return w
}

// serve has the wire read and answer by itself.
func (w *wire) serve() *wire {
	w.served = make(chan struct{})
	go func() {
		defer close(w.served)
		for {
			h, frame, err := w.read()
			if err != nil {
				return
			}
			w.answer(h, frame)
			if h.Type == openflow.TypeEchoReply {
				w.pongs <- h.XID
			}
		}
	}()
	return w
}

// read reads one message.
func (w *wire) read() (openflow.Header, []byte, error) {
	head, err := w.in.Peek(openflow.HeaderLen)
	if err != nil {
		return openflow.Header{}, nil, err
	}
	h, err := openflow.ParseHeader(head)
	if err != nil {
		return h, nil, err
	}
	frame := make([]byte, h.Length)
	_, err = io.ReadFull(w.in, frame)
	return h, frame, err
}

// append is a message as bytes.
func (w *wire) append(b []byte, xid uint32, m openflow.Message) []byte {
	b, err := openflow.Append(b, w.version, xid, m)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

// send sends messages with ids of our own.
func (w *wire) send(msgs ...openflow.Message) {
	var b []byte
	for _, m := range msgs {
		w.xid++
		b = w.append(b, w.xid, m)
	}
	w.write(b)
}

// write sends bytes. That the instance has closed the connection is found by reading.
func (w *wire) write(b []byte) {
	if _, err := w.conn.Write(b); err != nil && !closedByPeer(err) {
		w.t.Errorf("switch %d: %v", w.dpid, err)
	}
}

func closedByPeer(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.As(err, &op) && !op.Timeout()
}

// answer answers what every switch must, and writes down modifications and packet-outs.
func (w *wire) answer(h openflow.Header, frame []byte) {
	switch h.Type {
	case openflow.TypeEchoRequest:
		reply := bytes.Clone(frame)
		reply[1]++
		w.write(reply)
	case openflow.TypeFeaturesRequest:
		r := &openflow.FeaturesReply{DatapathID: w.dpid, Buffers: 0, Tables: 8}
		if w.version == openflow.V10 {
			r.Tables, r.Ports = 1, w.describe()
		}
		w.write(w.append(nil, h.XID, r))
	case openflow.TypeGetConfigRequest:
		w.write(w.append(nil, h.XID, &openflow.GetConfigReply{MissSendLen: 0xffff}))
	case openflow.TypeRoleRequest, openflow.TypeExperimenter:
		if _, m, err := openflow.Parse(frame); err == nil {
			if r, ok := m.(*openflow.RoleRequest); ok {
				w.write(w.append(nil, h.XID, &openflow.RoleReply{Role: r.Role, Generation: r.Generation}))
			}
		}
	case openflow.TypeBarrierRequest:
		w.confirm(h.XID)
	case openflow.TypeMultipartRequest:
		w.write(w.append(nil, h.XID, &openflow.MultipartReply{Body: w.statistics(frame)}))
	case openflow.TypeFlowMod, openflow.TypePacketOut:
		e := w.journal.add(w.dpid, w.conn, frame)
		if fm, ok := e.m.(*openflow.FlowMod); ok {
			w.keep(fm)
		}
		if po, ok := e.m.(*openflow.PacketOut); ok && isProbe(e) {
			w.pass(po)
		}
	}
}

// keep puts or deletes firm entries. Of a deletion that is not strict every entry with its match goes, and with an
// empty match each.
func (w *wire) keep(fm *openflow.FlowMod) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rows = slices.DeleteFunc(w.rows, func(r openflow.FlowStats) bool {
		same := r.Table == fm.Table && r.Match.Equal(fm.Match)
		if fm.Command == openflow.FlowDelete {
			anywhere := fm.Match.Equal(openflow.Match{}) && (fm.Table == r.Table || fm.Table == openflow.TableAll)
			return (same || anywhere) && (r.Cookie^fm.Cookie)&fm.CookieMask == 0
		}
		return same && r.Priority == fm.Priority
	})
	if fm.Command == openflow.FlowAdd && fm.IdleTimeout == 0 && fm.HardTimeout == 0 {
		w.rows = append(w.rows, openflow.FlowStats{Table: fm.Table, Priority: fm.Priority, Cookie: fm.Cookie, Flags: fm.Flags,
			Match: fm.Match, Instructions: fm.Instructions})
	}
}

// confirm answers a barrier, or keeps it.
func (w *wire) confirm(xid uint32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.hold {
		w.held = append(w.held, xid)
		w.journal.bell.ring()
		return
	}
	w.write(w.append(nil, xid, &openflow.BarrierReply{}))
}

// holdBarriers keeps barriers from now on, or answers those that were kept.
func (w *wire) holdBarriers(on bool) {
	w.mu.Lock()
	w.hold = on
	held := w.held
	w.held = nil
	w.mu.Unlock()
	for _, xid := range held {
		w.confirm(xid)
	}
}

func (w *wire) heldBarriers() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.held)
}

func (w *wire) statistics(frame []byte) openflow.ReplyBody {
	_, m, err := openflow.Parse(frame)
	if err != nil {
		w.t.Errorf("switch %d was asked what cannot be read: %v", w.dpid, err)
		return &openflow.Desc{}
	}
	switch m.(*openflow.MultipartRequest).Body.(type) {
	case *openflow.PortDescRequest:
		return &openflow.PortDescList{Ports: w.describe()}
	case *openflow.FlowRequest:
		w.mu.Lock()
		defer w.mu.Unlock()
		return &openflow.FlowStatsList{Flows: slices.Clone(w.rows)}
	case *openflow.GroupDescRequest:
		return &openflow.GroupDescList{}
	case *openflow.MeterConfigRequest:
		return &openflow.MeterConfigList{}
	}
	return &openflow.Desc{Manufacturer: "a wire"}
}

func (w *wire) describe() []openflow.Port {
	var list []openflow.Port
	for n := range w.ports {
		list = append(list, openflow.Port{Number: uint32(n + 1), Name: "p", HWAddr: w.mac(n + 1)})
	}
	return list
}

func (w *wire) mac(port int) [6]byte { return [6]byte{2, 0, 0, 0, byte(w.dpid), byte(port)} }

// packetIn is a packet that came in at a port.
func packetIn(port uint32, frame []byte) *openflow.PacketIn {
	return &openflow.PacketIn{Buffer: openflow.NoBuffer, TotalLen: uint16(len(frame)), InPort: port,
		Cookie: ^uint64(0), Data: frame}
}

// reply is an error that the instance answered.
type reply struct {
	xid        uint32
	typ, code  uint16
	data       []byte
	version    uint8
	wholeFrame int
}

// exchange sends bytes, reads until all of them are handled, and returns the errors that came, and
// whether the connection was ended. How it knows: an echo request comes after them.
func (w *wire) exchange(b []byte) (errs []reply, closed bool) {
	w.t.Helper()
	w.xid++
	marker := w.xid
	w.write(w.append(slices.Clone(b), marker, &openflow.EchoRequest{}))
	for {
		h, frame, err := w.read()
		switch {
		case err != nil && closedByPeer(err):
			return errs, true
		case err != nil:
			w.t.Fatalf("switch %d, waiting for the answer to %x: %v", w.dpid, b, err)
		case h.Type == openflow.TypeEchoReply && h.XID == marker:
			return errs, false
		case h.Type == openflow.TypeError:
			errs = append(errs, reply{h.XID, binary.BigEndian.Uint16(frame[8:]), binary.BigEndian.Uint16(frame[10:]), frame[12:],
				frame[0], len(frame)})
		default:
			w.answer(h, frame)
		}
	}
}

// ping sends an echo request on a wire that serves itself, and waits for its answer.
func (w *wire) ping() {
	w.t.Helper()
	w.xid++
	w.write(w.append(nil, w.xid, &openflow.EchoRequest{Data: []byte("still there?")}))
	select {
	case xid := <-w.pongs:
		if xid != w.xid {
			w.t.Fatalf("switch %d: answer %#x to echo %#x", w.dpid, xid, w.xid)
		}
	case <-w.served:
		w.t.Fatalf("switch %d was disconnected", w.dpid)
	case <-time.After(patience):
		w.t.Fatalf("switch %d gets no answer", w.dpid)
	}
}
