package probes

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// A probe is an LLDP frame that names the port it was sent from, in an organizationally specific
// TLV:
//
//	oui 02:57:52, subtype 1 or 2, value (38 bytes): domain 2, dpid 8, port 4, number 8, MAC 16
//
// The MAC is HMAC-SHA256 with the cluster's key, truncated to 16 bytes, over all of the PDU before
// it. The subtype gives the destination address, which has to match the received one: 1 is a near
// probe, to packet.LLDPMulticast, which no bridge forwards; 2 is a far one, to FarGroup, which
// every bridge forwards.
//
// A long probe has TLVs of subtype 3 before that one, which fill its frame up to a length: they are
// under the MAC, too, so that nobody makes a short probe into a long one.
const (
	probeOUI   = 0x025752 // of the locally administered space
	probeNear  = 1
	probeFar   = 2
	probeFill  = 3
	probeBody  = 2 + 8 + 4 + 8
	probeMAC   = 16
	probeValue = probeBody + probeMAC
	tlvHead    = 2 + 4 // of a TLV with an OUI
)

// MinFrame is the least length of a long probe: a short one, and a TLV to fill, fit.
const MinFrame = 128

// FarGroup is an ordinary group address, of the locally administered space: bridges flood it.
var FarGroup = packet.MAC{0x03, 0x57, 0x52, 0x00, 0x00, 0x01}

// Reasons why a frame makes no link.
var (
	ErrMalformed = errors.New("not a well-formed LLDP frame")
	ErrForeign   = errors.New("a foreign LLDP frame, or one of another domain")
	ErrForged    = errors.New("a probe with a wrong MAC")
	ErrStale     = errors.New("an LLDP frame that was not sent in this round or the last")
	ErrReplayed  = errors.New("an LLDP frame that was heard before")
	ErrAtHost    = errors.New("an LLDP frame between ports of which one has a host or is configured as edge")
)

// Probe is the content of a frame: the port it was sent from, its number, and whether it was sent
// to bridges too (far) or only to the next device (near).
type Probe struct {
	From   netview.Point
	Number uint64
	Far    bool
	// Length is that of the frame of a long probe, in bytes without check sequence and tags; at least MinFrame.
	// 0: the probe is as short as can be.
	Length uint16
}

// Codec encodes and decodes probes. It is safe for concurrent use.
type Codec struct {
	domain uint16
	ttl    atomic.Uint32 // seconds
	macs   sync.Pool
}

// NewCodec returns a codec for a cluster's key and domain. ttl is in seconds.
func NewCodec(key []byte, domain, ttl uint16) *Codec {
	s := &Codec{domain: domain, macs: sync.Pool{New: func() any { return &macState{Hash: hmac.New(sha256.New, key)} }}}
	s.ttl.Store(uint32(ttl))
	return s
}

// Encode appends the frame of a probe.
func (s *Codec) Encode(b []byte, p Probe, src packet.MAC) []byte {
	var scratch [128]byte
	ids := hex.AppendEncode(scratch[:0], binary.BigEndian.AppendUint64(scratch[64:64], uint64(p.From.DPID)))
	ids = strconv.AppendUint(ids, uint64(p.From.Port), 10)
	body := binary.BigEndian.AppendUint16(ids[len(ids):], s.domain)
	body = binary.BigEndian.AppendUint64(body, uint64(p.From.DPID))
	body = binary.BigEndian.AppendUint32(body, p.From.Port)
	body = binary.BigEndian.AppendUint64(body, p.Number)
	body = append(body, make([]byte, probeMAC)...)
	dst, subtype := packet.LLDPMulticast, uint8(probeNear)
	if p.Far {
		dst, subtype = FarGroup, probeFar
	}
	opt := packet.AppendOrgTLV(body[len(body):], probeOUI, subtype, body)
	if p.Length > 0 {
		short := packet.EthernetLen + 3 + 16 + 3 + len(ids[16:]) + 4 + len(opt) + 2
		opt = append(appendFill(nil, int(p.Length)-short), opt...)
	}
	start := len(b)
	b = packet.AppendLLDP(b, dst, src, &packet.LLDP{
		ChassisSubtype: packet.ChassisLocal, ChassisID: ids[:16],
		PortSubtype: packet.PortLocal, PortID: ids[16:],
		TTL: uint16(s.ttl.Load()), Optional: opt,
	})
	end := len(b) - 2 - probeMAC // before the end TLV and the MAC
	s.sum(b[start+packet.EthernetLen:end], b[end:end])
	return b
}

// appendFill appends TLVs of n bytes in all.
func appendFill(b []byte, n int) []byte {
	var zeros [packet.MaxTLV]byte
	for n >= tlvHead {
		one := min(n, 2+packet.MaxTLV)
		if rest := n - one; rest > 0 && rest < tlvHead {
			one -= tlvHead
		}
		b = packet.AppendOrgTLV(b, probeOUI, probeFill, zeros[:one-tlvHead])
		n -= one
	}
	return b
}

// isFill reports whether TLVs begin with one that only fills.
func isFill(tlvs []byte) bool {
	typ, v, _, _ := packet.NextTLV(tlvs)
	return typ == packet.TLVOrg && len(v) >= 4 && binary.BigEndian.Uint32(v) == probeOUI<<8|probeFill
}

// sum writes the MAC of a PDU's beginning after dst, which has room for it.
func (s *Codec) sum(pdu, dst []byte) {
	h := s.macs.Get().(*macState)
	h.Reset()
	h.Write(pdu)
	copy(dst[:probeMAC], h.Sum(h.full[:0]))
	s.macs.Put(h)
}

// macState is a reusable HMAC.
type macState struct {
	hash.Hash
	full [sha256.Size]byte
}

// Decode parses a received frame. The error is ErrMalformed, ErrForeign or ErrForged. What follows
// the MAC (the end TLV, padding) is ignored.
func (s *Codec) Decode(frame []byte) (Probe, error) {
	dst, _, _, etherType, payload, ok := packet.ParseEthernet(frame)
	if !ok || etherType != packet.TypeLLDP {
		return Probe{}, ErrMalformed
	}
	pdu := frame[payload:]
	var l packet.LLDP
	if l.Parse(pdu) != nil {
		return Probe{}, ErrMalformed
	}
	v, ok := l.Org(probeOUI, probeNear)
	sentTo, far := packet.LLDPMulticast, !ok
	if far {
		v, ok = l.Org(probeOUI, probeFar)
		sentTo = FarGroup
	}
	if !ok || len(v) != probeValue || binary.BigEndian.Uint16(v) != s.domain {
		return Probe{}, ErrForeign
	}
	end := cap(pdu) - cap(v) + probeBody // v is a view into pdu
	if end <= 0 || end+probeMAC > len(pdu) {
		return Probe{}, ErrMalformed
	}
	var want [probeMAC]byte
	s.sum(pdu[:end], want[:])
	if subtle.ConstantTimeCompare(want[:], v[probeBody:]) != 1 || dst != sentTo.Uint64() {
		return Probe{}, ErrForged
	}
	var length int
	if isFill(l.Optional) {
		length = packet.EthernetLen + end + probeMAC + 2 // what follows the MAC may be anybody's
	}
	return Probe{
		From:   netview.Point{DPID: netview.DPID(binary.BigEndian.Uint64(v[2:])), Port: binary.BigEndian.Uint32(v[10:])},
		Number: binary.BigEndian.Uint64(v[14:]),
		Far:    far,
		Length: uint16(length),
	}, nil
}
