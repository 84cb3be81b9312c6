package flowtable

import "github.com/weirnet/weir/packet"

// Bits of the field ipv6_exthdr (enum ofp_ipv6exthdr_flags).
const (
	extNoNext        = 1 << iota // no next header
	extESP                       // encrypted payload
	extAuth                      // authentication
	extDest                      // one or two destination options
	extFrag                      // fragment
	extRouter                    // routing
	extHop                       // hop-by-hop options
	extUnexpectedRep             // one more than once, destination options more than twice
	extUnexpectedSeq             // not in the order of RFC 8200, section 4.1
)

const protoESP = 50

// extensionBits is the set of extension headers that an IPv6 packet has, as far as they are whole
// and no more than packet.MaxExtensions.
func extensionBits(ip packet.IPv6) uint64 {
	bits, next, last, dests := uint64(0), ip.NextHeader(), 0, 0
	b := ip[packet.IPv6Len:min(packet.IPv6Len+int(ip.PayloadLen()), len(ip))]
	for range packet.MaxExtensions {
		bit, rank := extension(next)
		if bit == 0 {
			break
		}
		if bit == extDest {
			if dests++; last > rank || dests > 1 {
				rank = rankLastDest
			}
		}
		if bits&bit != 0 && (bit != extDest || dests > 2) {
			bits |= extUnexpectedRep
		}
		if rank < last {
			bits |= extUnexpectedSeq
		}
		bits, last = bits|bit, rank
		if bit == extNoNext || bit == extESP || len(b) < 8 {
			break
		}
		size := packet.ExtensionLen(next, b)
		if size > len(b) {
			break
		}
		next, b = b[0], b[size:]
	}
	return bits
}

// rankLastDest is the place of destination options after all other headers; before a routing header
// they have another.
const rankLastDest = 7

// extension is the bit of an extension header and its place in the order; 0 for what is none.
func extension(proto uint8) (bit uint64, rank int) {
	switch proto {
	case packet.ProtoHopByHop:
		return extHop, 1
	case packet.ProtoDstOpts:
		return extDest, 2
	case packet.ProtoRouting:
		return extRouter, 3
	case packet.ProtoFragment:
		return extFrag, 4
	case packet.ProtoAH:
		return extAuth, 5
	case protoESP:
		return extESP, 6
	case packet.ProtoNone:
		return extNoNext, 8
	}
	return 0, 0
}
