package target

import (
	"context"
	"encoding/binary"
	"net"
	"slices"

	"github.com/weirnet/weir/openflow"
)

// Respond is the null responder: it answers each packet-in at once, without knowing anything, with
// bytes made before. A buffered one gets a flow-mod that names its buffer, another a packet-out
// with its frame. It reads and writes as plainly as can be: what it does is the most that the
// generator and the machine give. It ends with ctx, and closes the listener.
func Respond(ctx context.Context, ln net.Listener) error {
	return accept(ctx, ln, respond)
}

// respondBuffer is how much is read at a time, in bytes.
const respondBuffer = 256 << 10

// Where the buffer id stands in a flow-mod (struct ofp_flow_mod), in bytes.
const (
	FlowModBuffer10 = 64
	FlowModBuffer13 = 32
)

// respond serves one switch.
func respond(conn net.Conn, _ uint64) {
	var r Responder
	in, w := make([]byte, 16<<10), 0
	for {
		n, err := conn.Read(in[w:])
		if err != nil {
			return
		}
		if w += n; w == len(in) && w < respondBuffer {
			in = append(in, make([]byte, len(in)*3)...)
		}
		at := r.answer(in[:w])
		if r.failed {
			return
		}
		w = copy(in, in[at:w])
		if len(r.Out) > 0 {
			if _, err := conn.Write(r.Out); err != nil {
				return
			}
			r.Out = r.Out[:0]
		}
	}
}

// Responder is one connection's version and answers.
type Responder struct {
	version openflow.Version
	mod     []byte // a flow-mod
	modAt   int    // of its buffer
	head    []byte // a packet-out without its frame
	Out     []byte
	failed  bool
}

// answer appends the answers to all whole messages in b and returns where the rest begins.
func (r *Responder) answer(b []byte) int {
	at := 0
	for len(b)-at >= openflow.HeaderLen {
		n := int(binary.BigEndian.Uint16(b[at+2:]))
		if n < openflow.HeaderLen {
			r.failed = true
			return at
		}
		if len(b)-at < n {
			break
		}
		r.Message(b[at : at+n])
		at += n
	}
	return at
}

// Message answers a message.
func (r *Responder) Message(m []byte) {
	packetIn := openflow.TypePacketIn // the same number in both versions
	switch openflow.Type(m[1]) {
	case openflow.TypeHello:
		r.begin(openflow.Version(m[0]))
	case openflow.TypeEchoRequest:
		r.Out = append(r.Out, m...)
		r.Out[len(r.Out)-len(m)+1] = uint8(openflow.TypeEchoReply)
	case packetIn:
		r.packetIn(m)
	}
}

// begin says hello in the peer's version, asks who it is, and makes the answers.
func (r *Responder) begin(v openflow.Version) {
	if v != openflow.V10 && v != openflow.V13 || r.version != 0 {
		r.failed = true
		return
	}
	r.version = v
	mod := &openflow.FlowMod{IdleTimeout: 60, Priority: 10, Buffer: 0, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(2))}}
	mod.Match.Set(openflow.FieldEthDst, make([]byte, 6), nil)
	mod.Match.Set(openflow.FieldEthSrc, make([]byte, 6), nil)
	r.mod = r.encode(mod)
	r.head = r.encode(&openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: 1, Actions: []openflow.Action{openflow.Output(2)}})
	r.modAt = FlowModBuffer13
	if v == openflow.V10 {
		r.modAt = FlowModBuffer10
	}
	r.Out = slices.Concat(r.Out, r.encode(&openflow.Hello{}), r.encode(&openflow.FeaturesRequest{}))
}

func (r *Responder) encode(m openflow.Message) []byte {
	b, err := openflow.Append(nil, r.version, 1, m)
	if err != nil {
		panic("bench: own message: " + err.Error())
	}
	return b
}

// packetIn answers a packet-in.
func (r *Responder) packetIn(m []byte) {
	buffer := binary.BigEndian.Uint32(m[8:])
	if buffer != openflow.NoBuffer {
		start := len(r.Out)
		r.Out = append(r.Out, r.mod...)
		binary.BigEndian.PutUint32(r.Out[start+r.modAt:], buffer)
		return
	}
	data := 18
	if r.version != openflow.V10 {
		data = 24 + (int(binary.BigEndian.Uint16(m[26:]))+7)/8*8 + 2
	}
	if data > len(m) {
		return
	}
	start := len(r.Out)
	r.Out = append(append(r.Out, r.head...), m[data:]...)
	binary.BigEndian.PutUint16(r.Out[start+2:], uint16(len(r.Out)-start))
}
