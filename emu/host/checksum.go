package host

import "github.com/weirnet/weir/packet"

// checksumOK reports whether the checksum of a datagram's transport is right.
func (d *datagram) checksumOK() bool {
	if d.proto == packet.ProtoICMPv4 {
		return packet.Checksum(d.body) == 0
	}
	return packet.TransportChecksum(d.src, d.dst, d.proto, d.body) == 0
}
