package ofcase

import (
	"bufio"
	"encoding/binary"
	"io"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/openflow"
)

// OVS is a dummy bridge of Open vSwitch as a Switch, with its only controller. It belongs to one
// goroutine.
type OVS struct {
	t      testing.TB
	v      openflow.Version
	dummy  *netlab.Dummy
	bridge *netlab.DummyBridge
	in     *bufio.Reader
	xid    uint32
	ports  []openflow.Port // the switch's own description
	base   baseline
	down   map[uint32]bool // ports taken down: to the dummy frames would come and go all the same
}

// missSendLen is how much of a packet that met no entry goes to the controller, as OpenFlow 1.0 has
// it by default.
const missSendLen = 128

// answerLimit is how long an answer may take.
const answerLimit = 60 * time.Second

// NewOVS starts an Open vSwitch with one dummy bridge that speaks a version, and stops its clock.
func NewOVS(t testing.TB, l *netlab.Lab, v openflow.Version) *OVS {
	t.Helper()
	o := &OVS{t: t, v: v, dummy: l.StartDummy(), xid: 1}
	o.bridge = o.dummy.AddDummyBridge("br", 1, v.String(), Ports)
	o.in = bufio.NewReaderSize(o.bridge.Control, 1<<16)
	o.send(&openflow.Hello{Versions: openflow.VersionBit(v)})
	o.send(&openflow.SetConfig{MissSendLen: missSendLen})
	o.send(&openflow.FeaturesRequest{})
	if v == openflow.V13 {
		o.send(&openflow.MultipartRequest{Body: &openflow.PortDescRequest{}})
		all := [2]uint32{7, 7} // as it is asked for them, it also tells of packets whose time to live is over
		o.send(&openflow.SetAsync{AsyncMasks: openflow.AsyncMasks{PacketIn: all, PortStatus: all,
			FlowRemoved: [2]uint32{31, 31}}})
	}
	o.barrier(func(m openflow.Message) {
		switch m := m.(type) {
		case *openflow.FeaturesReply:
			o.ports = m.Ports
		case *openflow.MultipartReply:
			o.ports = m.Body.(*openflow.PortDescList).Ports
		}
	})
	if len(o.ports) != Ports+1 {
		t.Fatalf("ports %+v, want %d and the local one", o.ports, Ports)
	}
	o.dummy.StopClock()
	return o
}

// Ports are the switch's ports as it describes them, the local one among them.
func (o *OVS) Ports() []openflow.Port { return o.ports }

// Addresses are the ports' addresses, from port 1.
func (o *OVS) Addresses() (list [][6]byte) {
	for n := uint32(1); n <= Ports; n++ {
		for _, p := range o.ports {
			if p.Number == n {
				list = append(list, p.HWAddr)
			}
		}
	}
	return list
}

// Reset empties the tables and takes the counters of ports and tables as the new zero.
func (o *OVS) Reset() {
	o.t.Helper()
	o.send(&openflow.FlowMod{
		Command: openflow.FlowDelete, Table: openflow.TableAll, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny,
	})
	o.settle(func(openflow.Message) {})
	if o.v == openflow.V13 {
		o.send(&openflow.GroupMod{Command: openflow.GroupDelete, Group: openflow.GroupAll})
		o.send(&openflow.MeterMod{Command: openflow.MeterDelete, Meter: openflow.MeterAll})
	}
	for _, p := range o.ports {
		all := openflow.PortConfigDown | openflow.PortConfigNoFwd | openflow.PortConfigNoRecv | openflow.PortConfigNoPacketIn
		if o.v == openflow.V10 {
			all |= openflow.PortConfigNoFlood
		}
		if p.Number <= Ports {
			o.send(&openflow.PortMod{Port: p.Number, HWAddr: p.HWAddr, Mask: all})
		}
	}
	o.barrier(func(openflow.Message) {})
	o.settle(func(openflow.Message) {})
	o.send(&openflow.MultipartRequest{Body: &openflow.PortStatsRequest{Port: openflow.PortAny}})
	o.send(&openflow.MultipartRequest{Body: &openflow.TableRequest{}})
	o.dummy.ForgetAddresses(o.bridge)
	o.base = baseline{}
	o.barrier(func(m openflow.Message) {
		if r, ok := m.(*openflow.MultipartReply); ok {
			o.base.take(r.Body)
		}
	})
	for i := range Ports + 1 {
		o.bridge.Sent(i)
	}
	o.down = map[uint32]bool{}
}

