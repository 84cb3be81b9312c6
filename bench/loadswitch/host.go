package loadswitch

import (
	"encoding/binary"

	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/packet"
)

// Host is a host at a port of a switch. Its number, from 0, is in its addresses.
type Host struct {
	Number int
	At     topo.End
	MAC    packet.MAC
	IP     [4]byte
}

// macPrefix begins the addresses of emulated hosts: of the locally administered space.
var macPrefix = [2]byte{0x02, 0x77}

// NewHost makes the host of a number; its addresses follow from it.
func NewHost(number int, at topo.End) Host {
	h := Host{Number: number, At: at}
	copy(h.MAC[:], macPrefix[:])
	binary.BigEndian.PutUint32(h.MAC[2:], uint32(number+1))
	binary.BigEndian.PutUint32(h.IP[:], 10<<24+uint32(number+1)&(1<<24-1))
	return h
}

// HostNumber is the number in a host's Ethernet address (the low 48 bits of mac); ok is false if it
// is no emulated host's.
func HostNumber(mac uint64) (number int, ok bool) {
	n := uint32(mac)
	return int(n) - 1, mac>>32 == uint64(macPrefix[0])<<8|uint64(macPrefix[1]) && n > 0
}

// AppendAnnouncement appends the frame by which a host tells its addresses: an ARP request for its
// own.
func (h *Host) AppendAnnouncement(b []byte) []byte {
	k := packet.NewARPRequest(h.MAC, h.IP, h.IP)
	return packet.AppendARP(b, &k)
}
