package spec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strconv"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

const (
	oxmHeaderLen  = 4
	oxmClassBasic = 0x8000 // OFPXMC_OPENFLOW_BASIC
	fieldMax      = openflow.FieldIPv6ExtHdr
)

// checkSelector makes the selector canonical and refuses fields that cannot select at every switch
// of a path, values out of range, and prerequisites that contradict each other.
func (s *Spec) checkSelector() error {
	if len(s.Selector.OXM) == 0 {
		s.Selector = openflow.Match{}
		return nil
	}
	if len(s.Selector.OXM) > MaxSelector {
		return wrong("selector", strconv.Itoa(len(s.Selector.OXM))+" bytes", "at most %d", MaxSelector)
	}
	if err := refusedField(s.Selector.OXM); err != nil {
		return err
	}
	var room [2 * MaxSelector]byte
	if form := s.Selector.AppendCanonical(room[:0]); !bytes.Equal(form, s.Selector.OXM) {
		s.Selector.OXM = append([]byte(nil), form...)
	}
	if len(s.Selector.OXM) == 0 { // masks of nothing
		s.Selector = openflow.Match{}
		return nil
	}
	s.Selector = openflow.Match{OXM: s.Selector.OXM}
	if s.Selector.Check() != nil {
		return contradiction(s.Selector.OXM)
	}
	if s.Kind == HostToHost {
		return checkHostSelector(s.Selector, s.Src[0].Host)
	}
	return nil
}

// refused are the fields that no selector may have, and why.
var refused = map[openflow.Field]string{
	openflow.FieldInPort:    "none: the port that packets come in by is that of src, or of the first hop",
	openflow.FieldInPhyPort: "none: the port that packets come in by is that of src, or of the first hop",
	openflow.FieldMetadata:  "none: it is not in the packet, and the next switch does not see it",
	openflow.FieldTunnelID:  "none: it is not in the packet, and the next switch does not see it",
}

// refusedField looks for fields that a selector cannot have; also for bytes that are no TLVs, and
// fields given twice.
func refusedField(list []byte) error {
	var seen uint64
	for rest := list; len(rest) > 0; {
		if len(rest) < oxmHeaderLen || len(rest) < oxmHeaderLen+int(rest[3]) {
			return wrong("selector", strconv.Itoa(len(rest))+" bytes that are no match field", "OXM TLVs of OpenFlow 1.3")
		}
		header := binary.BigEndian.Uint32(rest)
		field := openflow.Field(header >> 9 & 0x7f)
		one := openflow.Match{OXM: rest[:oxmHeaderLen+int(rest[3])]}
		if header>>16 != oxmClassBasic || field > fieldMax {
			name := "a field"
			one.Each(func(n, _ string) { name = n })
			return wrong("selector", name, "a field of OpenFlow 1.3, such as eth_type")
		}
		if why, no := refused[field]; no {
			return wrong("selector."+field.String(), "a value", "%s", why)
		}
		if seen>>field&1 != 0 {
			return wrong("selector."+field.String(), "two values", "one")
		}
		if header>>8&1 != 0 && outside(one.OXM[oxmHeaderLen:]) {
			return wrong("selector."+field.String(), "a value with bits outside its mask", "none there")
		}
		seen |= 1 << field
		rest = rest[len(one.OXM):]
	}
	return nil
}

// outside reports whether a value, with its mask behind it, has bits where the mask has none.
func outside(value []byte) bool {
	mask := value[len(value)/2:]
	for i := range len(value) / 2 {
		if value[i]&^mask[i] != 0 {
			return true
		}
	}
	return false
}

