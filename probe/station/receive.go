package station

import "github.com/weirnet/weir/packet"

// Receive takes a frame that came in.
func (s *Station) Receive(frame []byte) {
	dst, src, vlan, etherType, at, ok := packet.ParseEthernet(frame)
	if !ok || vlan&packet.VLANMask != s.cfg.VLAN {
		return
	}
	if to := packet.MACFromUint64(dst); to != s.cfg.MAC && !to.IsMulticast() {
		return
	}
	if etherType == packet.TypeARP {
		s.arp(packet.ARP(frame[at:]))
		return
	}
	part, ok := packet.ParsePart(etherType, frame[at:])
	if !ok || len(part.Payload) < part.Len {
		return
	}
	message, ok := part.Payload[:part.Len], true
	if !part.Whole() {
		message, ok = s.trains.add(&part)
	}
	if ok {
		s.icmp(packet.MACFromUint64(src), &part, message)
	}
}

func (s *Station) arp(a packet.ARP) {
	if !a.Valid() || a.SHA().IsMulticast() {
		return
	}
	sender := packet.AddrFrom4(a.SPA())
	if !s.owns(packet.AddrFrom4(a.TPA())) || s.owns(sender) {
		return
	}
	s.learn(sender, a.SHA())
	if a.Op() == packet.ARPRequest {
		k := packet.NewARPReply(s.cfg.MAC, a.TPA(), a.SHA(), a.SPA())
		k.VLAN = s.tag()
		_ = s.send(packet.AppendARP(nil, &k)) // counted
	}
}

// icmp takes an ICMP message, whole.
func (s *Station) icmp(from packet.MAC, p *packet.Part, b []byte) {
	m := packet.ICMP(b)
	if !m.Valid() {
		return
	}
	switch {
	case p.Proto == packet.ProtoICMPv4 && m.Type() == packet.ICMPv4EchoRequest:
		if s.owns(p.Dst) && packet.Checksum(b) == 0 {
			s.answer(from, p, m, packet.TypeIPv4, packet.ICMPv4EchoReply)
		}
	case p.Proto != packet.ProtoICMPv6 || packet.TransportChecksum(p.Src, p.Dst, p.Proto, b) != 0:
	case m.Type() == packet.ICMPv6EchoRequest:
		if s.owns(p.Dst) {
			s.answer(from, p, m, packet.TypeIPv6, packet.ICMPv6EchoReply)
		}
	case m.Type() == packet.NDSolicit, m.Type() == packet.NDAdvert:
		s.neighbour(p, packet.ND(b))
	}
}

// answer answers an echo request with what it has brought.
func (s *Station) answer(to packet.MAC, p *packet.Part, m packet.ICMP, etherType uint16, reply uint8) {
	k := packet.Key{EthDst: to, EthSrc: s.cfg.MAC, VLAN: s.tag(), EtherType: etherType, IPSrc: p.Dst, IPDst: p.Src,
		ICMPType: reply}
	_ = s.send(packet.AppendICMPEcho(nil, &k, m.EchoID(), m.EchoSeq(), m.Payload())) // counted
}

// neighbour answers a solicitation, and learns from it and from an advertisement.
func (s *Station) neighbour(p *packet.Part, m packet.ND) {
	if !m.Valid() {
		return
	}
	var link packet.MAC
	for rest := m.Options(); ; {
		kind, value, after, ok := packet.NextNDOption(rest)
		if !ok {
			break
		}
		if rest = after; (kind == packet.NDOptSLL || kind == packet.NDOptTLL) && len(value) >= 6 {
			link = packet.MAC(value[:6])
		}
	}
	if link.IsZero() || link.IsMulticast() {
		return
	}
	if m.Type() == packet.NDAdvert {
		if !s.owns(m.Target()) {
			s.learn(m.Target(), link)
		}
		return
	}
	if s.owns(m.Target()) && !s.owns(p.Src) {
		s.learn(p.Src, link)
		k := packet.NewNDAdvert(s.cfg.MAC, m.Target(), link, p.Src)
		k.VLAN = s.tag()
		_ = s.send(packet.AppendND(nil, &k, packet.NDSolicited|packet.NDOverride)) // counted
	}
}
