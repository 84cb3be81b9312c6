package session

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/openflow"
)

// responder answers each packet-in with a flow-mod for its two addresses and a packet-out, as a
// learning switch does.
type responder struct {
	controller
	mod     openflow.FlowMod
	out     openflow.PacketOut
	oxm     [22]byte
	actions [1]openflow.Action
	apply   [1]openflow.Instruction
	ready   chan *Session
}

func newResponder() *responder {
	r := &responder{ready: make(chan *Session, 1)}
	copy(r.oxm[:], []byte{0x80, 0, 4 << 1, 6})
	copy(r.oxm[10:], []byte{0x80, 0, 3 << 1, 6})
	r.actions[0] = openflow.Output(2)
	r.apply[0] = openflow.Instruction{Type: openflow.InstructionApplyActions, Actions: r.actions[:]}
	r.mod = openflow.FlowMod{Cookie: 1, IdleTimeout: 60, Priority: 10, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny, Instructions: r.apply[:]}
	r.mod.Match.OXM = r.oxm[:20]
	r.out.Actions = r.actions[:]
	return r
}

func (r *responder) Connected(s *Session) { r.ready <- s }

func (r *responder) PacketIn(s *Session, _ openflow.Header, pin *openflow.PacketIn) {
	copy(r.oxm[14:20], pin.Data[0:6])
	copy(r.oxm[4:10], pin.Data[6:12])
	r.out.Buffer, r.out.InPort = pin.Buffer, pin.InPort
	if _, err := s.Send(&r.mod, &r.out); err != nil {
		panic(err)
	}
}

func (r *responder) Disconnected(*Session, error) {}

// packetIns are n packet-ins of 64-byte frames, of different hosts, as bytes.
func packetIns(v openflow.Version, n int) []byte {
	var b []byte
	for i := range n {
		frame := make([]byte, 64)
		frame[5], frame[11], frame[12] = byte(i), byte(i>>8), 8
		pin := &openflow.PacketIn{Buffer: uint32(i), TotalLen: 64, InPort: 1, Cookie: ^uint64(0), Data: frame}
		b, _ = openflow.Append(b, v, uint32(i), pin)
	}
	return b
}

// generator is a switch that keeps window packet-ins unanswered until total of them are answered.
type generator struct {
	datapath
	frames []byte // window packet-ins
	each   int    // length of one
	unsent int
	todo   int
	got    int // answered since the last batch end
	done   chan struct{}
}

func (g *generator) Connected(*Session) {}

func (g *generator) Frame(_ *Session, h openflow.Header, _ []byte) bool {
	if h.Type == openflow.TypePacketOut {
		g.got++
	}
	return h.Type == openflow.TypePacketOut || h.Type == openflow.TypeFlowMod
}

func (g *generator) BatchEnd(s *Session) {
	n := min(g.got, g.unsent)
	if g.todo > 0 && g.todo <= g.got {
		close(g.done)
	}
	g.todo -= g.got
	g.unsent -= n
	g.got = 0
	for n > 0 {
		k := min(n, len(g.frames)/g.each)
		if err := s.SendBytes(g.frames[:k*g.each]); err != nil {
			panic(err)
		}
		n -= k
	}
}

func (g *generator) Disconnected(*Session, error) {}

// run sends total packet-ins over a session and waits until all are answered.
func (g *generator) run(s *Session, v openflow.Version, window, total int) {
	g.frames = packetIns(v, window)
	g.each = len(g.frames) / window
	window = min(window, total)
	g.todo, g.unsent, g.done = total, total-window, make(chan struct{})
	if err := s.SendBytes(g.frames[:window*g.each]); err != nil {
		panic(err)
	}
	<-g.done
}

