package packet

import (
	"bytes"
	"fmt"
	"net"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

// disagreement compares what ParseKey and gopacket say of a frame, wherever both accept a header,
// and returns the first difference, or "". gopacket goes deeper (tunnels, more tags), so that its
// layers are taken in order, only as far as a Key goes.
func disagreement(frame []byte) string {
	var k Key
	ParseKey(frame, &k)
	ls := gopacket.NewPacket(frame, layers.LayerTypeEthernet, gopacket.Default).Layers()
	eth, ok := take[*layers.Ethernet](&ls)
	if !ok {
		return ""
	}
	if k.EthDst != MAC(eth.DstMAC) || k.EthSrc != MAC(eth.SrcMAC) {
		return fmt.Sprintf("addresses %v %v, oracle %v %v", k.EthDst, k.EthSrc, eth.DstMAC, eth.SrcMAC)
	}
	etherType := uint16(eth.EthernetType)
	if outer, ok := take[*layers.Dot1Q](&ls); ok {
		if k.VLAN != VLANPresent|outer.VLANIdentifier || k.PCP != outer.Priority {
			return fmt.Sprintf("vlan %x/%d, oracle %x/%d", k.VLAN, k.PCP, outer.VLANIdentifier, outer.Priority)
		}
		etherType = uint16(outer.Type)
		if inner, ok := take[*layers.Dot1Q](&ls); ok {
			if k.InnerVLAN != VLANPresent|inner.VLANIdentifier {
				return fmt.Sprintf("inner vlan %x, oracle %x", k.InnerVLAN, inner.VLANIdentifier)
			}
			etherType = uint16(inner.Type)
		}
	} else if k.VLAN != 0 {
		return fmt.Sprintf("vlan %x, oracle untagged", k.VLAN)
	}
	if etherType >= typeMin && !isTPID(etherType) && k.EtherType != etherType {
		return fmt.Sprintf("type %04x, oracle %04x", k.EtherType, etherType)
	}
	switch {
	case k.Layers.Has(LayerARP):
		return arpDisagreement(&k, ls)
	case k.Layers.Has(LayerIPv4):
		return ipv4Disagreement(&k, ls)
	case k.Layers.Has(LayerIPv6):
		return ipv6Disagreement(&k, ls)
	}
	return ""
}

// take removes the first of ls if it is an L.
func take[L gopacket.Layer](ls *[]gopacket.Layer) (L, bool) {
	var none L
	if len(*ls) == 0 {
		return none, false
	}
	l, ok := (*ls)[0].(L)
	if ok {
		*ls = (*ls)[1:]
	}
	return l, ok
}

func arpDisagreement(k *Key, ls []gopacket.Layer) string {
	a, ok := take[*layers.ARP](&ls)
	if !ok {
		return ""
	}
	if k.ARPOp != a.Operation || k.ARPSHA != MAC(a.SourceHwAddress) || k.ARPTHA != MAC(a.DstHwAddress) ||
		!bytes.Equal(k.ARPSPA[:], a.SourceProtAddress) || !bytes.Equal(k.ARPTPA[:], a.DstProtAddress) {
		return fmt.Sprintf("ARP %v, oracle %+v", k, a)
	}
	return ""
}

func ipv4Disagreement(k *Key, ls []gopacket.Layer) string {
	p, ok := take[*layers.IPv4](&ls)
	if !ok || p.SrcIP == nil { // a header that it refused is there, but empty
		return ""
	}
	src, dst := k.IPSrc.As4(), k.IPDst.As4()
	later, more := p.FragOffset != 0, p.Flags&layers.IPv4MoreFragments != 0
	if !net.IP(src[:]).Equal(p.SrcIP) || !net.IP(dst[:]).Equal(p.DstIP) || k.DSCP<<2|k.ECN != p.TOS ||
		k.TTL != p.TTL || k.IPProto != uint8(p.Protocol) ||
		(k.Frag&FragAny != 0) != (later || more) || (k.Frag&FragLater != 0) != later {
		return fmt.Sprintf("IPv4 %v, oracle %+v", k, p)
	}
	if k.Frag&FragLater != 0 && k.SrcPort|k.DstPort != 0 {
		return "ports of a later fragment"
	}
	return transportDisagreement(k, ls)
}

func ipv6Disagreement(k *Key, ls []gopacket.Layer) string {
	p, ok := take[*layers.IPv6](&ls)
	if !ok || p.SrcIP == nil { // a header that it refused is there, but empty
		return ""
	}
	if !net.IP(k.IPSrc[:]).Equal(p.SrcIP) || !net.IP(k.IPDst[:]).Equal(p.DstIP) ||
		k.DSCP<<2|k.ECN != p.TrafficClass || k.TTL != p.HopLimit ||
		k.FlowLabel != p.FlowLabel {
		return fmt.Sprintf("IPv6 %v, oracle %+v", k, p)
	}
	for len(ls) > 0 {
		switch ls[0].(type) {
		case *layers.IPv6HopByHop, *layers.IPv6Routing, *layers.IPv6Destination, *layers.IPSecAH:
			ls = ls[1:]
			continue
		case *layers.IPv6Fragment: // gopacket stops at a fragment
			return ""
		}
		break
	}
	return transportDisagreement(k, ls)
}

func transportDisagreement(k *Key, ls []gopacket.Layer) string {
	if len(ls) == 0 {
		return ""
	}
	differ := false
	switch l := ls[0].(type) {
	case *layers.UDP:
		differ = k.Layers.Has(LayerUDP) && (k.SrcPort != uint16(l.SrcPort) || k.DstPort != uint16(l.DstPort))
	case *layers.TCP:
		differ = k.Layers.Has(LayerTCP) && (k.SrcPort != uint16(l.SrcPort) || k.DstPort != uint16(l.DstPort) ||
			(k.TCPFlags&TCPSyn != 0) != l.SYN || (k.TCPFlags&TCPAck != 0) != l.ACK)
	case *layers.SCTP:
		differ = k.Layers.Has(LayerSCTP) && (k.SrcPort != uint16(l.SrcPort) || k.DstPort != uint16(l.DstPort))
	case *layers.ICMPv4:
		differ = k.Layers.Has(LayerICMPv4) && (k.ICMPType != l.TypeCode.Type() || k.ICMPCode != l.TypeCode.Code())
	case *layers.ICMPv6:
		differ = k.Layers.Has(LayerICMPv6) && (k.ICMPType != l.TypeCode.Type() || k.ICMPCode != l.TypeCode.Code())
		if !differ && k.Layers.Has(LayerND) && len(ls) > 1 {
			return ndDisagreement(k, ls[1])
		}
	}
	if differ {
		return fmt.Sprintf("transport %v, oracle %+v", k, ls[0])
	}
	return ""
}

func ndDisagreement(k *Key, l gopacket.Layer) string {
	var target net.IP
	var options layers.ICMPv6Options
	switch l := l.(type) {
	case *layers.ICMPv6NeighborSolicitation:
		target, options = l.TargetAddress, l.Options
	case *layers.ICMPv6NeighborAdvertisement:
		target, options = l.TargetAddress, l.Options
	default:
		return ""
	}
	if !net.IP(k.NDTarget[:]).Equal(target) {
		return fmt.Sprintf("ND target %v, oracle %v", k.NDTarget, target)
	}
	for _, o := range options {
		if o.Type == layers.ICMPv6OptSourceAddress && len(o.Data) == 6 && k.NDSLL != MAC(o.Data) ||
			o.Type == layers.ICMPv6OptTargetAddress && len(o.Data) == 6 && k.NDTLL != MAC(o.Data) {
			return fmt.Sprintf("ND options %v %v, oracle %v", k.NDSLL, k.NDTLL, options)
		}
	}
	return ""
}

// TestOracleReadsWhatWeBuild: gopacket sees no error and the same fields in every built frame, and
// serialises what it read, lengths and checksums computed anew, to the same bytes.
func TestOracleReadsWhatWeBuild(t *testing.T) {
	for _, b := range frames() {
		p := gopacket.NewPacket(b.frame, layers.LayerTypeEthernet, gopacket.Default)
		if e := p.ErrorLayer(); e != nil {
			t.Errorf("%s: %v", b.name, e.Error())
		}
		if d := disagreement(b.frame); d != "" {
			t.Errorf("%s: %s", b.name, d)
		}
		for _, l := range p.Layers() {
			switch l := l.(type) {
			case *layers.TCP:
				_ = l.SetNetworkLayerForChecksum(p.NetworkLayer())
			case *layers.UDP:
				_ = l.SetNetworkLayerForChecksum(p.NetworkLayer())
			case *layers.ICMPv6:
				_ = l.SetNetworkLayerForChecksum(p.NetworkLayer())
			}
		}
		buf := gopacket.NewSerializeBuffer()
		if err := gopacket.SerializePacket(buf, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true},
			p); err != nil {
			t.Fatalf("%s: %v", b.name, err)
		}
		got := buf.Bytes() // the oracle pads to 60 bytes; we leave that to the hardware
		if n := len(b.frame); len(got) < n || !bytes.Equal(got[:n], b.frame) {
			t.Errorf("%s:\n got %x\nwant %x", b.name, b.frame, got)
		}
	}
}

