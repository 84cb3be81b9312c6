package flowtable_test

import (
	"encoding/binary"
	"net"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"github.com/weirnet/weir/openflow"
)

// fields are the fields of a frame, as gopacket reads it. Fields that are not there are 0.
type fields map[openflow.Field][]byte

func number(v uint64, size int) []byte {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], v)
	return b[8-size:]
}

// fieldsOf reads a frame that came in at a port.
func fieldsOf(frame []byte, port uint32, metadata uint64) fields {
	f := fields{openflow.FieldInPort: number(uint64(port), 4), openflow.FieldMetadata: number(metadata, 8)}
	typ := layers.EthernetTypeIPv4
	fragment := false
	for _, layer := range gopacket.NewPacket(frame, layers.LayerTypeEthernet, gopacket.Default).Layers() {
		switch l := layer.(type) {
		case *layers.Ethernet:
			f[openflow.FieldEthDst], f[openflow.FieldEthSrc], typ = l.DstMAC, l.SrcMAC, l.EthernetType
		case *layers.Dot1Q:
			typ = l.Type
			if f[openflow.FieldVLANVID] == nil {
				f[openflow.FieldVLANVID] = number(uint64(l.VLANIdentifier)|0x1000, 2)
				f[openflow.FieldVLANPCP] = []byte{l.Priority}
			}
		case *layers.ARP:
			f[openflow.FieldARPOp] = number(uint64(l.Operation), 2)
			f[openflow.FieldARPSHA], f[openflow.FieldARPTHA] = l.SourceHwAddress, l.DstHwAddress
			f[openflow.FieldARPSPA], f[openflow.FieldARPTPA] = l.SourceProtAddress, l.DstProtAddress
		case *layers.IPv4:
			f.ip(l.TOS, l.Protocol)
			f[openflow.FieldIPv4Src], f[openflow.FieldIPv4Dst] = l.SrcIP.To4(), l.DstIP.To4()
			fragment = l.Flags&layers.IPv4MoreFragments != 0 || l.FragOffset != 0
		case *layers.IPv6:
			f.ip(l.TrafficClass, l.NextHeader)
			f[openflow.FieldIPv6FLabel] = number(uint64(l.FlowLabel), 4)
			f[openflow.FieldIPv6Src], f[openflow.FieldIPv6Dst] = l.SrcIP, l.DstIP
		case *layers.IPv6HopByHop:
			f[openflow.FieldIPProto] = []byte{byte(l.NextHeader)}
		case *layers.IPv6Fragment:
			f[openflow.FieldIPProto] = []byte{byte(l.NextHeader)}
			if fragment = l.MoreFragments || l.FragmentOffset != 0; !fragment { // the only one: gopacket leaves it
				rest := gopacket.NewPacket(l.Payload, l.NextHeader.LayerType(), gopacket.Default)
				for _, inner := range rest.Layers() {
					f.transport(inner)
				}
			}
		default:
			if !fragment {
				f.transport(layer)
			}
		}
	}
	f[openflow.FieldEthType] = number(uint64(typ), 2)
	return f
}

func (f fields) ip(tos uint8, proto layers.IPProtocol) {
	f[openflow.FieldIPDSCP], f[openflow.FieldIPECN] = []byte{tos >> 2}, []byte{tos & 3}
	f[openflow.FieldIPProto] = []byte{byte(proto)}
}

func (f fields) transport(layer gopacket.Layer) {
	switch l := layer.(type) {
	case *layers.TCP:
		f[openflow.FieldTCPSrc], f[openflow.FieldTCPDst] = number(uint64(l.SrcPort), 2), number(uint64(l.DstPort), 2)
	case *layers.UDP:
		f[openflow.FieldUDPSrc], f[openflow.FieldUDPDst] = number(uint64(l.SrcPort), 2), number(uint64(l.DstPort), 2)
	case *layers.SCTP:
		f[openflow.FieldSCTPSrc], f[openflow.FieldSCTPDst] = number(uint64(l.SrcPort), 2), number(uint64(l.DstPort), 2)
	case *layers.ICMPv4:
		f[openflow.FieldICMPv4Type], f[openflow.FieldICMPv4Code] = []byte{l.TypeCode.Type()}, []byte{l.TypeCode.Code()}
	case *layers.ICMPv6:
		f[openflow.FieldICMPv6Type], f[openflow.FieldICMPv6Code] = []byte{l.TypeCode.Type()}, []byte{l.TypeCode.Code()}
	case *layers.ICMPv6NeighborSolicitation:
		f.neighbour(l.TargetAddress, l.Options)
	case *layers.ICMPv6NeighborAdvertisement:
		f.neighbour(l.TargetAddress, l.Options)
	}
}

func (f fields) neighbour(target net.IP, options layers.ICMPv6Options) {
	f[openflow.FieldIPv6NDTarget] = target
	for _, o := range options {
		switch o.Type {
		case layers.ICMPv6OptSourceAddress:
			f[openflow.FieldIPv6NDSLL] = o.Data
		case layers.ICMPv6OptTargetAddress:
			f[openflow.FieldIPv6NDTLL] = o.Data
		}
	}
}

// match reports whether a packet with the fields satisfies a match.
func (f fields) match(m openflow.Match) bool {
	for field, want := range values(m) {
		have := f[field]
		if have == nil {
			have = make([]byte, len(want[0]))
		}
		for i := range want[0] {
			if (have[i]^want[0][i])&want[1][i] != 0 {
				return false
			}
		}
	}
	return true
}