// bare answers packet-ins with bytes made before, reading and writing as plainly as can be: the bar
// for P2.
func bare(b testing.TB, ln net.Listener, v openflow.Version) {
	conn, err := ln.Accept()
	if err != nil {
		return
	}
	defer conn.Close()
	hello, _ := openflow.Append(nil, v, 1, &openflow.Hello{})
	conn.Write(hello)
	r := newResponder()
	answer, _ := openflow.Append(nil, v, 1, &r.mod)
	answer, _ = openflow.Append(answer, v, 1, &r.out)
	in, out, w := make([]byte, 256<<10), []byte(nil), 0
	for {
		n, err := conn.Read(in[w:])
		if err != nil {
			return
		}
		w += n
		out = out[:0]
		at := 0
		for w-at >= 8 {
			length := int(in[at+2])<<8 | int(in[at+3])
			if w-at < length {
				break
			}
			if in[at+1] == uint8(openflow.TypePacketIn) {
				out = append(out, answer...)
			}
			at += length
		}
		w = copy(in, in[at:w])
		if len(out) > 0 {
			if _, err := conn.Write(out); err != nil && err != io.EOF {
				b.Error(err)
			}
		}
	}
}

// BenchmarkPacketIn is one packet-in answered with a flow-mod and a packet-out over loopback, by a
// session and by a bare responder, with 1, 16 and 256 packet-ins in flight. The generator shares
// the machine.
func BenchmarkPacketIn(b *testing.B) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		for _, window := range []int{1, 16, 256} {
			for _, who := range []string{"bare", "session"} {
				b.Run(fmt.Sprintf("%s/window=%d/%s", v, window, who), func(b *testing.B) {
					benchmarkPacketIn(b, v, window, who)
				})
			}
		}
	}
}

func benchmarkPacketIn(b *testing.B, v openflow.Version, window int, who string) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	cfg := Config{Versions: []openflow.Version{v}}
	if who == "bare" {
		defer ln.Close()
		go bare(b, ln, v)
	} else {
		server := NewServer(cfg, newResponder())
		defer server.Close(context.Background())
		go server.Serve(ln)
	}
	g := &generator{datapath: datapath{id: 1}}
	dialer := NewDialer(cfg)
	defer dialer.Close(context.Background())
	s, err := dialer.Dial(context.Background(), ln.Addr().String(), &Roles{}, g)
	if err != nil {
		b.Fatal(err)
	}
	for s.Version() == 0 || who == "session" && s.Stats().In[openflow.TypeSetConfig] == 0 {
		time.Sleep(time.Millisecond)
	}
	b.ReportAllocs()
	b.ResetTimer()
	g.run(s, v, window, b.N)
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "answered/s")
}

// sink is a connection that takes all and gives nothing.
type sink struct {
	net.Conn
	written atomic.Int64
}

func (k *sink) TryWrite(p []byte) (int, error) {
	k.written.Add(int64(len(p)))
	return len(p), nil
}

func (k *sink) RemoteAddr() net.Addr { return &net.TCPAddr{} }

func TestAllocationBudgetOfPacketIns(t *testing.T) {
	need.NoRace(t)
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		conn := &sink{}
		cfg := Config{Versions: []openflow.Version{v}}.withDefaults()
		r := newSession(newGroup(nil), conn, &cfg, newResponder(), nil, nil)
		s := r.s
		r.core.Start(time.Now())
		r.core.out.version = v
		r.core.connect(time.Now())
		r.connected()
		batch := packetIns(v, 100)
		r.input.buf = make([]byte, maxReadBuffer)
		allocs := testing.AllocsPerRun(100, func() {
			r.input.r, r.input.w = 0, copy(r.input.buf, batch)
			r.input.w = 0
			r.batch(len(batch))
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations for 100 packet-ins answered", v, allocs)
		}
		st := s.Stats()
		if n := st.Out[openflow.TypePacketOut]; n != 101*100 || st.Out[openflow.TypeFlowMod] != n ||
			uint64(conn.written.Load()) != st.OutBytes {
			t.Errorf("%s: stats %+v, %d bytes written", v, st, conn.written.Load())
		}
	}
}
