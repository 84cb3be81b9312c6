package pcap

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// streams reads what a capture shows of TCP: the bytes of either way, by the switch's port. Numbers
// that leave a gap fail.
func streams(t *testing.T, r io.Reader) map[[2]uint16][]byte {
	t.Helper()
	file, err := pcapgo.NewReader(r)
	if err != nil {
		t.Fatal(err)
	}
	out, next := map[[2]uint16][]byte{}, map[[2]uint16]uint32{}
	for {
		b, _, err := file.ReadPacketData()
		if errors.Is(err, io.EOF) {
			return out
		}
		p := gopacket.NewPacket(b, layers.LayerTypeEthernet, gopacket.Default)
		tcp, ok := p.Layer(layers.LayerTypeTCP).(*layers.TCP)
		if err != nil || !ok || p.ErrorLayer() != nil {
			t.Fatal(err, p)
		}
		if _, bad := p.VerifyChecksums(); len(bad) > 0 {
			t.Errorf("wrong checksums: %v", bad)
		}
		ports := [2]uint16{uint16(tcp.SrcPort), uint16(tcp.DstPort)}
		if tcp.SYN {
			next[ports] = tcp.Seq
			out[ports] = nil
		}
		if tcp.Seq != next[ports] || tcp.ACK && tcp.Ack != next[[2]uint16{ports[1], ports[0]}] {
			t.Errorf("sequence %d, acknowledged %d, want %d, %d", tcp.Seq, tcp.Ack, next[ports],
				next[[2]uint16{ports[1], ports[0]}])
		}
		next[ports] += uint32(len(tcp.Payload))
		if tcp.SYN {
			next[ports]++
		}
		out[ports] = append(out[ports], tcp.Payload...)
	}
}

func TestControlIsAStream(t *testing.T) {
	m := &memory{}
	f, err := Write(m)
	if err != nil {
		t.Fatal(err)
	}
	c := f.NewControl(0, 1, 0, "127.0.0.1:7777")
	long := bytes.Repeat([]byte("weir"), 50_000)
	c.Bytes(time.Unix(1, 0), false, []byte("hello "))
	c.Bytes(time.Unix(2, 0), true, long)
	c.Bytes(time.Unix(3, 0), false, []byte("again"))
	c.Begin(time.Unix(4, 0))
	c.Bytes(time.Unix(5, 0), true, []byte("new"))
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	got := streams(t, m)
	for ports, want := range map[[2]uint16]string{
		{49152, 6653}: "hello again", {6653, 49152}: string(long), {49153, 6653}: "", {6653, 49153}: "new",
	} {
		if string(got[ports]) != want {
			t.Errorf("%v: %d bytes, want %d", ports, len(got[ports]), len(want))
		}
	}
	if len(got) != 4 {
		t.Errorf("%d streams, want 4", len(got))
	}
}
