package traffic

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe/nic"
)

// segment makes a frame of a connection, with an identification.
func segment(back bool, id uint16, flags uint16, seq, ack uint32, bytes int) []byte {
	k := packet.Key{EthDst: macs[1], EthSrc: macs[0], EtherType: packet.TypeIPv4, IPSrc: fours[0], IPDst: fours[1],
		SrcPort: 1000, DstPort: 2000, TCPFlags: flags}
	if back {
		k.IPSrc, k.IPDst, k.SrcPort, k.DstPort = fours[1], fours[0], 2000, 1000
	}
	f := packet.AppendTCP(nil, &k, seq, ack, 1000, make([]byte, bytes))
	binary.BigEndian.PutUint16(f[packet.EthernetLen+4:], id)
	return f
}

// TestConnection follows a handshake and segments of which some are lost, sent again, doubled and
// late, while identifications begin anew, whichever end is told of first.
func TestConnection(t *testing.T) {
	for _, late := range []bool{false, true} {
		c := NewConnection(fours[0], fours[1])
		near, far := NewTap(1500), NewTap(1500)
		near.FollowConnection(c, Leaving)
		far.FollowConnection(c, Coming)
		var waiting []func()
		at, id := int64(0), uint16(0xfff0)
		see := func(tap *Tap, out bool, frame []byte) {
			at += 1000
			f := &nic.Frame{At: at, Out: out, Length: len(frame), Bytes: frame}
			if told := func() { tap.See(f) }; late && tap == near {
				waiting = append(waiting, told)
			} else {
				told()
			}
		}
		const ack, syn = packet.TCPAck, packet.TCPSyn
		there := func(copies int, flags uint16, seq, acked uint32, bytes int) {
			f := segment(false, id, flags, seq, acked, bytes)
			id++
			see(near, true, f)
			for range copies {
				see(far, false, f)
			}
		}
		back := func(flags uint16, seq, acked uint32) {
			f := segment(true, 0, flags, seq, acked, 0)
			see(far, true, f)
			see(near, false, f)
		}
		there(1, syn, 99, 0, 0)
		back(syn|ack, 499, 100)
		there(1, ack, 100, 500, 0) // comes 3 µs after the SYN-ACK left
		for n := range uint32(40) {
			copies := 1
			switch n {
			case 10:
				copies = 0
			case 20:
				copies = 2
			}
			there(copies, ack, 100+100*n, 500, 100)
			if n%4 == 3 {
				back(ack, 500, 200+100*n)
			}
		}
		there(1, ack, 1100, 500, 100) // sent again
		for _, told := range waiting {
			told()
		}
		o := c.Outcome()
		if o.Sent != 43 || o.Received != 42 || o.Lost != 1 || o.Doubled != 1 || o.Reordered != 0 || o.Unmatched != 0 {
			t.Errorf("late %v: %+v", late, o)
		}
		if c.Handshake() != 3*time.Microsecond || c.Underway() != 400 {
			t.Errorf("late %v: handshake %v, %d under way", late, c.Handshake(), c.Underway())
		}
		if len(c.handshake) != 0 || len(near.parts.Passages())+len(far.parts.Passages()) != 0 {
			t.Error("passages are kept")
		}
	}
}
