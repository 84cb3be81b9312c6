package packet

import "encoding/binary"

// ARPLen is the length of ARP for IPv4 over Ethernet, in bytes.
const ARPLen = 28

// ARP operations.
const (
	ARPRequest uint16 = 1
	ARPReply   uint16 = 2
)

// ARP is a view of what follows the Ethernet header of an ARP frame.
type ARP []byte

// Valid reports whether this is ARP for IPv4 over Ethernet, whole.
func (a ARP) Valid() bool {
	return len(a) >= ARPLen && binary.BigEndian.Uint64(a)>>16 == 0x0001_0800_0604
}

// Op is the operation: ARPRequest, ARPReply.
func (a ARP) Op() uint16 { return binary.BigEndian.Uint16(a[6:8]) }

// SHA is the sender's hardware address.
func (a ARP) SHA() MAC { return MAC(a[8:14]) }

// SPA is the sender's protocol address.
func (a ARP) SPA() [4]byte { return [4]byte(a[14:18]) }

// THA is the target's hardware address.
func (a ARP) THA() MAC { return MAC(a[18:24]) }

// TPA is the target's protocol address.
func (a ARP) TPA() [4]byte { return [4]byte(a[24:28]) }

// NewARPRequest is the key of a broadcast request: who has tpa, tell spa at sha. Set VLAN where it
// is to be tagged.
func NewARPRequest(sha MAC, spa, tpa [4]byte) Key {
	return Key{EthDst: Broadcast, EthSrc: sha, EtherType: TypeARP, ARPOp: ARPRequest, ARPSHA: sha, ARPSPA: spa, ARPTPA: tpa,
		Layers: LayerEthernet | LayerARP}
}

// NewARPReply is the key of a reply to tha at tpa: spa is at sha. Set VLAN where it is to be
// tagged.
func NewARPReply(sha MAC, spa [4]byte, tha MAC, tpa [4]byte) Key {
	return Key{EthDst: tha, EthSrc: sha, EtherType: TypeARP, ARPOp: ARPReply, ARPSHA: sha, ARPSPA: spa, ARPTHA: tha, ARPTPA: tpa,
		Layers: LayerEthernet | LayerARP}
}

// AppendARP appends the frame that k describes: its Ethernet, VLAN and ARP fields. It is 42 or 46
// bytes long; hardware pads it.
func AppendARP(b []byte, k *Key) []byte {
	b = AppendEthernet(b, k.EthDst, k.EthSrc, k.VLAN, k.PCP, TypeARP)
	b = append(b, 0, 1, 8, 0, 6, 4)
	b = binary.BigEndian.AppendUint16(b, k.ARPOp)
	b = append(b, k.ARPSHA[:]...)
	b = append(b, k.ARPSPA[:]...)
	b = append(b, k.ARPTHA[:]...)
	return append(b, k.ARPTPA[:]...)
}
