package discovery

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
// probe, to packet.LLDPMulticast, which no bridge forwards; 2 is a far one, to farGroup, which
// every bridge forwards.
const (
	probeOUI   = 0x025752 // of the locally administered space
	probeNear  = 1
	probeFar   = 2
	probeBody  = 2 + 8 + 4 + 8
	probeMAC   = 16
	probeValue = probeBody + probeMAC
)

// farGroup is an ordinary group address, of the locally administered space: bridges flood it.
var farGroup = packet.MAC{0x03, 0x57, 0x52, 0x00, 0x00, 0x01}

// Reasons why a frame makes no link.
var (
	ErrMalformed = errors.New("not a well-formed LLDP frame")
	ErrForeign   = errors.New("a foreign LLDP frame, or one of another domain")
	ErrForged    = errors.New("a probe with a wrong MAC")
	ErrStale     = errors.New("an LLDP frame that was not sent in this round or the last")
	ErrReplayed  = errors.New("an LLDP frame that was heard before")
	ErrAtHost    = errors.New("an LLDP frame between ports of which one has a host or is configured as edge")
)

// probe is the content of a frame: the port it was sent from, its number, and whether it was sent
// to bridges too (far) or only to the next device (near).
type probe struct {
	from   netview.Point
	number uint64
	far    bool
}

// probeCodec encodes and decodes probes. It is safe for concurrent use.
type probeCodec struct {
	domain uint16
	ttl    atomic.Uint32 // seconds
	macs   sync.Pool
}

func newProbeCodec(key []byte, domain, ttl uint16) *probeCodec {
	s := &probeCodec{domain: domain, macs: sync.Pool{New: func() any { return &macState{Hash: hmac.New(sha256.New, key)} }}}
	s.ttl.Store(uint32(ttl))
	return s
}

// encode appends the frame of a probe.
func (s *probeCodec) encode(b []byte, p probe, src packet.MAC) []byte {
	var scratch [128]byte
	ids := hex.AppendEncode(scratch[:0], binary.BigEndian.AppendUint64(scratch[64:64], uint64(p.from.DPID)))
	ids = strconv.AppendUint(ids, uint64(p.from.Port), 10)
	body := binary.BigEndian.AppendUint16(ids[len(ids):], s.domain)
	body = binary.BigEndian.AppendUint64(body, uint64(p.from.DPID))
	body = binary.BigEndian.AppendUint32(body, p.from.Port)
	body = binary.BigEndian.AppendUint64(body, p.number)
	body = append(body, make([]byte, probeMAC)...)
	dst, subtype := packet.LLDPMulticast, uint8(probeNear)
	if p.far {
		dst, subtype = farGroup, probeFar
	}
	opt := packet.AppendOrgTLV(body[len(body):], probeOUI, subtype, body)
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

// sum writes the MAC of a PDU's beginning after dst, which has room for it.
func (s *probeCodec) sum(pdu, dst []byte) {
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

// decode parses a received frame. The error is ErrMalformed, ErrForeign or ErrForged. What follows
// the MAC (the end TLV, padding) is ignored.
func (s *probeCodec) decode(frame []byte) (probe, error) {
	dst, _, _, etherType, payload, ok := packet.ParseEthernet(frame)
	if !ok || etherType != packet.TypeLLDP {
		return probe{}, ErrMalformed
	}
	pdu := frame[payload:]
	var l packet.LLDP
	if l.Parse(pdu) != nil {
		return probe{}, ErrMalformed
	}
	v, ok := l.Org(probeOUI, probeNear)
	sentTo, far := packet.LLDPMulticast, !ok
	if far {
		v, ok = l.Org(probeOUI, probeFar)
		sentTo = farGroup
	}
	if !ok || len(v) != probeValue || binary.BigEndian.Uint16(v) != s.domain {
		return probe{}, ErrForeign
	}
	end := cap(pdu) - cap(v) + probeBody // v is a view into pdu
	if end <= 0 || end+probeMAC > len(pdu) {
		return probe{}, ErrMalformed
	}
	var want [probeMAC]byte
	s.sum(pdu[:end], want[:])
	if subtle.ConstantTimeCompare(want[:], v[probeBody:]) != 1 || dst != sentTo.Uint64() {
		return probe{}, ErrForged
	}
	return probe{
		from:   netview.Point{DPID: netview.DPID(binary.BigEndian.Uint64(v[2:])), Port: binary.BigEndian.Uint32(v[10:])},
		number: binary.BigEndian.Uint64(v[14:]),
		far:    far,
	}, nil
}
