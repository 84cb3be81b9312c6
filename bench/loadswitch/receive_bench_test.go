package loadswitch

import (
	"context"
	"encoding/binary"
	"net"
	"runtime"
	"testing"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// BenchmarkReceive has switches receive flow-mods that add entries of paths over TCP, from sessions
// in the same process, and delete them again: what both ends take of CPU time, and the loopback.
func BenchmarkReceive(b *testing.B) {
	const switches, batch = 32, 64
	top, err := ParseTopology("wan:32", 1)
	if err != nil {
		b.Fatal(err)
	}
	n := New(top, Config{Version: openflow.V13, Hosts: 1})
	c := &controller{sessions: make(map[uint64]*session.Session)}
	server := session.NewServer(session.Config{MaxQueue: 64 << 20}, c)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	go func() { _ = server.Serve(ln) }()
	if err := n.Connect(b.Context(), ln.Addr().String()); err != nil {
		b.Fatal(err)
	}
	if err := n.AwaitDescribed(b.Context()); err != nil {
		b.Fatal(err)
	}
	var sessions []*session.Session
	for len(sessions) < switches {
		runtime.Gosched()
		c.mu.Lock()
		sessions = sessions[:0]
		for _, s := range c.sessions {
			sessions = append(sessions, s)
		}
		c.mu.Unlock()
	}
	frames := make([]byte, 0, batch*200)
	m := &openflow.FlowMod{Table: 1, Priority: 20100, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup:     openflow.GroupAny,
		Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(1))}}
	m.Match.SetUint(openflow.FieldInPort, 1)
	m.Match.SetUint(openflow.FieldEthType, ethTypeIPv4)
	m.Match.SetUint(openflow.FieldIPv4Src, 1)
	m.Match.SetUint(openflow.FieldIPv4Dst, 1)
	m.Match = m.Match.Canonical()
	one, err := openflow.Append(nil, openflow.V13, 0, m)
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for sent := 0; sent < b.N; {
		for _, s := range sessions {
			frames = frames[:0]
			for range batch {
				frames = append(frames, one...)
				binary.BigEndian.PutUint32(frames[len(frames)-len(one)+modMatch+4+srcAt:], uint32(sent)%(200_000))
				sent++
			}
			for s.SendBytes(frames) != nil {
				runtime.Gosched()
			}
		}
		for uint64(sent)-n.Tally().Put > 100_000 {
			runtime.Gosched()
		}
	}
	for n.Tally().Put < uint64(b.N) {
		runtime.Gosched()
	}
	b.StopTimer()
	_ = server.Close(context.Background())
	_ = n.Close(context.Background())
}
