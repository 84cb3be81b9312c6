package host

import (
	"time"

	"github.com/weirnet/weir/packet"
)

// allNodes is ff02::1.
var allNodes = packet.Addr{0: 0xff, 1: 0x02, 15: 1}

// askND sends a solicitation for n's address: to its solicited-node group, or to n alone while it
// is still valid.
func (h *Host) askND(n *neighbour, out Output) {
	k := packet.NewNDSolicit(h.cfg.MAC, h.ip6, n.ip)
	k.VLAN = h.vlan()
	if n.known {
		k.EthDst, k.IPDst = n.mac, n.ip
	}
	h.buf = packet.AppendND(h.buf[:0], &k, 0)
	h.transmit(h.buf, nil, out)
}

// linkAddress is the option of this type among a message's; ok is false if an option is wrong, or
// is not six bytes long.
func linkAddress(options []byte, want uint8) (mac packet.MAC, ok bool) {
	for len(options) > 0 {
		typ, value, rest, whole := packet.NextNDOption(options)
		if !whole {
			return packet.MAC{}, false
		}
		if typ == want && len(value) == len(mac) {
			mac = packet.MAC(value)
		}
		options = rest
	}
	return mac, true
}

// receiveSolicit learns from a solicitation and answers it (RFC 4861, sections 7.1.1 and 7.2.3).
func (h *Host) receiveSolicit(src packet.Addr, m packet.ND, now time.Duration, out Output) {
	if m.Target() != h.ip6 {
		return
	}
	mac, ok := linkAddress(m.Options(), packet.NDOptSLL)
	if !ok {
		h.counters.Malformed++
		return
	}
	h.counters.Asked++
	if src.IsZero() { // somebody tries whether the address is free: all are told that it is not
		h.counters.Answers++
		h.advertise(allNodes, packet.MAC{0x33, 0x33, 0, 0, 0, 1}, packet.NDOverride, nil, out)
		return
	}
	if src == h.ip6 {
		return
	}
	h.heard(src, mac, true, now, out)
	h.counters.Answers++
	h.advertiseTo(src, mac, now, out)
}

// advertiseTo answers a solicitation from src: to the address in its option, or by the cache if it
// has none.
func (h *Host) advertiseTo(src packet.Addr, mac packet.MAC, now time.Duration, out Output) {
	k := packet.NewNDAdvert(h.cfg.MAC, h.ip6, mac, src)
	k.VLAN = h.vlan()
	h.buf = packet.AppendND(h.buf[:0], &k, packet.NDSolicited|packet.NDOverride)
	if mac.IsZero() || mac.IsMulticast() {
		h.deliver(src, h.buf, nil, now, out)
		return
	}
	h.transmit(h.buf, nil, out)
}

// receiveAdvert learns from an advertisement (RFC 4861, section 7.2.5, without its states between
// known and unknown).
func (h *Host) receiveAdvert(m packet.ND, now time.Duration, out Output) {
	mac, ok := linkAddress(m.Options(), packet.NDOptTLL)
	if !ok {
		h.counters.Malformed++
		return
	}
	n := h.neighbours[m.Target()]
	if n == nil || mac.IsZero() && !n.known {
		h.counters.Unmatched++ // nobody asked, or the answer does not say
		return
	}
	if mac.IsZero() || n.known && n.mac != mac && m.Flags()&packet.NDOverride == 0 {
		mac = n.mac
	}
	h.heard(m.Target(), mac, false, now, out)
}

// advertise sends an advertisement of the host's own address.
func (h *Host) advertise(dst packet.Addr, mac packet.MAC, flags uint8, t *tally, out Output) {
	k := packet.NewNDAdvert(h.cfg.MAC, h.ip6, mac, dst)
	k.VLAN = h.vlan()
	h.buf = packet.AppendND(h.buf[:0], &k, flags)
	h.transmit(h.buf, t, out)
}

// Announce announces to all stations where the host's addresses are: a gratuitous ARP request and
// an unsolicited neighbour advertisement (RFC 4861, section 7.2.6), for the addresses it has. It is
// sent at once.
func (h *Host) Announce(_ time.Duration, out Output) {
	if !h.ip4.IsZero() {
		h.announceARP(out)
	}
	if !h.ip6.IsZero() {
		h.advertise(allNodes, packet.MAC{0x33, 0x33, 0, 0, 0, 1}, packet.NDOverride, nil, out)
	}
}

// announcement is an Announce to come.
type announcement struct{ timer }

func (*announcement) wake(h *Host, now time.Duration, out Output) { h.Announce(now, out) }

// AnnounceAt has the host send at a time what Announce sends.
func (h *Host) AnnounceAt(at time.Duration) {
	a := &announcement{}
	h.timers.set(&a.timer, a, at)
}
