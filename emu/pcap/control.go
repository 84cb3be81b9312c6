package pcap

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/weirnet/weir/packet"
)

// ControlPort is the TCP port of controllers in a capture, whatever the real one is: readers
// recognise OpenFlow by it.
const ControlPort = 6653

// maxSegment is the largest payload of a frame, in bytes.
const maxSegment = 32 << 10

// Control writes the control channel between a switch and a controller into a capture. Its methods
// may be called from any goroutine.
type Control struct {
	file *File

	mu    sync.Mutex
	begun bool
	keys  [2]packet.Key // of frames from the switch, and from the controller
	next  [2]uint32     // sequence numbers of their next bytes
	frame []byte
}

// NewControl makes the channel of the switch with this index in its network, from 0. The switch
// gets an address of 198.18.0.0/15 (RFC 2544: for tests); the controller has its own IPv4 address
// or, if it has none, one of 203.0.113.0/24.
func (f *File) NewControl(index int, dpid uint64, controller int, address string) *Control {
	sw := [4]byte{198, 18}
	binary.BigEndian.PutUint32(sw[:], 198<<24|18<<16+uint32(index+1)&0x1ffff)
	other := [4]byte{203, 0, 113, byte(controller + 1)}
	if real, err := netip.ParseAddrPort(address); err == nil && real.Addr().Unmap().Is4() {
		other = real.Addr().Unmap().As4()
	}
	swMAC, otherMAC := packet.MACFromUint64(0x06<<40|dpid&(1<<40-1)), packet.MACFromUint64(0x0a<<40|uint64(controller+1))
	c := &Control{file: f}
	c.keys[0] = packet.Key{EthSrc: swMAC, EthDst: otherMAC, EtherType: packet.TypeIPv4, IPSrc: packet.AddrFrom4(sw),
		IPDst:   packet.AddrFrom4(other),
		SrcPort: 49151, DstPort: ControlPort}
	k := c.keys[0]
	k.EthSrc, k.EthDst, k.IPSrc, k.IPDst = k.EthDst, k.EthSrc, k.IPDst, k.IPSrc
	c.keys[1] = k
	return c
}

// Begin starts a new connection: the next bytes in either direction are its first. The first
// connection starts without it.
func (c *Control) Begin(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begin(at)
}

// begin writes a handshake. Each connection has a port of its own at the switch, from 49152 on.
func (c *Control) begin(at time.Time) {
	port := c.keys[0].SrcPort + 1
	if port == 0 {
		port = 49152
	}
	c.keys[0].SrcPort, c.keys[0].DstPort = port, ControlPort
	c.keys[1].SrcPort, c.keys[1].DstPort = ControlPort, port
	c.begun, c.next = true, [2]uint32{1000, 2000}
	c.send(at, 0, packet.TCPSyn, nil)
	c.next[0]++
	c.send(at, 1, packet.TCPSyn|packet.TCPAck, nil)
	c.next[1]++
	c.send(at, 0, packet.TCPAck, nil)
}

// Bytes writes a piece of the stream.
func (c *Control) Bytes(at time.Time, fromController bool, b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.begun {
		c.begin(at)
	}
	from := 0
	if fromController {
		from = 1
	}
	for part := range slices.Chunk(b, maxSegment) {
		c.send(at, from, packet.TCPPsh|packet.TCPAck, part)
		c.next[from] += uint32(len(part))
	}
}

func (c *Control) send(at time.Time, from int, flags uint16, payload []byte) {
	k := &c.keys[from]
	k.TCPFlags = flags
	acknowledged := c.next[1-from]
	if flags&packet.TCPAck == 0 {
		acknowledged = 0
	}
	c.frame = packet.AppendTCP(c.frame[:0], k, c.next[from], acknowledged, 65535, payload)
	c.file.Frame(at, c.frame)
}
