package flowtable

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"net/netip"
	"strconv"
	"strings"

	"github.com/weirnet/weir/packet"
)

// frame makes the frame that the command asks for: "udp", "tcp", "icmp", "sctp", "arp", "ns", "na",
// "lldp" or hex=…, with vlan=, inner=, mpls=LABEL:TTL, src=, dst= (IP addresses, IPv6 makes an IPv6
// packet), sport=, dport=, ttl=, dscp=, ecn=, flabel=, type=, code=, op= (of ARP), frag=OFFSET,
// eth_src=, eth_dst=, len= (of the payload); "llc=…" is a frame with an 802.3 length and those
// octets of 802.2. Then "snap" puts the packet behind an 802.2 SNAP header, set=OFFSET:HEX writes
// octets over it, and cut=N leaves N octets behind the type.
func (c *conversation) frame() []byte {
	if s := c.cmd.Arg("hex", ""); s != "" {
		b, err := hex.DecodeString(s)
		c.fail(err)
		return b
	}
	if s := c.cmd.Arg("llc", ""); s != "" {
		b, err := hex.DecodeString(s)
		c.fail(err)
		return c.damaged(lengthFrame(c.mac("eth_dst", packet.MAC{2, 0, 0, 0, 0, 0xb}),
			append(b, make([]byte, c.num("len", 0))...)))
	}
	k := packet.Key{
		EthDst: c.mac("eth_dst", packet.MAC{2, 0, 0, 0, 0, 0xb}), EthSrc: c.mac("eth_src", packet.MAC{2, 0, 0, 0, 0, 0xa}),
		EtherType: packet.TypeIPv4, IPSrc: c.addr("src", "10.0.0.1"), IPDst: c.addr("dst", "10.0.0.2"),
		SrcPort: uint16(c.num("sport", 1000)), DstPort: uint16(c.num("dport", 53)), TTL: uint8(c.num("ttl", 64)),
		DSCP:     uint8(c.num("dscp", 0)),
		ICMPType: uint8(c.num("type", 8)), ICMPCode: uint8(c.num("code", 0)), TCPFlags: packet.TCPSyn,
		ECN: uint8(c.num("ecn", 0)), FlowLabel: uint32(c.num("flabel", 0)),
	}
	if !k.IPSrc.Is4() {
		k.EtherType = packet.TypeIPv6
	}
	if c.cmd.Arg("vlan", "") != "" {
		k.VLAN, k.PCP = packet.VLANPresent|uint16(c.num("vlan", 0)), uint8(c.num("pcp", 0))
	}
	b := c.payload(&k)
	if s := c.cmd.Arg("inner", ""); s != "" {
		b = insertAt(b, 16, []byte{0x81, 0x00, 0x00, byte(c.num("inner", 0))})
	}
	if s := c.cmd.Arg("mpls", ""); s != "" {
		b = c.mpls(b, s)
	}
	if off := c.num("frag", 0); off != 0 {
		binary.BigEndian.PutUint16(b[20:], uint16(off))
		binary.BigEndian.PutUint16(b[24:], 0)
		binary.BigEndian.PutUint16(b[24:], packet.Checksum(b[14:34]))
	}
	return c.damaged(b)
}

// damaged does to a frame what "snap", "set" and "cut" say.
func (c *conversation) damaged(b []byte) []byte {
	if c.has("snap") {
		b = insertAt(b, 12, []byte{0, 0, 0xaa, 0xaa, 3, 0, 0, 0})
		binary.BigEndian.PutUint16(b[12:], uint16(len(b)-packet.EthernetLen))
	}
	for _, a := range c.cmd.Args {
		key, value, _ := strings.Cut(a, "=")
		if key != "set" {
			continue
		}
		at, octets, _ := strings.Cut(value, ":")
		offset, err := strconv.Atoi(at)
		c.fail(err)
		x, err := hex.DecodeString(octets)
		c.fail(err)
		copy(b[offset:], x)
	}
	if n := c.num("cut", math.MaxUint16); int(n) < len(b)-packet.EthernetLen {
		b = b[:packet.EthernetLen+int(n)]
	}
	return b
}

// lengthFrame is a frame of 802.3, with a length in the place of a type.
func lengthFrame(dst packet.MAC, payload []byte) []byte {
	b := append(append([]byte(nil), dst[:]...), 2, 0, 0, 0, 0, 0xa)
	return append(binary.BigEndian.AppendUint16(b, uint16(len(payload))), payload...)
}

func (c *conversation) payload(k *packet.Key) []byte {
	data := make([]byte, c.num("len", 6))
	for i := range data {
		data[i] = byte('a' + i%26)
	}
	switch {
	case c.has("tcp"):
		return packet.AppendTCP(nil, k, 1, 2, 3, data)
	case c.has("icmp"):
		return packet.AppendICMPEcho(nil, k, 1, 2, data)
	case c.has("arp"):
		k.ARPOp, k.ARPSPA, k.ARPTPA, k.ARPSHA = uint16(c.num("op", 1)), k.IPSrc.As4(), k.IPDst.As4(), k.EthSrc
		k.EtherType = packet.TypeARP
		return packet.AppendARP(nil, k)
	case c.has("ns"), c.has("na"):
		k.ICMPType, k.NDTarget, k.TTL = packet.NDSolicit, k.IPDst, 255
		if k.NDSLL = k.EthSrc; c.has("na") {
			k.ICMPType, k.NDSLL, k.NDTLL = packet.NDAdvert, packet.MAC{}, k.EthSrc
		}
		return packet.AppendND(nil, k, 0)
	case c.has("sctp"):
		b := packet.AppendUDP(nil, k, append(make([]byte, 4), data...)) // as long as an SCTP header is with 4 bytes more
		return sctpOf(b)
	}
	return packet.AppendUDP(nil, k, data)
}