// lldpDisagreement compares LLDP.Parse with gopacket where both accept.
func lldpDisagreement(pdu []byte) string {
	var l LLDP
	if l.Parse(pdu) != nil {
		return ""
	}
	p := gopacket.NewPacket(pdu, layers.LayerTypeLinkLayerDiscovery, gopacket.Default)
	o, ok := p.Layer(layers.LayerTypeLinkLayerDiscovery).(*layers.LinkLayerDiscovery)
	if !ok {
		return ""
	}
	if l.ChassisSubtype != uint8(o.ChassisID.Subtype) || !bytes.Equal(l.ChassisID, o.ChassisID.ID) ||
		l.PortSubtype != uint8(o.PortID.Subtype) ||
		!bytes.Equal(l.PortID, o.PortID.ID) || l.TTL != o.TTL {
		return fmt.Sprintf("%+v, oracle %+v", l, o)
	}
	rest := l.Optional
	for _, want := range o.Values {
		typ, v, after, ok := NextTLV(rest)
		if !ok || typ != uint8(want.Type) || !bytes.Equal(v, want.Value) {
			return fmt.Sprintf("TLV %d %x, oracle %+v", typ, v, want)
		}
		rest = after
	}
	if len(rest) != 0 {
		return fmt.Sprintf("%x left after the oracle's last TLV", rest)
	}
	return ""
}

func TestOracleReadsOurLLDP(t *testing.T) {
	l := sampleLLDP()
	pdu := l.Append(nil)
	if p := gopacket.NewPacket(pdu, layers.LayerTypeLinkLayerDiscovery, gopacket.Default); p.ErrorLayer() != nil {
		t.Fatal(p.ErrorLayer().Error())
	}
	if d := lldpDisagreement(pdu); d != "" {
		t.Error(d)
	}
}
