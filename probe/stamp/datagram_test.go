package stamp

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/emu/pcap"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/packet"
)

var (
	sent     = time.Date(2026, 11, 23, 11, 40, 7, 123_456_789, time.UTC)
	received = sent.Add(41 * time.Microsecond)
	returned = sent.Add(53 * time.Microsecond)
	request  = Request{Seq: 7, Sent: sent, Accuracy: Accuracy{Synchronised: true, Error: time.Millisecond}, Session: 0x1234}
)

// TestReflected follows a datagram to a reflector and back.
func TestReflected(t *testing.T) {
	b := request.AppendTo(nil, 100)
	if len(b) != 100 {
		t.Fatalf("a request of %d bytes, want 100", len(b))
	}
	copy(b[Size:], "padding")
	if err := Reflect(b, received, returned, 63, Accuracy{Error: time.Second}); err != nil {
		t.Fatal(err)
	}
	if len(b) != 100 || !bytes.HasPrefix(b[Size:], []byte("padding")) {
		t.Errorf("the padding came back as %q", b[Size:])
	}
	got, err := ParseReply(b)
	if err != nil {
		t.Fatal(err)
	}
	if got.Seq != 7 || got.Request.Seq != 7 || got.Session != 0x1234 || got.TTL != 63 ||
		!got.Sent.Equal(returned) || !got.Received.Equal(received) || !got.Request.Sent.Equal(sent) ||
		!got.Request.Accuracy.Synchronised || got.Accuracy.Synchronised {
		t.Errorf("got %+v", got)
	}
	want := Sample{Seq: 7, RoundTrip: 100 * time.Microsecond, Residence: 12 * time.Microsecond, Path: 88 * time.Microsecond,
		Forward: 41 * time.Microsecond, Backward: 47 * time.Microsecond, TTL: 63}
	if s := got.Sample(sent, sent.Add(100*time.Microsecond)); s != want {
		t.Errorf("sample %+v, want %+v", s, want)
	}
}

// TestClocksNeedNotAgree shifts the reflector's clock: the path stays, the single ways do not.
func TestClocksNeedNotAgree(t *testing.T) {
	for _, off := range []time.Duration{0, time.Hour, -time.Hour, 37 * time.Nanosecond} {
		b := request.AppendTo(nil, Size)
		if err := Reflect(b, received.Add(off), returned.Add(off), 64, Accuracy{}); err != nil {
			t.Fatal(err)
		}
		r, err := ParseReply(b)
		if err != nil {
			t.Fatal(err)
		}
		s := r.Sample(sent, sent.Add(100*time.Microsecond))
		if s.Path != 88*time.Microsecond || s.Forward != 41*time.Microsecond+off || s.Forward+s.Backward != s.Path {
			t.Errorf("clock off by %v: %+v", off, s)
		}
	}
}

// TestReplyIsWrittenAsItIsReflected holds the two ways to make a reply to each other.
func TestReplyIsWrittenAsItIsReflected(t *testing.T) {
	own := Accuracy{Synchronised: true, Error: 3 * time.Microsecond}
	b := request.AppendTo(nil, Size)
	if err := Reflect(b, received, returned, 1, own); err != nil {
		t.Fatal(err)
	}
	r := Reply{Seq: 7, Sent: returned, Accuracy: own, Session: 0x1234, Received: received, Request: request, TTL: 1}
	if want := r.AppendTo(nil, 0); !bytes.Equal(b, want) {
		t.Errorf("reflected %x\nwritten   %x", b, want)
	}
}

// TestTimes wants times to come back to the nanosecond, over the end of NTP's era in 2036.
func TestTimes(t *testing.T) {
	for _, at := range []time.Time{sent, time.Unix(0, 0), time.Unix(0, 999_999_999),
		time.Date(2036, 2, 7, 6, 28, 15, 1, time.UTC),
		time.Date(2036, 2, 7, 6, 28, 16, 999_999_999, time.UTC), time.Date(2100, 1, 1, 0, 0, 0, 5, time.UTC)} {
		if got := parseTime(appendTime(nil, at), false); !got.Equal(at) {
			t.Errorf("%v came back as %v", at, got.UTC())
		}
	}
	if got := parseTime([]byte{0, 0, 0, 1, 0, 0, 0, 2}, true); !got.Equal(time.Unix(1, 2)) {
		t.Errorf("PTP's time of a second and 2 ns read as %v", got)
	}
}