// sctpOf turns a UDP packet into one of SCTP, with right checksums.
func sctpOf(b []byte) []byte {
	at := 34
	if b[12] == 0x86 {
		at = 54
		b[20] = packet.ProtoSCTP
	} else {
		b[23] = packet.ProtoSCTP
		b[24], b[25] = 0, 0
		binary.BigEndian.PutUint16(b[24:], packet.Checksum(b[14:34]))
	}
	copy(b[at+4:], []byte{0, 0, 0, 9})
	binary.LittleEndian.PutUint32(b[at+8:], crcOf(b[at:]))
	return b
}

// mpls puts labels "LABEL:TTL/LABEL:TTL" in, the first one outermost.
func (c *conversation) mpls(b []byte, s string) []byte {
	labels := strings.Split(s, "/")
	for i := len(labels) - 1; i >= 0; i-- {
		label, ttl, _ := strings.Cut(labels[i], ":")
		l, err := strconv.Atoi(label)
		c.fail(err)
		t, err := strconv.Atoi(ttl)
		c.fail(err)
		shim := uint32(l)<<12 | uint32(t)
		if i == len(labels)-1 {
			shim |= bottomOfStack
		}
		b = insertAt(b, 14, binary.BigEndian.AppendUint32(nil, shim))
		b[12], b[13] = 0x88, 0x47
	}
	return b
}

func insertAt(b []byte, at int, x []byte) []byte {
	return append(append(append([]byte(nil), b[:at]...), x...), b[at:]...)
}

func (c *conversation) mac(key string, otherwise packet.MAC) packet.MAC {
	s := c.cmd.Arg(key, "")
	if s == "" {
		return otherwise
	}
	m, err := packet.ParseMAC(s)
	c.fail(err)
	return m
}

func (c *conversation) addr(key, otherwise string) packet.Addr {
	a, err := netip.ParseAddr(c.cmd.Arg(key, otherwise))
	c.fail(err)
	return packet.AddrFrom(a)
}

// faults names the checksums of a frame that are wrong, by a way of counting of its own.
func faults(frame []byte) string {
	var k packet.Key
	end, _ := packet.ParseKey(frame, &k)
	_ = end
	_, _, _, _, l3, ok := packet.ParseEthernet(frame)
	if !ok || k.Layers&(packet.LayerIPv4|packet.LayerIPv6) == 0 || k.Frag != 0 || k.Layers.Has(packet.LayerTruncated) {
		return ""
	}
	var payload, addrs []byte
	if k.Layers.Has(packet.LayerIPv4) {
		ip := packet.IPv4(frame[l3:])
		if !ip.ChecksumOK() {
			return " BAD IPv4 CHECKSUM"
		}
		payload, addrs = ip.Payload(), ip[12:20]
	} else {
		ip := packet.IPv6(frame[l3:])
		_, payload, _ = ip.Payload()
		addrs = ip[8:40]
	}
	pseudo := append(append([]byte(nil), addrs...), 0, 0, byte(len(payload)>>8), byte(len(payload)), 0, 0, 0, k.IPProto)
	switch k.IPProto {
	case packet.ProtoSCTP:
		if len(payload) >= 12 && binary.LittleEndian.Uint32(payload[8:]) != crcOf(payload) {
			return " BAD SCTP CRC"
		}
		return ""
	case packet.ProtoICMPv4:
		pseudo = nil
	case packet.ProtoUDP:
		if payload[6]|payload[7] == 0 {
			return " no UDP checksum"
		}
	case packet.ProtoTCP, packet.ProtoICMPv6:
	default:
		return ""
	}
	if packet.Checksum(append(pseudo, payload...)) != 0 {
		return " BAD CHECKSUM"
	}
	return ""
}

// crcOf is the CRC32c of an SCTP packet, bit by bit.
func crcOf(b []byte) uint32 {
	crc := ^uint32(0)
	for i, x := range b {
		if i >= 8 && i < 12 {
			x = 0
		}
		crc ^= uint32(x)
		for range 8 {
			crc = crc>>1 ^ 0x82f63b78&-(crc&1)
		}
	}
	return ^crc
}

// labels are the labels of MPLS of a frame, in text.
func labels(frame []byte) string {
	at := 12
	for at+6 <= len(frame) && (frame[at] == 0x81 && frame[at+1] == 0 || frame[at] == 0x88 && frame[at+1] == 0xa8) {
		at += 4
	}
	if at+6 > len(frame) || frame[at] != 0x88 || frame[at+1] != 0x47 && frame[at+1] != 0x48 {
		return ""
	}
	s := ""
	for at += 2; at+4 <= len(frame); at += 4 {
		shim := binary.BigEndian.Uint32(frame[at:])
		s += " label=" + strconv.Itoa(int(shim>>12)) + " tc=" + strconv.Itoa(int(shim>>9&7)) + " ttl=" +
			strconv.Itoa(int(shim&0xff))
		if shim&bottomOfStack != 0 {
			return s + " bos"
		}
	}
	return s
}
