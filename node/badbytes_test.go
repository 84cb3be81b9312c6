package node_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
)

// refusesHello reports whether a message is the error that ends a session, well formed as it is:
// OFPET_HELLO_FAILED.
func refusesHello(frame []byte) bool {
	return openflow.Type(frame[1]) == openflow.TypeError && len(frame) >= 12 && binary.BigEndian.Uint16(frame[8:]) == 0
}

// wanted is the error that must answer a message on a connected session, by the codec; ok is false
// for none.
func wanted(v openflow.Version, frame []byte) (code openflow.ErrorCode, ok bool) {
	if openflow.Type(frame[1]) == openflow.TypeError {
		return 0, false
	}
	h, m, err := openflow.Parse(frame)
	var de *openflow.DecodeError
	switch {
	case errors.As(err, &de):
		return de.Code, true
	case err != nil:
		return openflow.BadRequestBadLen, true
	case m.Type() == openflow.TypeEchoRequest || m.Type() == openflow.TypeHello || slices.Contains(fromSwitch, h.Type):
		return 0, false
	}
	return openflow.BadRequestBadType, true // a message that only controllers send
}

// onWire are type and code of an error as a version writes them.
func onWire(t *testing.T, v openflow.Version, code openflow.ErrorCode) (typ, number uint16) {
	t.Helper()
	b, err := openflow.Append(nil, v, 0, openflow.NewError(&openflow.DecodeError{Code: code}, nil))
	if err != nil {
		t.Fatal(err)
	}
	return binary.BigEndian.Uint16(b[8:]), binary.BigEndian.Uint16(b[10:])
}

// Malformed messages on a live session are each answered with their error, and the session goes on;
// the other sessions take no notice.
func TestMalformedMessagesAreAnsweredAndHarmNobody(t *testing.T) {
	versions(t, func(t *testing.T, v openflow.Version) {
		i := start(t)
		others := []*wire{i.switchOn(101, openflow.V10, 2).serve(), i.switchOn(102, openflow.V13, 2).serve()}
		w := i.switchOn(1, v, 4)
		sent, refused := 0, 0
		for _, e := range catalogue(t, v) {
			for _, frame := range mutations(e.Frame) {
				if refusesHello(frame) {
					continue
				}
				xid := uint32(1<<30 + sent)
				binary.BigEndian.PutUint32(frame[4:], xid)
				got, closed := w.exchange(frame)
				if closed {
					t.Fatalf("%s: session ended by %x", e.Name, frame)
				}
				refused += checkReply(t, e.Name, v, frame, xid, got)
				sent++
			}
			for _, o := range others {
				o.ping()
			}
		}
		t.Logf("%d messages, %d refused", sent, refused)
		if refused < sent/4 {
			t.Errorf("of %d messages only %d were refused: are they malformed?", sent, refused)
		}
		if n := i.connected(); n != 3 {
			t.Errorf("%d switches connected, want 3", n)
		}
		if n := i.metric("weir_openflow_decode_errors_total"); int(n) < refused {
			t.Errorf("%v decode errors counted, want at least %d", n, refused)
		}
		for _, o := range others {
			o.ping()
		}
	})
}

// checkReply wants the one right error, or none, and returns how many there were.
func checkReply(t *testing.T, name string, v openflow.Version, frame []byte, xid uint32, got []reply) int {
	t.Helper()
	code, refuse := wanted(v, frame)
	if !refuse {
		if len(got) > 0 {
			t.Errorf("%s: %.80x is well formed, answered %+v", name, frame, got)
		}
		return 0
	}
	typ, number := onWire(t, v, code)
	if len(got) != 1 || got[0].typ != typ || got[0].code != number || got[0].xid != xid || got[0].version != uint8(v) {
		t.Errorf("%s: %.80x answered %+v, want one error %d/%d (%s)", name, frame, got, typ, number, code)
		return len(got)
	}
	if want := frame[:min(len(frame), 64)]; !bytes.Equal(got[0].data, want) {
		t.Errorf("%s: error has data %x, want the beginning of the message, %x", name, got[0].data, want)
	}
	return 1
}

