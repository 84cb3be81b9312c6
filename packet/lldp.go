package packet

import (
	"encoding/binary"
	"errors"
)

// LLDPMulticast is the destination of LLDP frames, which no bridge forwards.
var LLDPMulticast = MAC{0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e}

// TLV types of LLDP.
const (
	TLVEnd        uint8 = 0
	TLVChassisID  uint8 = 1
	TLVPortID     uint8 = 2
	TLVTTL        uint8 = 3
	TLVSystemName uint8 = 5
	TLVSystemDesc uint8 = 6
	TLVOrg        uint8 = 127 // organisationally specific: OUI (3 bytes), subtype, value
)

// Subtypes of chassis and port ids.
const (
	ChassisLocal uint8 = 7
	PortLocal    uint8 = 7
)

// MaxTLV is the longest value of a TLV, in bytes: its length has 9 bits.
const MaxTLV = 511

// Errors of LLDP.Parse.
var (
	ErrLLDPOrder = errors.New("LLDP: must begin with chassis id, port id and time to live, each once")
	ErrLLDPTLV   = errors.New("LLDP: a TLV is longer than the frame, or shorter than its type allows")
)

// LLDP is one link-layer discovery PDU. After Parse its slices are views into the PDU.
type LLDP struct {
	ChassisSubtype uint8
	ChassisID      []byte // 1 to 255 bytes
	PortSubtype    uint8
	PortID         []byte // 1 to 255 bytes
	TTL            uint16 // seconds; 0 withdraws
	Optional       []byte // the TLVs after these, without the end TLV; see NextTLV and AppendOrgTLV
}

// Parse reads the PDU that follows the Ethernet header. Every TLV up to the end TLV (or, leniently,
// the end of the bytes) has been checked against the length when it returns nil. The error is
// ErrLLDPOrder or ErrLLDPTLV; l is then zero.
func (l *LLDP) Parse(pdu []byte) error {
	*l = LLDP{}
	chassis, rest, err := mandatory(pdu, TLVChassisID, 2, 256)
	if err != nil {
		return err
	}
	port, rest, err := mandatory(rest, TLVPortID, 2, 256)
	if err != nil {
		return err
	}
	ttl, rest, err := mandatory(rest, TLVTTL, 2, MaxTLV)
	if err != nil {
		return err
	}
	optional := rest
	for len(rest) > 0 {
		typ, _, after, ok := NextTLV(rest)
		if !ok {
			return ErrLLDPTLV
		}
		if typ == TLVEnd {
			break
		}
		if typ <= TLVTTL {
			return ErrLLDPOrder
		}
		rest = after
	}
	*l = LLDP{
		ChassisSubtype: chassis[0], ChassisID: chassis[1:],
		PortSubtype: port[0], PortID: port[1:],
		TTL:      binary.BigEndian.Uint16(ttl),
		Optional: optional[:len(optional)-len(rest)],
	}
	return nil
}

func mandatory(b []byte, want uint8, least, most int) (value, rest []byte, err error) {
	typ, value, rest, ok := NextTLV(b)
	switch {
	case !ok:
		return nil, nil, ErrLLDPTLV
	case typ != want:
		return nil, nil, ErrLLDPOrder
	case len(value) < least || len(value) > most:
		return nil, nil, ErrLLDPTLV
	}
	return value, rest, nil
}

// NextTLV takes the first TLV off b. ok is false when b is empty or ends inside of it.
func NextTLV(b []byte) (typ uint8, value, rest []byte, ok bool) {
	if len(b) < 2 {
		return 0, nil, nil, false
	}
	h := binary.BigEndian.Uint16(b)
	n := 2 + int(h&0x1ff)
	if len(b) < n {
		return 0, nil, nil, false
	}
	return uint8(h >> 9), b[2:n], b[n:], true
}

// Org is the value of the first organisationally specific TLV with this OUI (24 bits) and subtype
// among the optional ones, without them.
func (l *LLDP) Org(oui uint32, subtype uint8) (value []byte, ok bool) {
	want := oui<<8 | uint32(subtype)
	for rest := l.Optional; ; {
		typ, v, after, more := NextTLV(rest)
		if !more {
			return nil, false
		}
		if typ == TLVOrg && len(v) >= 4 && binary.BigEndian.Uint32(v) == want {
			return v[4:], true
		}
		rest = after
	}
}

// AppendOrgTLV appends an organisationally specific TLV; the value has at most MaxTLV-4 bytes,
// longer ones panic.
func AppendOrgTLV(b []byte, oui uint32, subtype uint8, value []byte) []byte {
	b = appendTLVHeader(b, TLVOrg, 4+len(value))
	b = binary.BigEndian.AppendUint32(b, oui<<8|uint32(subtype))
	return append(b, value...)
}

func appendTLVHeader(b []byte, typ uint8, n int) []byte {
	if n > MaxTLV {
		panic("packet: LLDP TLV longer than 511 bytes")
	}
	return binary.BigEndian.AppendUint16(b, uint16(typ)<<9|uint16(n))
}

// Append appends the PDU without an Ethernet header, the end TLV included. Ids longer than 255
// bytes panic.
func (l *LLDP) Append(b []byte) []byte {
	b = appendID(b, TLVChassisID, l.ChassisSubtype, l.ChassisID)
	b = appendID(b, TLVPortID, l.PortSubtype, l.PortID)
	b = append(b, TLVTTL<<1, 2, byte(l.TTL>>8), byte(l.TTL))
	b = append(b, l.Optional...)
	return append(b, 0, 0)
}

func appendID(b []byte, typ, subtype uint8, id []byte) []byte {
	if len(id) > 255 {
		panic("packet: LLDP id longer than 255 bytes")
	}
	b = appendTLVHeader(b, typ, 1+len(id))
	b = append(b, subtype)
	return append(b, id...)
}

// AppendLLDP appends an untagged frame with the PDU l from src to dst, usually LLDPMulticast.
func AppendLLDP(b []byte, dst, src MAC, l *LLDP) []byte {
	return l.Append(AppendEthernet(b, dst, src, 0, 0, TypeLLDP))
}
