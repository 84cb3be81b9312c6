package proxyarp

import (
	"fmt"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/insomniacslk/dhcp/dhcpv4"
	"github.com/insomniacslk/dhcp/dhcpv6"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

var server = packet.MAC{2, 0, 0, 0, 0, 9}

// heard is a scene with the client at port 1 and what DHCP has told it.
type heard struct {
	*scene
	t testing.TB
}

func hear(t testing.TB) *heard {
	s := newScene()
	s.facts.Update(func(tx *netview.FactsTx) {
		tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: asker}, State: netview.HostConfirmed,
			At: netview.Point{DPID: 1, Port: 1}})
	})
	return &heard{s, t}
}

// datagram sends a payload in UDP from a host at a port; servers send to the client.
func (h *heard) datagram(port uint32, src packet.MAC, v6, fromServer bool, payload []byte) {
	k := packet.Key{EthSrc: src, EthDst: packet.Broadcast, EtherType: packet.TypeIPv4, SrcPort: portClient4, DstPort: portServer4,
		IPSrc: packet.AddrFrom4([4]byte{}), IPDst: packet.AddrFrom4([4]byte{255, 255, 255, 255})}
	if v6 {
		k.EtherType, k.SrcPort, k.DstPort = packet.TypeIPv6, portClient6, portServer6
		k.IPSrc, k.IPDst = packet.Addr{0: 0xfe, 1: 0x80, 15: 1}, packet.Addr{0: 0xff, 1: 2, 15: 1}
	}
	if fromServer {
		k.SrcPort, k.DstPort = k.DstPort, k.SrcPort
		k.EthDst = asker
	}
	frame := packet.AppendUDP(nil, &k, payload)
	var got packet.Key
	end, fault := packet.ParseKey(frame, &got)
	if fault != packet.FaultNone {
		h.t.Fatal(fault)
	}
	d, ok := datagramOf(&got, frame, end, netview.Point{DPID: 1, Port: port})
	if !ok {
		h.t.Fatal("not seen as DHCP")
	}
	h.core.Lease(&d, h.view.Snapshot())
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// request4 and ack4 are the client's request for an address and a server's acknowledgement.
func request4(ip string) (*dhcpv4.DHCPv4, []byte) {
	m := must(dhcpv4.New(dhcpv4.WithHwAddr(asker[:]), dhcpv4.WithMessageType(dhcpv4.MessageTypeRequest),
		dhcpv4.WithOption(dhcpv4.OptRequestedIPAddress(net.ParseIP(ip)))))
	return m, m.ToBytes()
}

func ack4(m *dhcpv4.DHCPv4, ip string, typ dhcpv4.MessageType) []byte {
	return must(dhcpv4.NewReplyFromRequest(m, dhcpv4.WithMessageType(typ), dhcpv4.WithYourIP(net.ParseIP(ip)))).ToBytes()
}

func TestLeases4(t *testing.T) {
	type say func(h *heard)
	m, request := request4("10.0.0.7")
	asks := func(h *heard) { h.datagram(1, asker, false, false, request) }
	gives := func(ip string, typ dhcpv4.MessageType) say {
		return func(h *heard) { h.datagram(3, server, false, true, ack4(m, ip, typ)) }
	}
	for what, c := range map[string]struct {
		talk []say
		want []string
	}{
		"asked and given": {[]say{asks, gives("10.0.0.7", dhcpv4.MessageTypeAck)},
			[]string{"learned 02:00:00:00:00:01 10.0.0.7"}},
		"given twice counts once": {[]say{asks, gives("10.0.0.7", dhcpv4.MessageTypeAck),
			gives("10.0.0.7", dhcpv4.MessageTypeAck)}, []string{"learned 02:00:00:00:00:01 10.0.0.7"}},
		"not asked":          {[]say{gives("10.0.0.7", dhcpv4.MessageTypeAck)}, nil},
		"another than asked": {[]say{asks, gives("10.0.0.8", dhcpv4.MessageTypeAck)}, nil},
		"refused":            {[]say{asks, gives("10.0.0.7", dhcpv4.MessageTypeNak)}, nil},
		"an offer only":      {[]say{asks, gives("10.0.0.7", dhcpv4.MessageTypeOffer)}, nil},
		"asked where the client isn't": {[]say{func(h *heard) { h.datagram(2, asker, false, false, request) },
			gives("10.0.0.7", dhcpv4.MessageTypeAck)}, nil},
		"asked in another's name": {[]say{func(h *heard) { h.datagram(2, server, false, false, request) },
			gives("10.0.0.7", dhcpv4.MessageTypeAck)}, nil},
		"too late": {[]say{asks, func(h *heard) {
			for range 61 {
				h.now = h.now.Add(time.Second)
				h.core.Tick(h.view.Snapshot(), h.now)
			}
		}, gives("10.0.0.7", dhcpv4.MessageTypeAck)}, nil},
	} {
		h := hear(t)
		for _, f := range c.talk {
			f(h)
		}
		if !slices.Equal(h.log, c.want) {
			t.Errorf("%s: %v, want %v", what, h.log, c.want)
		}
		if _, ok := h.core.holder(address{ip: packet.AddrFrom4([4]byte{10, 0, 0, 7})},
			h.view.Snapshot()); ok != (len(c.want) > 0) {
			t.Errorf("%s: told to others: %v", what, ok)
		}
	}
}

func message6(typ dhcpv6.MessageType, id byte, ips ...string) []byte {
	m := must(dhcpv6.NewMessage())
	m.MessageType, m.TransactionID = typ, dhcpv6.TransactionID{0, 0, id}
	ia := &dhcpv6.OptIANA{}
	for _, ip := range ips {
		ia.Options.Add(&dhcpv6.OptIAAddress{IPv6Addr: net.ParseIP(ip), ValidLifetime: time.Hour})
	}
	m.AddOption(ia)
	return m.ToBytes()
}

func TestLeases6(t *testing.T) {
	h := hear(t)
	h.datagram(1, asker, true, false, message6(dhcpv6.MessageTypeSolicit, 1))
	h.datagram(3, server, true, true, message6(dhcpv6.MessageTypeReply, 1, "fd00::6")) // nobody asked for this one
	h.datagram(1, asker, true, false, message6(dhcpv6.MessageTypeRequest, 2, "fd00::7", "fd00::8"))
	h.datagram(3, server, true, true, message6(dhcpv6.MessageTypeReply, 3, "fd00::7"))
	h.datagram(3, server, true, true, message6(dhcpv6.MessageTypeReply, 2, "fd00::7", "fd00::9"))
	if want := []string{"learned 02:00:00:00:00:01 fd00::7"}; !slices.Equal(h.log, want) {
		t.Errorf("%v, want %v", h.log, want)
	}
}

// Whatever comes on DHCP's ports: no panic, nothing learned that was not asked for, bounded memory.
func FuzzLease(f *testing.F) {
	m, request := request4("10.0.0.7")
	f.Add(false, request, ack4(m, "10.0.0.7", dhcpv4.MessageTypeAck))
	f.Add(true, message6(dhcpv6.MessageTypeRequest, 2, "fd00::7"), message6(dhcpv6.MessageTypeReply, 2, "fd00::7"))
	f.Add(true, []byte{12, 0}, []byte{13})
	f.Fuzz(func(t *testing.T, v6 bool, asks, gives []byte) {
		if len(asks) > 1400 || len(gives) > 1400 {
			return
		}
		h := hear(t)
		h.datagram(3, server, v6, true, gives)
		if len(h.log) != 0 {
			t.Fatalf("%x: learned %v, and nobody had asked", gives, h.log)
		}
		h.datagram(1, asker, v6, false, asks)
		wished := map[string]bool{}
		for tr, w := range h.core.leases.asked {
			for _, ip := range w.ips {
				wished[fmt.Sprintf("learned %s %s", tr.host, ip)] = true
			}
		}
		h.datagram(3, server, v6, true, gives)
		for _, line := range h.log {
			if !wished[line] {
				t.Fatalf("%x, %x: %s, and that was not asked for", asks, gives, line)
			}
		}
	})
}