// The numbers that the specifications have for what is refused, written by hand.
func TestErrorsByTheirNumbers(t *testing.T) {
	i := start(t)
	next := uint64(0)
	for _, c := range []struct {
		what      string
		v         openflow.Version
		frame     string // of transaction 0x0a0b0c0d
		typ, code uint16
		closed    bool
	}{
		{"packet-in without a body", openflow.V13, "040a00080a0b0c0d", 1, 6, false},
		{"packet-in without a body", openflow.V10, "010a00080a0b0c0d", 1, 6, false},
		{"port status without a port", openflow.V13, "040c00100a0b0c0d0200000000000000", 1, 6, false},
		{"a type that does not exist", openflow.V13, "046300080a0b0c0d", 1, 1, false},
		{"a type that does not exist", openflow.V10, "011600080a0b0c0d", 1, 1, false},
		{"a barrier request from a switch", openflow.V13, "041400080a0b0c0d", 1, 1, false},
		{"a barrier request from a switch", openflow.V10, "011200080a0b0c0d", 1, 1, false},
		{"statistics of a type that does not exist", openflow.V13, "041300100a0b0c0d0063000000000000", 1, 2, false},
		{"statistics of a type that does not exist", openflow.V10, "0111000c0a0b0c0d00630000", 1, 2, false},
		{"a match longer than its packet-in", openflow.V13,
			"040a002a0a0b0c0dffffffff000000000000000000000000" + "0001ffff8000000400000001" + "000000000000", 4, 1, false},
		{"a field longer than its match", openflow.V13,
			"040a002a0a0b0c0dffffffff000000000000000000000000" + "0001000c8000003000000001" + "000000000000", 4, 1, false},
		{"a length of 0", openflow.V13, "040200000a0b0c0d", 1, 6, true},
		{"a length of 1", openflow.V10, "010200010a0b0c0d", 1, 6, true},
		{"a length of 7", openflow.V13, "040a00070a0b0c0d", 1, 6, true},
		{"a length of 7", openflow.V10, "010a00070a0b0c0d", 1, 6, true},
		{"another version", openflow.V13, "010200080a0b0c0d", 1, 0, true},
		{"another version", openflow.V10, "040200080a0b0c0d", 1, 0, true},
		{"a version that does not exist", openflow.V13, "ff02ffff0a0b0c0d", 1, 0, true},
	} {
		next++
		frame, err := hex.DecodeString(c.frame)
		if err != nil {
			t.Fatal(err)
		}
		got, closed := i.switchOn(next, c.v, 1).exchange(frame)
		want := reply{0x0a0b0c0d, c.typ, c.code, frame, uint8(c.v), 12 + len(frame)}
		if closed != c.closed || len(got) != 1 || fmt.Sprint(got[0]) != fmt.Sprint(want) {
			t.Errorf("%s, %s: answered %+v, closed %v; want %+v, %v", c.v, c.what, got, closed, want, c.closed)
		}
	}
}

// Lengths that are not those of their messages, with nothing cut or filled up: what follows is read
// from the wrong place. The session may end at once or wait for bytes that never come; when the
// switch goes, so does it, and the others never notice.
func TestLengthsThatLoseTheFraming(t *testing.T) {
	versions(t, func(t *testing.T, v openflow.Version) {
		i := start(t)
		other := i.switchOn(101, openflow.V13, 2).serve()
		closed := 0
		for n, e := range catalogue(t, v) {
			if n%8 != 0 {
				continue
			}
			for k, length := range []int{0, 1, 7, 8, len(e.Frame) - 1, len(e.Frame) + 1, 65535} {
				w := i.switchOn(uint64(n*10+k+1000), v, 1)
				frame := slices.Clone(e.Frame)
				binary.BigEndian.PutUint16(frame[2:], uint16(length))
				w.write(bytes.Repeat(frame, 3))
				if length < 8 {
					if _, ended := w.exchange(nil); !ended {
						t.Errorf("%s: a session goes on after a length of %d", e.Name, length)
					}
					closed++
				}
				w.conn.Close()
			}
			other.ping()
		}
		i.await("all sessions' ends", func() bool { return i.connected() == 1 })
		if closed == 0 {
			t.Error("nothing was tried")
		}
	})
}