// Do takes a step.
func (o *OVS) Do(s Step) *Outcome {
	o.t.Helper()
	out := &Outcome{Version: o.v}
	switch {
	case s.Message != nil:
		if s.removes() { // an entry that is in flight out must not be removed once more: the daemon would end
			o.settle(func(m openflow.Message) { out.Messages = append(out.Messages, m) })
		}
		o.write(s.Message)
	case s.Frame != nil && !o.down[s.Port]:
		o.bridge.Receive(int(s.Port), s.Frame)
	}
	collect := func(m openflow.Message) {
		if r, ok := m.(*openflow.MultipartReply); ok {
			o.base.subtract(r.Body)
		}
		out.Messages = append(out.Messages, m)
	}
	if s.Wait > 0 {
		o.dummy.Warp(int(s.Wait/time.Millisecond), func() { o.flush(collect) })
	}
	o.barrier(collect)
	for range s.turns() {
		o.dummy.Turn()
		o.barrier(collect)
	}
	if s.removes() {
		o.settle(collect)
	}
	o.track(s, out)
	for i := range Ports + 1 {
		port := uint32(i)
		if i == netlab.Local {
			port = openflow.PortLocal
		}
		for _, frame := range o.bridge.Sent(i) {
			if o.down[port] {
				continue
			}
			out.Sent = append(out.Sent, Sent{Port: port, Frame: frame})
		}
	}
	return out
}

// marker is the cookie of an entry that no case has.
const marker = 0xfeedfeedfeedfeed

// flush waits for the flow-removeds of entries that are gone: a thread of the daemon's sends them
// later, in their order, so that one more marks the end.
func (o *OVS) flush(each func(openflow.Message)) {
	o.t.Helper()
	mark := &openflow.FlowMod{
		Cookie: marker, Priority: 0xfffe, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Flags: openflow.FlagSendFlowRemoved,
	}
	mark.Match.SetUint(openflow.FieldInPort, 0xfe00)
	o.send(mark)
	mark.Command = openflow.FlowDeleteStrict
	o.send(mark)
	for {
		_, m := o.read()
		if r, ok := m.(*openflow.FlowRemoved); ok && r.Cookie == marker {
			return
		}
		each(m)
	}
}

// settle waits until all entries are gone that are in flight out: twice, as one that another
// thread still looks at, or that has replaced another one lately, goes a round later.
func (o *OVS) settle(each func(openflow.Message)) {
	o.t.Helper()
	o.flush(each)
	o.dummy.Turn()
	o.flush(each)
}

func (o *OVS) send(m openflow.Message) {
	o.t.Helper()
	b, err := openflow.Append(nil, o.v, 0, m)
	if err != nil {
		o.t.Fatal(err)
	}
	o.write(b)
}

// write sends a whole message under the next transaction id.
func (o *OVS) write(message []byte) {
	o.t.Helper()
	o.xid++
	b := append([]byte{}, message...)
	binary.BigEndian.PutUint32(b[4:], o.xid)
	if err := o.bridge.Control.SetDeadline(time.Now().Add(answerLimit)); err != nil {
		o.t.Fatal(err)
	}
	if _, err := o.bridge.Control.Write(b); err != nil {
		o.t.Fatal(err)
	}
}

// barrier waits until all is done that was sent, and hands over what comes until then; parts of an
// answer as one.
func (o *OVS) barrier(each func(openflow.Message)) {
	o.t.Helper()
	o.send(&openflow.BarrierRequest{})
	var parts *openflow.MultipartReply
	for {
		h, m := o.read()
		switch m := m.(type) {
		case *openflow.BarrierReply:
			if h.XID == o.xid {
				return
			}
		case *openflow.EchoRequest, *openflow.Hello:
		case *openflow.MultipartReply:
			if parts == nil {
				parts = m
			} else if err := parts.Merge(m); err != nil {
				o.t.Fatal(err)
			}
			if m.Flags&openflow.MultipartMore == 0 {
				each(parts)
				parts = nil
			}
		default:
			each(m)
		}
	}
}

// read reads one message, into memory of its own.
func (o *OVS) read() (openflow.Header, openflow.Message) {
	o.t.Helper()
	head, err := o.in.Peek(openflow.HeaderLen)
	if err != nil {
		o.t.Fatal(err)
	}
	b := make([]byte, binary.BigEndian.Uint16(head[2:]))
	if _, err := io.ReadFull(o.in, b); err != nil {
		o.t.Fatal(err)
	}
	h, m, err := openflow.Parse(b)
	if err != nil {
		o.t.Fatalf("Open vSwitch says %x: %v", b, err)
	}
	return h, m
}

// removes reports whether entries may go in the step.
func (s Step) removes() bool {
	switch m := s.parse().(type) {
	case *openflow.FlowMod:
		return m.Command >= openflow.FlowDelete
	case *openflow.GroupMod:
		return m.Command == openflow.GroupDelete
	case *openflow.MeterMod:
		return m.Command == openflow.MeterDelete
	}
	return s.Wait > 0
}

// turns is how many more turns of its main loop the daemon takes until all has come of the step:
// one for the packet-ins of a packet-out, two for what follows from a port-mod.
func (s Step) turns() int {
	switch {
	case s.is(openflow.TypePacketOut):
		return 1
	case s.is(openflow.TypePortMod):
		return 2
	}
	return 0
}

// track remembers which ports were taken down.
func (o *OVS) track(s Step, out *Outcome) {
	m, ok := s.parse().(*openflow.PortMod)
	if !ok || m.Mask&openflow.PortConfigDown == 0 {
		return
	}
	for _, answer := range out.Messages {
		if answer.Type() == openflow.TypeError {
			return
		}
	}
	o.down[m.Port] = m.Config&openflow.PortConfigDown != 0
}