// needs says what else a packet must have for a field to be in it.
func needs(f openflow.Field) string {
	switch f {
	case openflow.FieldVLANPCP:
		return "a VLAN tag (vlan_vid not none)"
	case openflow.FieldIPDSCP, openflow.FieldIPECN, openflow.FieldIPProto:
		return "eth_type=0x0800 or eth_type=0x86dd"
	case openflow.FieldIPv4Src, openflow.FieldIPv4Dst:
		return "eth_type=0x0800"
	case openflow.FieldTCPSrc, openflow.FieldTCPDst:
		return "ip_proto=6"
	case openflow.FieldUDPSrc, openflow.FieldUDPDst:
		return "ip_proto=17"
	case openflow.FieldSCTPSrc, openflow.FieldSCTPDst:
		return "ip_proto=132"
	case openflow.FieldICMPv4Type, openflow.FieldICMPv4Code:
		return "eth_type=0x0800 and ip_proto=1"
	case openflow.FieldARPOp, openflow.FieldARPSPA, openflow.FieldARPTPA, openflow.FieldARPSHA, openflow.FieldARPTHA:
		return "eth_type=0x0806"
	case openflow.FieldIPv6Src, openflow.FieldIPv6Dst, openflow.FieldIPv6FLabel, openflow.FieldIPv6ExtHdr:
		return "eth_type=0x86dd"
	case openflow.FieldICMPv6Type, openflow.FieldICMPv6Code:
		return "eth_type=0x86dd and ip_proto=58"
	case openflow.FieldIPv6NDTarget:
		return "icmpv6_type=135 or icmpv6_type=136"
	case openflow.FieldIPv6NDSLL:
		return "icmpv6_type=135"
	case openflow.FieldIPv6NDTLL:
		return "icmpv6_type=136"
	case openflow.FieldMPLSLabel, openflow.FieldMPLSTC, openflow.FieldMPLSBOS:
		return "eth_type=0x8847 or eth_type=0x8848"
	case openflow.FieldPBBISID:
		return "eth_type=0x88e7"
	}
	return "a value that fits"
}

// contradiction says what is wrong with a canonical match that does not pass: the first field that
// is too much.
func contradiction(list []byte) error {
	for at := 0; at < len(list); {
		field := openflow.Field(list[at+2] >> 1)
		at += oxmHeaderLen + int(list[at+3])
		err := openflow.Match{OXM: list[:at]}.Check()
		if err == nil {
			continue
		}
		value := ""
		openflow.Match{OXM: list[:at]}.Each(func(_, v string) { value = v })
		if code, ok := codeOf(err); ok && code == openflow.BadMatchBadPrereq {
			return wrong("selector."+field.String(), value, "%s beside it: the selector says otherwise", needs(field))
		}
		return wrong("selector."+field.String(), value, "a value that fits: %v", err)
	}
	return wrong("selector", "a match that no packet has", "one that a packet can have")
}

func codeOf(err error) (openflow.ErrorCode, bool) {
	var d *openflow.DecodeError
	if !errors.As(err, &d) {
		return 0, false
	}
	return d.Code, true
}

// checkHostSelector refuses, between hosts, what the hosts' ids say already. A priority of a tagged host's VLAN
// brings the field vlan_vid with it (any tag), which the host's own id replaces.
func checkHostSelector(selector openflow.Match, src netview.HostID) error {
	for _, f := range []openflow.Field{openflow.FieldEthDst, openflow.FieldEthSrc} {
		if _, _, ok := selector.Lookup(f); ok {
			return wrong("selector."+f.String(), "a value", "none: the hosts' ids say it")
		}
	}
	vlan, mask, ok := selector.Lookup(openflow.FieldVLANVID)
	if !ok {
		return nil
	}
	_, _, priority := selector.Lookup(openflow.FieldVLANPCP)
	anyTag := mask != nil && binary.BigEndian.Uint16(vlan) == openflow.VLANPresent &&
		binary.BigEndian.Uint16(mask) == openflow.VLANPresent
	switch {
	case !priority || !anyTag:
		return wrong("selector.vlan_vid", "a value", "none: the hosts' ids say it")
	case src.VLAN == 0:
		return wrong("selector.vlan_pcp", "a value", "hosts in a VLAN: %s sends no tags", src)
	}
	return nil
}