// What does not begin as a session does is told why and ends: OFPET_HELLO_FAILED (0),
// OFPHFC_INCOMPATIBLE (0).
func TestBadBeginnings(t *testing.T) {
	i := start(t)
	other := i.switchOn(101, openflow.V13, 1).serve()
	for n, c := range []struct {
		what, bytes string
		typ, code   uint16
		answered    bool
	}{
		{"features reply before HELLO", "0406002000000001" + strings.Repeat("00", 24), 0, 0, true},
		{"only OpenFlow 1.1 in the bitmap", "0500001000000001" + "0001000800000004", 0, 0, true},
		{"OpenFlow 0", "0000000800000001", 0, 0, true},
		{"a length of 3", "0400000300000001", 1, 6, true},
		{"a web browser", hex.EncodeToString([]byte("GET / HTTP/1.1\r\nHost: weir\r\n\r\n")), 0, 0, true},
		{"an error instead of HELLO", "0401000c00000001" + "00000000", 0, 0, false},
	} {
		w := i.dial(uint64(n+1), openflow.V13, 1)
		raw, _ := hex.DecodeString(c.bytes)
		w.write(raw)
		var got []reply
		for {
			h, frame, err := w.read()
			if err != nil {
				if !closedByPeer(err) {
					t.Errorf("%s: not closed: %v", c.what, err)
				}
				break
			}
			if h.Type == openflow.TypeError {
				got = append(got,
					reply{xid: h.XID, typ: binary.BigEndian.Uint16(frame[8:]), code: binary.BigEndian.Uint16(frame[10:])})
			}
		}
		if want := map[bool]int{true: 1, false: 0}[c.answered]; len(got) != want ||
			want > 0 && (got[0].typ != c.typ || got[0].code != c.code) {
			t.Errorf("%s: answered %+v, want %d error %d/%d", c.what, got, want, c.typ, c.code)
		}
		other.ping()
	}
	i.await("all refusals counted", func() bool { return i.refusals("version") == 5 && i.refusals("framing") == 1 })
	if n := len(i.switches()); n != 1 {
		t.Errorf("%d switches, want 1", n)
	}
}

// bookkeeping is what a message may cost however short it is, in bytes allocated.
const bookkeeping = 96

// What messages cost is bounded by their length, 16 times: malformed ones, and the smallest that a
// switch can send unasked.
func TestAllocationBudgetOfMessages(t *testing.T) {
	need.NoRace(t)
	versions(t, func(t *testing.T, v openflow.Version) {
		i := start(t, func(c *node.Config) { c.Log = slog.New(slog.DiscardHandler) })
		w := i.switchOn(1, v, 4)
		var malformed []byte
		count := map[string]int{}
		for _, e := range catalogue(t, v) {
			for _, frame := range mutations(e.Frame) {
				if _, refuse := wanted(v, frame); refuse && len(frame) < 1024 {
					malformed = append(malformed, frame...)
					count["malformed"]++
				}
			}
		}
		for what, stream := range map[string][]byte{
			"malformed": malformed,
			"error":     bytes.Repeat(w.append(nil, 7, &openflow.ErrorMsg{Code: openflow.BadRequestBadType}), 5000),
			"echo":      bytes.Repeat(w.append(nil, 7, &openflow.EchoRequest{}), 5000),
			"barrier":   bytes.Repeat(w.append(nil, 7, &openflow.BarrierReply{}), 5000),
			"port": bytes.Repeat(w.append(nil, 7,
				&openflow.PortStatus{Reason: openflow.PortModified, Port: w.describe()[0]}), 5000),
			"packet": bytes.Repeat(w.append(nil, 7, packetIn(1, make([]byte, 14))), 5000),
		} {
			spent, limit := uint64(math.MaxUint64), 16*uint64(len(stream))+bookkeeping*uint64(cmp.Or(count[what], 5000))
			w.swallow(stream)                               // buffers grow
			for try := 0; try < 5 && spent > limit; try++ { // others allocate too, now and then
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				w.swallow(stream)
				runtime.ReadMemStats(&after)
				spent = min(spent, after.TotalAlloc-before.TotalAlloc)
			}
			t.Logf("%s: %d bytes received, %d allocated: %.1f times", what, len(stream), spent,
				float64(spent)/float64(len(stream)))
			if spent > limit {
				t.Errorf("%s: %d bytes allocated for %d received", what, spent, len(stream))
			}
		}
	})
}

// swallow sends bytes and reads until they are handled, without looking at the answers.
func (w *wire) swallow(stream []byte) {
	w.t.Helper()
	w.xid++
	marker := w.append(nil, w.xid, &openflow.EchoRequest{})
	all := append(slices.Clone(stream), marker...)
	go w.write(all)
	marker[1]++ // its reply
	sink := make([]byte, 8, 64<<10)
	for !bytes.Contains(sink, marker) {
		last := copy(sink[:8], sink[len(sink)-8:])
		n, err := w.in.Read(sink[last:cap(sink)])
		if err != nil {
			w.t.Fatal(err)
		}
		sink = sink[:last+n]
	}
}
