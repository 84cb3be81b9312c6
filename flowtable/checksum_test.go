package flowtable

import (
	"encoding/binary"
	"testing"

	"github.com/weirnet/weir/openflow"
)

// TestEveryPort: whatever port is set, the checksum of UDP is right, and never 0, which would say
// that there is none.
func TestEveryPort(t *testing.T) {
	b := newBed(t, Config{})
	frame, zeros := udp(0), 0
	for port := range 1 << 16 {
		b.pass.begin(b.Switch, frame, 1)
		b.pass.frame.setField(openflow.FieldUDPSrc, binary.BigEndian.AppendUint16(nil, uint16(port)))
		if fault := faults(b.pass.frame.bytes); fault != "" {
			t.Fatalf("port %d:%s", port, fault)
		}
		if binary.BigEndian.Uint16(b.pass.frame.bytes[40:]) == 0xffff {
			zeros++
		}
	}
	if zeros == 0 {
		t.Error("no port made a checksum of 0")
	}
}

// TestWithoutUDPChecksum: a packet whose sender made none gets none.
func TestWithoutUDPChecksum(t *testing.T) {
	b := newBed(t, Config{})
	frame := udp(0)
	frame[40], frame[41] = 0, 0
	b.must(flow(t, 1, "eth_type=0x0800,ip_proto=17", "apply:[set_field:10.0.0.9->ipv4_dst,set_field:7->udp_dst,output:2]"))
	b.Receive(1, frame, 0, &b.out)
	if sent := b.out.frames[0]; sent[40]|sent[41] != 0 || sent[37] != 7 {
		t.Errorf("sent %x", sent)
	}
}

// TestSCTPFragment: the CRC of an SCTP packet covers all its fragments, so that one alone cannot be
// set right, and stays.
func TestSCTPFragment(t *testing.T) {
	frame := sctpOf(udp(0))
	b := newBed(t, Config{})
	b.must(flow(t, 1, "eth_type=0x0800,ip_proto=132", "apply:[set_field:7->sctp_dst,output:2]"))
	for _, more := range []byte{0, 0x20} {
		frame[20] = more
		b.Receive(1, frame, 0, &b.out)
		sent := b.out.frames[len(b.out.frames)-1]
		if kept := string(sent[42:46]) == string(frame[42:46]); kept != (more != 0) || sent[37] != 7 {
			t.Errorf("more fragments %#x: sent %x", more, sent)
		}
	}
}

// TestPushVLANCopies id and priority, and not the bit between them.
func TestPushVLANCopies(t *testing.T) {
	b := newBed(t, Config{})
	b.must(flow(t, 1, "", "apply:[push_vlan:0x88a8,output:2]"))
	frame := udp(0x1005)
	frame[14] = 0x70 // priority 3, drop eligible
	b.Receive(1, frame, 0, &b.out)
	if got := string(b.out.frames[0][12:20]); got != "\x88\xa8\x60\x05\x81\x00\x70\x05" {
		t.Errorf("%x", got)
	}
}
