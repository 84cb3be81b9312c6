package packet

import (
	"bytes"
	"reflect"
	"testing"
)

func appendTLV(b []byte, typ uint8, value []byte) []byte {
	return append(appendTLVHeader(b, typ, len(value)), value...)
}

func sampleLLDP() LLDP {
	opt := appendTLV(nil, TLVSystemName, []byte("s1"))
	opt = appendTLV(opt, TLVSystemDesc, bytes.Repeat([]byte{'d'}, MaxTLV))
	opt = AppendOrgTLV(opt, 0x001122, 1, []byte("first"))
	opt = AppendOrgTLV(opt, 0x001122, 2, []byte("second"))
	return LLDP{ChassisSubtype: ChassisLocal, ChassisID: []byte("dpid:0000000000000001"), PortSubtype: PortLocal,
		PortID: []byte("3"), TTL: 120, Optional: opt}
}

func TestLLDPRoundTrip(t *testing.T) {
	want := sampleLLDP()
	frame := AppendLLDP(nil, LLDPMulticast, mac1, &want)
	_, _, _, etherType, payload, ok := ParseEthernet(frame)
	var got LLDP
	if err := got.Parse(frame[payload:]); err != nil || !ok || etherType != TypeLLDP || !reflect.DeepEqual(got, want) {
		t.Fatalf("%v\n got %+v\nwant %+v", err, got, want)
	}
	if v, ok := got.Org(0x001122, 2); !ok || string(v) != "second" {
		t.Errorf("org TLV %q %v", v, ok)
	}
	if _, ok := got.Org(0x001123, 2); ok {
		t.Error("found a TLV of another OUI")
	}
	// Padding after the end TLV belongs to nobody.
	if err := got.Parse(append(frame[payload:], 1, 2, 3)); err != nil || !bytes.Equal(got.Optional, want.Optional) {
		t.Errorf("with padding: %v %x", err, got.Optional)
	}
}

func TestLLDPRefuses(t *testing.T) {
	l := sampleLLDP()
	pdu := l.Append(nil)
	whole := map[int]bool{len(pdu) - 2: true} // without the end TLV
	for rest := l.Optional; len(rest) > 0; {  // or between optional ones
		whole[len(pdu)-2-len(rest)] = true
		_, _, rest, _ = NextTLV(rest)
	}
	for n := range pdu {
		var got LLDP
		if err := got.Parse(pdu[:n:n]); (err == nil) != whole[n] {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	var got LLDP
	swapped := appendID(appendID(nil, TLVPortID, 7, []byte("1")), TLVChassisID, 7, []byte("1"))
	if err := got.Parse(swapped); err != ErrLLDPOrder {
		t.Errorf("port id first: %v", err)
	}
	twice := sampleLLDP()
	twice.Optional = appendTLV(twice.Optional, TLVTTL, []byte{0, 1})
	if err := got.Parse(twice.Append(nil)); err != ErrLLDPOrder {
		t.Errorf("two times to live: %v", err)
	}
	if err := got.Parse(appendTLV(nil, TLVChassisID, []byte{7})); err != ErrLLDPTLV {
		t.Errorf("empty chassis id: %v", err)
	}
	if err := got.Parse(appendTLV(nil, TLVChassisID, make([]byte, 257))); err != ErrLLDPTLV {
		t.Errorf("chassis id of 256 bytes: %v", err)
	}
}
