//go:build real

package openflow

import (
	"encoding/hex"
	"math/big"
	"net/netip"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// A leaf is one number, address or string of a message: the struct and field it stands in, and its
// value as it is on the wire, in normal form.
type leaf struct{ name, value string }

// leaves are all that a message says, in the order in which its fields are declared. They are made
// from the model alone, with the numbers of OpenFlow 1.0 written down here a second time.
func leaves(v Version, m Message) []leaf {
	w := walker{v: v}
	w.add("Header.Version", strconv.Itoa(int(v)))
	w.add("Header.Type", strconv.Itoa(int(wireNumber(v, m.Type()))))
	w.add("Header.XID", strconv.Itoa(sampleXID))
	switch m := m.(type) {
	case *MultipartRequest:
		w.add("MultipartRequest.Kind", strconv.Itoa(int(m.Body.Kind())))
	case *MultipartReply:
		w.add("MultipartReply.Kind", strconv.Itoa(int(m.Body.Kind())))
	}
	w.walk("", reflect.ValueOf(m))
	if p, ok := m.(*PacketIn); ok && v == V13 && len(p.Match.OXM) == 0 {
		w.oxms("OXM", append([]byte{0x80, 0, 0, 4}, append32(nil, p.InPort)...))
	}
	return w.out
}

// wireNumber is the number of a message type as the specifications have it.
func wireNumber(v Version, t Type) uint8 {
	if v == V13 || t < TypeGroupMod {
		return uint8(t)
	}
	switch t {
	case TypePortMod:
		return 15
	case TypeRoleRequest, TypeRoleReply:
		return 4
	}
	return uint8(t) - 2
}

type walker struct {
	v   Version
	out []leaf
}

func (w *walker) add(name, value string) { w.out = append(w.out, leaf{name, normal(value)}) }

// absent10 and absent13 are the fields that a version has no place for.
var absent10 = fieldSet(`PacketIn.Table PacketIn.Cookie PacketIn.Match FlowMod.Table FlowMod.CookieMask FlowMod.OutGroup FlowRemoved.Table
	FlowRemoved.HardTimeout Port.CurrSpeed Port.MaxSpeed FeaturesReply.Auxiliary RoleRequest.Generation
	RoleReply.Generation Experimenter.ExpType MultipartExperimenterBody.ExpType FlowFilter.OutGroup FlowFilter.Cookie
	FlowFilter.CookieMask FlowStats.Flags PortStats.DurationSec PortStats.DurationNsec QueueStats.DurationSec
	QueueStats.DurationNsec Queue.Port`)

var absent13 = fieldSet(`TableStats.Name TableStats.Wildcards TableStats.MaxEntries FeaturesReply.Ports PacketIn.InPort`)

func fieldSet(names string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		set[name] = true
	}
	return set
}

func (w *walker) walk(name string, x reflect.Value) {
	if w.v == V10 && absent10[name] || w.v == V13 && absent13[name] {
		return
	}
	switch x.Kind() {
	case reflect.Pointer, reflect.Interface:
		w.walk(name, x.Elem())
	case reflect.Struct:
		w.walkStruct(x)
	case reflect.Slice, reflect.Array:
		w.walkList(name, x)
	case reflect.String:
		w.add(name, x.String())
	default:
		w.add(name, strconv.FormatUint(w.onWire(name, x.Uint()), 10))
	}
}

func (w *walker) walkList(name string, x reflect.Value) {
	switch b := x.Interface().(type) {
	case []byte:
		if name == "TableProperty.Tables" {
			for _, t := range b {
				w.add(name, strconv.Itoa(int(t)))
			}
		} else if len(b) > 0 {
			w.add(name, "0x"+hex.EncodeToString(b))
		}
		return
	case [6]byte:
		w.add(name, "0x"+hex.EncodeToString(b[:]))
		return
	}
	for i := range x.Len() {
		w.walk(name, x.Index(i))
	}
}

func (w *walker) walkStruct(x reflect.Value) {
	if x.CanInterface() && w.special(x.Interface()) {
		return
	}
	for i := range x.NumField() {
		if f := x.Type().Field(i); f.IsExported() {
			w.walk(x.Type().Name()+"."+f.Name, x.Field(i))
		}
	}
}

// portFields hold port numbers, bitFields bits that OpenFlow 1.0 has elsewhere.
var (
	portFields = fieldSet(`PacketIn.InPort PacketOut.InPort FlowMod.OutPort Action.Port Port.Number PortMod.Port
		QueueGetConfigRequest.Port QueueGetConfigReply.Port FlowFilter.OutPort FlowMonitor.OutPort PortStatsRequest.Port PortStats.Port
		QueueRequest.Port QueueStats.Port`)
	featureFields = fieldSet(`Port.Curr Port.Advertised Port.Supported Port.Peer PortMod.Advertise`)
	configFields  = fieldSet(`Port.Config PortMod.Config PortMod.Mask`)
)

// bits10 says where OpenFlow 1.0 has the bits that it has elsewhere.
var (
	features10 = map[uint64]uint64{
		uint64(PortFeatureCopper): 1 << 7, uint64(PortFeatureFiber): 1 << 8, uint64(PortFeatureAutoneg): 1 << 9,
		uint64(PortFeaturePause): 1 << 10, uint64(PortFeaturePauseAsym): 1 << 11,
	}
	configs10 = map[uint64]uint64{uint64(PortConfigNoSTP): 2, uint64(PortConfigNoRecvSTP): 8, uint64(PortConfigNoFlood): 16}
	states10  = map[uint64]uint64{uint64(PortStateSTPLearn): 0x100, uint64(PortStateSTPForward): 0x200}
)

// onWire is the number that stands on the wire.
func (w *walker) onWire(name string, n uint64) uint64 {
	if w.v == V13 {
		return n
	}
	switch {
	case portFields[name]:
		return n & 0xffff
	case featureFields[name]:
		return moveBits(n, features10)
	case configFields[name]:
		return moveBits(n, configs10)
	case name == "Port.State":
		return moveBits(n, states10)
	case name == "RoleRequest.Role" || name == "RoleReply.Role":
		return n - 1
	}
	return n
}

func moveBits(n uint64, moved map[uint64]uint64) uint64 {
	out := n
	for from := range moved {
		out &^= from
	}
	for from, to := range moved {
		if n&from != 0 {
			out |= to
		}
	}
	return out
}

// octets are bytes as tshark writes them.
var octets = regexp.MustCompile(`^[0-9a-f]{2}(:[0-9a-f]{2})*$`)

// normal is a value in the one form that Weir's and the oracles' are compared in: numbers,
// addresses and octets are one decimal number; anything else stays text.
func normal(s string) string {
	n := new(big.Int)
	if strings.HasPrefix(s, "0x") {
		if _, ok := n.SetString(s[2:], 16); ok {
			return n.String()
		}
	}
	if _, ok := n.SetString(s, 10); ok && s[0] != '+' {
		return n.String()
	}
	if octets.MatchString(s) {
		b, _ := hex.DecodeString(strings.ReplaceAll(s, ":", ""))
		return n.SetBytes(b).String()
	}
	if a, err := netip.ParseAddr(s); err == nil {
		return n.SetBytes(a.AsSlice()).String()
	}
	return s
}
