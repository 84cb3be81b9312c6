package tenants

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// frameLen is the length of every frame, in bytes, with its VLAN tag and without a frame check sequence.
const frameLen = 100

// A frame ends with a mark, its tenant's number and its token.
const (
	markLen  = 4
	stampLen = markLen + 4 + 4
)

var mark = [markLen]byte{'w', 'b', 't', 0xf5}

// ports is how many ports of hosts a switch has; a tenant's packets are at the one of portOf.
const ports = 4

func portOf(tenant int) uint32 { return uint32(1 + tenant%ports) }

// ownXID marks the transaction ids of the load: sessions begin at 1.
const ownXID = 1 << 31

// appendFrame appends a tenant's frame, with a token of 0.
func appendFrame(b []byte, tenant int) []byte {
	k := packet.Key{EtherType: packet.TypeIPv4, VLAN: packet.VLANPresent | uint16(FirstVLAN+tenant),
		EthSrc: packet.MAC{2, 0, 0, 0, 0, 1}, EthDst: packet.MAC{2, 0, 0, 0, 0, 2},
		IPSrc: packet.AddrFrom4([4]byte{10, 0, 0, 1}), IPDst: packet.AddrFrom4([4]byte{10, 0, 0, 2}),
		SrcPort: 4000, DstPort: 4000}
	start, head := len(b), len(packet.AppendUDP(nil, &k, nil))
	b = packet.AppendUDP(b, &k, make([]byte, frameLen-head))
	f := b[start:]
	f[head-2], f[head-1] = 0, 0 // no UDP checksum (RFC 768)
	stamp := f[frameLen-stampLen:]
	copy(stamp, mark[:])
	binary.BigEndian.PutUint32(stamp[markLen:], uint32(tenant))
	return b
}

// readStamp reads whose frame a message ends with, and its token.
func readStamp(m []byte) (tenant, token uint32, ok bool) {
	if len(m) < openflow.HeaderLen+frameLen || [markLen]byte(m[len(m)-stampLen:]) != mark {
		return 0, 0, false
	}
	return binary.BigEndian.Uint32(m[len(m)-8:]), binary.BigEndian.Uint32(m[len(m)-4:]), true
}

// template makes one message of the load, or two, as bytes, from what was encoded before.
type template struct {
	message []byte
	xids    []int // where the token stands as a transaction id
	stamp   int   // where it stands in the frame; 0: nowhere
	address int   // where the number of an entry stands in its match; 0: nowhere
	port    int   // where the last byte of its output stands
}

// append appends the message of a token, the n-th of its tenant.
func (p *template) append(b []byte, token, n uint32) []byte {
	start := len(b)
	b = append(b, p.message...)
	m := b[start:]
	for _, at := range p.xids {
		binary.BigEndian.PutUint32(m[at:], ownXID|token)
	}
	if p.stamp > 0 {
		binary.BigEndian.PutUint32(m[p.stamp:], token)
	}
	if p.address > 0 {
		binary.BigEndian.PutUint16(m[p.address:], uint16(n%entries))
		m[p.port] = uint8(1 + n/entries%ports)
	}
	return b
}

// entries is how many entries a tenant's flow-mods add to a switch, again and again, each time with another output:
// who adds what is there as it is may be answered without the switch.
const entries = 256

// newPacketIn is the template of a packet-in.
func newPacketIn(v openflow.Version, pin *openflow.PacketIn) *template {
	p := &template{message: encode(nil, v, pin)}
	p.stamp = len(p.message) - 4
	return p
}

// newRequest is the template of what a tenant's controller sends.
func newRequest(k Kind, v openflow.Version, tenant int) *template {
	p := &template{xids: []int{4}}
	switch k {
	case PacketOut, Reaction:
		p.message = encode(nil, v, &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortController,
			Actions: []openflow.Action{openflow.Output(portOf(tenant))}, Data: appendFrame(nil, tenant)})
		p.xids, p.stamp = nil, len(p.message)-4
	case PortStats:
		p.message = encode(nil, v, &openflow.MultipartRequest{Body: &openflow.PortStatsRequest{Port: openflow.PortAny}})
	case Echo:
		p.message = encode(nil, v, &openflow.EchoRequest{})
	case Features:
		p.message = encode(nil, v, &openflow.FeaturesRequest{})
	case FlowMod:
		address := []byte{10, 0xfe, 0xed, 0xfc}
		add := func(port uint32) []byte {
			m := addition(10, openflow.Output(port))
			m.Match.Set(openflow.FieldEthType, []byte{8, 0}, nil)
			m.Match.Set(openflow.FieldIPv4Dst, address, nil)
			return encode(nil, v, m)
		}
		p.message = add(1)
		p.address = bytes.Index(p.message, address) + 2
		for other := add(2); p.message[p.port] == other[p.port]; {
			p.port++
		}
		p.xids = []int{4, len(p.message) + 4}
		p.message = encode(p.message, v, &openflow.BarrierRequest{})
	}
	return p
}

// addition is a flow-mod that adds an entry to table 0, for all packets.
func addition(priority uint16, a openflow.Action) *openflow.FlowMod {
	return &openflow.FlowMod{Command: openflow.FlowAdd, Priority: priority, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny, Instructions: []openflow.Instruction{openflow.Apply(a)}}
}

func encode(b []byte, v openflow.Version, m openflow.Message) []byte {
	b, err := openflow.Append(b, v, 0, m)
	if err != nil {
		panic(fmt.Sprintf("bench: own %s: %v", m.Type(), err))
	}
	return b
}

// answers reports whether a message ends the wait of a request, whose transaction id it has: of an answer in parts
// the last.
func (k Kind) answers(h openflow.Header, frame []byte) bool {
	switch k {
	case PortStats:
		return h.Type == openflow.TypeMultipartReply && len(frame) >= 12 && frame[11]&1 == 0
	case Echo:
		return h.Type == openflow.TypeEchoReply
	case Features:
		return h.Type == openflow.TypeFeaturesReply
	case FlowMod:
		return h.Type == openflow.TypeBarrierReply
	}
	return false
}
