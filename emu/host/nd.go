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
	if n.known {
		k.EthDst, k.IPDst = n.mac, n.ip
	}
	h.sendND(k, 0, out)
}

func (h *Host) sendND(k packet.Key, flags uint8, out Output) {
	k.VLAN = h.vlan()
	h.buf = packet.AppendND(h.buf[:0], &k, flags)
	h.transmit(h.buf, nil, out)
}

// linkAddress is the address in a message's option of this type, zero without one; ok is false if
// an option is malformed.
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
	if src.IsZero() { // duplicate address detection: the answer goes to all nodes
		h.counters.Answers++
		h.announceND(out)
		return
	}
	if src == h.ip6 {
		return
	}
	h.learn(src, mac, true, now, out)
	h.counters.Answers++
	h.advertiseTo(src, mac, now, out)
}

// advertiseTo answers a solicitation from src: to the address in its option, or by the cache if it
// has none.
func (h *Host) advertiseTo(src packet.Addr, mac packet.MAC, now time.Duration, out Output) {
	const flags = packet.NDSolicited | packet.NDOverride
	k := packet.NewNDAdvert(h.cfg.MAC, h.ip6, mac, src)
	if !mac.IsZero() && !mac.IsMulticast() {
		h.sendND(k, flags, out)
		return
	}
	k.VLAN = h.vlan()
	h.buf = packet.AppendND(h.buf[:0], &k, flags)
	h.deliver(src, h.buf, nil, now, out)
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
		h.counters.Unmatched++ // not asked for, or without an address
		return
	}
	if mac.IsZero() || n.known && n.mac != mac && m.Flags()&packet.NDOverride == 0 {
		mac = n.mac
	}
	h.learn(m.Target(), mac, false, now, out)
}

// announceND sends an unsolicited advertisement of the host's address (RFC 4861, section 7.2.6).
func (h *Host) announceND(out Output) {
	h.sendND(packet.NewNDAdvert(h.cfg.MAC, h.ip6, packet.MAC{0x33, 0x33, 0, 0, 0, 1}, allNodes), packet.NDOverride, out)
}

// Announce sends at once, to all stations, a gratuitous ARP request (RFC 5227, section 3: sender
// and target are the host) and an unsolicited neighbour advertisement, for the addresses the host
// has.
func (h *Host) Announce(_ time.Duration, out Output) {
	if !h.ip4.IsZero() {
		h.sendARP(packet.NewARPRequest(h.cfg.MAC, h.ip4.As4(), h.ip4.As4()), out)
	}
	if !h.ip6.IsZero() {
		h.announceND(out)
	}
}

// announcement is the timer of an Announce.
type announcement struct{ timer }

func (*announcement) wake(h *Host, now time.Duration, out Output) { h.Announce(now, out) }

// AnnounceAt has the host send at a time what Announce sends.
func (h *Host) AnnounceAt(at time.Duration) {
	a := &announcement{}
	h.timers.set(&a.timer, a, at)
}
