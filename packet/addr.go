package packet

import (
	"encoding/binary"
	"net/netip"
)

// Addr is an IP address in 16 bytes, in the order of the wire; an IPv4 address is ::ffff:a.b.c.d
// (RFC 4291, 2.5.5.2). Unlike netip.Addr it has no pointer in it, so that a Key is plain memory; an
// IPv6 packet that carries such a mapped address cannot be told from IPv4 by the Addr alone, but by
// the EtherType beside it.
type Addr [16]byte

// AddrFrom4 is the address with these four bytes.
func AddrFrom4(ip [4]byte) Addr {
	var a Addr
	a.set4(ip[:])
	return a
}

// set4 makes the zero Addr the address with the four bytes of ip. It writes in place: a copy of 16
// bytes just written as two halves stalls the processor for longer than all the rest of ParseKey
// takes.
func (a *Addr) set4(ip []byte) {
	binary.BigEndian.PutUint64(a[8:], 0xffff_0000_0000|uint64(binary.BigEndian.Uint32(ip)))
}

// AddrFrom is a without its zone; the zero netip.Addr gives the zero Addr.
func AddrFrom(a netip.Addr) Addr {
	if !a.IsValid() {
		return Addr{}
	}
	return a.As16()
}

// Is4 reports whether this is an IPv4 address.
func (a Addr) Is4() bool {
	return binary.BigEndian.Uint64(a[:8]) == 0 && binary.BigEndian.Uint32(a[8:]) == 0xffff
}

// As4 is the four bytes of an IPv4 address; of another, its last four.
func (a Addr) As4() [4]byte { return [4]byte(a[12:]) }

// IsZero reports whether no address is here, or "::".
func (a Addr) IsZero() bool { return a == Addr{} }

// Netip is the address as the standard library has it, IPv4 unmapped. The zero Addr is "::".
func (a Addr) Netip() netip.Addr { return netip.AddrFrom16(a).Unmap() }

// String is the address as people write it: "10.0.0.1", "fe80::1".
func (a Addr) String() string { return a.Netip().String() }

// AppendText appends what String returns.
func (a Addr) AppendText(b []byte) []byte { return a.Netip().AppendTo(b) }

// appendText6 is AppendText without taking a mapped address for IPv4.
func (a Addr) appendText6(b []byte) []byte { return netip.AddrFrom16(a).AppendTo(b) }