// TestAccuracy wants an error estimate that is not below the error, nor above it by more than a
// multiplier of eight bits makes it.
func TestAccuracy(t *testing.T) {
	for _, d := range []time.Duration{0, 1, time.Microsecond, 12_345_678, time.Second, time.Hour, longest - 1} {
		got := parseAccuracy(Accuracy{Error: d}.wire()).Error
		if got < d-1 || got > d+d/127+1 {
			t.Errorf("error of %v came back as %v", d, got)
		}
	}
	if a := parseAccuracy(0xffff); !a.Synchronised || !a.PTP || a.Error != longest {
		t.Errorf("all bits set: %+v", a)
	}
}

// TestShort refuses what is no STAMP, and leaves it as it was.
func TestShort(t *testing.T) {
	b := make([]byte, Size-1)
	_, asRequest := ParseRequest(b)
	_, asReply := ParseReply(b)
	for _, err := range []error{asRequest, asReply, Reflect(b, sent, sent, 0, Accuracy{})} {
		if !errors.Is(err, ErrShort) || !strings.Contains(err.Error(), "43 bytes given") {
			t.Errorf("got %v", err)
		}
	}
	if !bytes.Equal(b, make([]byte, Size-1)) {
		t.Errorf("changed to %x", b)
	}
}

// TestAsWiresharkReadsIt has tshark read a reply: its TWAMP-Test has the same layout.
func TestAsWiresharkReadsIt(t *testing.T) {
	tshark := need.Program(t, "tshark")
	b := request.AppendTo(nil, Size)
	if err := Reflect(b, received, returned, 63, Accuracy{Error: time.Second}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "reply.pcap")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := pcap.Write(out)
	if err != nil {
		t.Fatal(err)
	}
	k := packet.Key{EtherType: packet.TypeIPv4, IPSrc: packet.AddrFrom4([4]byte{10, 0, 0, 2}),
		IPDst: packet.AddrFrom4([4]byte{10, 0, 0, 1}), SrcPort: Port, DstPort: 40000}
	file.Frame(received, packet.AppendUDP(nil, &k, b))
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	args := []string{"-r", path, "-d", "udp.port==862,twamp.test", "-T", "fields"}
	for _, f := range []string{"seq_number", "sender_seq_number", "sender_ttl", "timestamp", "receive_timestamp",
		"sender_timestamp"} {
		args = append(args, "-e", "twamp.test."+f)
	}
	text, err := exec.Command(tshark, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSpace(string(text)), "\t")
	want := []string{"7", "7", "63", "11:40:07.12350978", "11:40:07.12349778", "11:40:07.12345678"}
	for i, w := range want {
		if i >= len(got) || !strings.Contains(got[i], w) {
			t.Fatalf("tshark reads %q, want %q", got, want)
		}
	}
}

func FuzzDatagrams(f *testing.F) {
	f.Add(request.AppendTo(nil, 60))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := ParseRequest(b); err == nil && !r.Accuracy.PTP {
			again, err := ParseRequest(r.AppendTo(nil, len(b)))
			if err != nil || !again.Sent.Equal(r.Sent) || again.Seq != r.Seq || again.Session != r.Session {
				t.Errorf("%+v came back as %+v, %v", r, again, err)
			}
		}
		before := bytes.Clone(b)
		if err := Reflect(b, received, returned, 9, Accuracy{}); err != nil {
			if len(b) >= Size || !bytes.Equal(before, b) {
				t.Errorf("%d bytes: %v", len(b), err)
			}
			return
		}
		r, err := ParseReply(b)
		if err != nil || r.TTL != 9 || !bytes.Equal(before[:14], b[24:38]) || !bytes.Equal(before[Size:], b[Size:]) {
			t.Errorf("reflected %x as %x: %v", before, b, err)
		}
	})
}
