package openflow

import "bytes"

// Port is a port as a switch describes it. The bits of Config and State and of the four features
// are those of OpenFlow 1.3. Bits of Config and State that only OpenFlow 1.0 has are kept 16 places
// higher, as the constants say.
type Port struct {
	Number     uint32
	HWAddr     [6]byte
	Name       string // at most 16 bytes on the wire
	Config     uint32
	State      uint32
	Curr       uint32
	Advertised uint32
	Supported  uint32
	Peer       uint32
	CurrSpeed  uint32 // kbit/s, OpenFlow 1.3; not written in 1.0
	MaxSpeed   uint32 // kbit/s, OpenFlow 1.3; not written in 1.0
}

// Lengths of struct ofp_phy_port and struct ofp_port.
const (
	portLen10   = 48
	portLen13   = 64
	portNameLen = 16
)

// portLen is the length of a port's description in version v.
func portLen(v Version) int {
	if v == V10 {
		return portLen10
	}
	return portLen13
}

// parse reads one description; b has at least portLen(v) bytes. A name that stays the same is not
// allocated again.
func (p *Port) parse(v Version, b []byte) {
	if v == V10 {
		p.Number = portFrom10(be16(b))
		copy(p.HWAddr[:], b[2:8])
		p.setName(b[8:24])
		p.Config, p.State = swapBits(be32(b[24:]), config10), swapBits(be32(b[28:]), state10)
		p.Curr, p.Advertised = featuresFrom10(be32(b[32:])), featuresFrom10(be32(b[36:]))
		p.Supported, p.Peer = featuresFrom10(be32(b[40:])), featuresFrom10(be32(b[44:]))
		p.CurrSpeed, p.MaxSpeed = 0, 0
		return
	}
	p.Number = be32(b)
	copy(p.HWAddr[:], b[8:14])
	p.setName(b[16:32])
	p.Config, p.State = be32(b[32:]), be32(b[36:])
	p.Curr, p.Advertised = be32(b[40:]), be32(b[44:])
	p.Supported, p.Peer = be32(b[48:]), be32(b[52:])
	p.CurrSpeed, p.MaxSpeed = be32(b[56:]), be32(b[60:])
}

func (p *Port) setName(field []byte) {
	name, _, _ := bytes.Cut(field, zeros[:1])
	if p.Name != string(name) {
		p.Name = string(name)
	}
}

func (p *Port) append(b []byte, v Version) ([]byte, error) {
	if v == V10 {
		number, err := portTo10(p.Number)
		if err != nil {
			return b, err
		}
		b = append(append16(b, number), p.HWAddr[:]...)
		b = appendFixed(b, p.Name, portNameLen)
		b = append32(append32(b, swapBits(p.Config, config10)), swapBits(p.State, state10))
		b = append32(append32(b, featuresTo10(p.Curr)), featuresTo10(p.Advertised))
		return append32(append32(b, featuresTo10(p.Supported)), featuresTo10(p.Peer)), nil
	}
	b = appendPad(append32(b, p.Number), 4)
	b = appendPad(append(b, p.HWAddr[:]...), 2)
	b = appendFixed(b, p.Name, portNameLen)
	b = append32(append32(b, p.Config), p.State)
	b = append32(append32(b, p.Curr), p.Advertised)
	b = append32(append32(b, p.Supported), p.Peer)
	return append32(append32(b, p.CurrSpeed), p.MaxSpeed), nil
}

// appendText prints a port by the names of struct ofp_port, in braces.
func (p *Port) appendText(b []byte, v Version) []byte {
	b = appendPort(appendKey(append(b, '{'), ',', "number"), p.Number)
	b = appendMAC(appendKey(b, ',', "hw_addr"), p.HWAddr[:])
	b = appendQuoted(appendKey(b, ',', "name"), p.Name)
	b = appendFlags(appendKey(b, ',', "config"), p.Config, portConfigNames)
	b = appendFlags(appendKey(b, ',', "state"), p.State, portStateNames)
	b = appendFlags(appendKey(b, ',', "curr"), p.Curr, portFeatureNames)
	b = appendFlags(appendKey(b, ',', "advertised"), p.Advertised, portFeatureNames)
	b = appendFlags(appendKey(b, ',', "supported"), p.Supported, portFeatureNames)
	b = appendFlags(appendKey(b, ',', "peer"), p.Peer, portFeatureNames)
	if v != V10 {
		b = appendDec(appendKey(b, ',', "curr_speed"), p.CurrSpeed)
		b = appendDec(appendKey(b, ',', "max_speed"), p.MaxSpeed)
	}
	return append(b, '}')
}

// parsePorts appends to ports those that b describes; an incomplete one at the end is left out, the
// caller has checked.
func parsePorts(ports []Port, v Version, b []byte) []Port {
	size := portLen(v)
	for ; len(b) >= size; b = b[size:] {
		var p Port
		p.parse(v, b)
		ports = append(ports, p)
	}
	return ports
}
