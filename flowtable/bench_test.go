package flowtable

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// sink is an Output that counts.
type sink struct{ sent, shown, removed int }

func (s *sink) Transmit(uint32, uint32, []byte)                        { s.sent++ }
func (s *sink) PacketIn(*PacketIn)                                     { s.shown++ }
func (s *sink) FlowRemoved(*openflow.FlowRemoved)                      { s.removed++ }
func (s *sink) PortStatus(reason openflow.PortReason, p openflow.Port) {}

// masked makes the match of rule i with the mask numbered mask, of up to 64: prefixes of the
// destination of rising length, with and without the source, the ports and the port of entry.
func masked(i, mask int) (m openflow.Match) {
	r := rand.New(rand.NewPCG(uint64(i), 7))
	if mask&1 != 0 {
		m.SetUint(openflow.FieldInPort, 1)
	}
	m.SetUint(openflow.FieldEthType, uint64(packet.TypeIPv4))
	m.SetUint(openflow.FieldIPProto, uint64(packet.ProtoUDP))
	var dst [4]byte
	binary.BigEndian.PutUint32(dst[:], uint32(i)*2654435761)
	bits := 32 - mask/4
	m.SetUintMasked(openflow.FieldIPv4Dst, uint64(binary.BigEndian.Uint32(dst[:])), uint64(^uint32(0))<<(32-bits)&0xffffffff)
	if mask&2 != 0 {
		m.SetUint(openflow.FieldIPv4Src, uint64(r.Uint32()))
	}
	return m
}

// full is a switch with n entries of 20 masks, and frames that match them, by seed.
func full(tb testing.TB, n, frames int) (*Switch, *sink, [][]byte) { return fullOf(tb, n, 20, frames) }

func fullOf(tb testing.TB, n, masks, frames int) (*Switch, *sink, [][]byte) {
	s, out := New(Config{}), &sink{}
	for no := uint32(1); no <= 8; no++ {
		s.AddPort(openflow.Port{Number: no}, 0, out)
	}
	for i := range n {
		m := &openflow.FlowMod{
			Priority: uint16(100 + i%masks), Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
			OutGroup: openflow.GroupAny, IdleTimeout: 60,
			Match:        masked(i, i%masks).Canonical(),
			Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(uint32(2 + i%7)))},
		}
		if err := s.FlowMod(openflow.V13, m, 0, out); err != nil {
			tb.Fatal(err)
		}
	}
	list := make([][]byte, frames)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range list {
		var f filter
		rule := r.IntN(n)
		m := masked(rule, rule%masks).Canonical()
		if err := f.parse(&m); err != nil {
			tb.Fatal(err)
		}
		var src, dst [4]byte
		binary.BigEndian.PutUint32(src[:], uint32(f.value.get(openflow.FieldIPv4Src)))
		binary.BigEndian.PutUint32(dst[:], uint32(f.value.get(openflow.FieldIPv4Dst)))
		k := packet.Key{EtherType: packet.TypeIPv4, EthDst: packet.MAC{2, 1}, EthSrc: packet.MAC{2, 2},
			SrcPort: uint16(i), DstPort: 80,
			IPSrc: packet.AddrFrom4(src), IPDst: packet.AddrFrom4(dst)}
		list[i] = packet.AppendUDP(nil, &k, make([]byte, 22))
	}
	return s, out, list
}

var sizes = []int{10, 1_000, 100_000}

// BenchmarkLookup is the search through the tuples, without the cache before it.
func BenchmarkLookup(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) { benchmarkLookup(b, n, 20, (*table).find) })
	}
	for _, masks := range []int{1, 5, 64} {
		b.Run(fmt.Sprintf("rules=1000/masks=%d", masks), func(b *testing.B) { benchmarkLookup(b, 1000, masks, (*table).find) })
	}
}

// BenchmarkCached is the look-up as packets make it.
func BenchmarkCached(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) { benchmarkLookup(b, n, 20, (*table).lookup) })
	}
}

func benchmarkLookup(b *testing.B, n, masks int, find func(*table, *words) *entry) {
	s, _, frames := fullOf(b, n, masks, 1024)
	keys := make([]words, len(frames))
	for i := range frames {
		s.pass.begin(s, frames[i], 1)
		keys[i] = s.pass.frame.key
	}
	t, i, hits := s.tables[0], 0, 0
	b.ReportAllocs()
	start := cpu()
	defer func() { reportCPU(b, start) }()
	for b.Loop() {
		if find(t, &keys[i&1023]) != nil {
			hits++
		}
		i++
	}
	if hits != i {
		b.Fatalf("%d of %d found", hits, i)
	}
}

func BenchmarkReceive(b *testing.B) {
	for _, n := range sizes {
		for _, flows := range []int{16, 1024, 65536} {
			b.Run(fmt.Sprintf("rules=%d/flows=%d", n, flows), func(b *testing.B) {
				s, out, frames := full(b, n, flows)
				i := 0
				b.ReportAllocs()
				start := cpu()
				defer func() { reportCPU(b, start) }()
				for b.Loop() {
					s.Receive(1, frames[i&(flows-1)], time.Duration(i), out)
					i++
				}
				if out.sent != i {
					b.Fatalf("%d of %d sent", out.sent, i)
				}
			})
		}
	}
}

// BenchmarkInstructed is a packet, and what each sort of entry does with it.
func BenchmarkInstructed(b *testing.B) {
	for _, c := range instructed {
		b.Run(c.name, func(b *testing.B) {
			var out sink
			s, frame, now := instructedBed(b, c.do, &out), udp(0), time.Duration(0)
			b.ReportAllocs()
			start := cpu()
			defer func() { reportCPU(b, start) }()
			for b.Loop() {
				now++
				s.Receive(1, frame, now, &out)
			}
		})
	}
}

func BenchmarkFlowModAdd(b *testing.B) {
	msgs := make([]openflow.FlowMod, 100_000)
	for i := range msgs {
		var wire []byte
		m := &openflow.FlowMod{
			Priority: 100, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny, IdleTimeout: 60,
			Match:        masked(i, i%20).Canonical(),
			Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(uint32(2 + i%7)))},
		}
		wire, err := m.Append(nil, openflow.V13)
		if err != nil {
			b.Fatal(err)
		}
		if err := msgs[i].Parse(openflow.V13, wire); err != nil {
			b.Fatal(err)
		}
	}
	var s *Switch
	out, i := &sink{}, 0
	b.ReportAllocs()
	start := cpu()
	defer func() { reportCPU(b, start) }()
	for b.Loop() {
		if i%len(msgs) == 0 {
			s = New(Config{})
		}
		if err := s.FlowMod(openflow.V13, &msgs[i%len(msgs)], 0, out); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

func BenchmarkExpire(b *testing.B) {
	s, out, _ := full(b, 100_000, 1)
	b.ReportAllocs()
	for b.Loop() {
		s.Expire(0, out)
	}
}

// BenchmarkMemory is not about time: it reports the bytes of an entry, of a switch without any, and
// of one with eight ports.
func BenchmarkMemory(b *testing.B) {
	const n, switches = 100_000, 1000
	var entry, empty float64
	for b.Loop() {
		before := heapBytes()
		s, _, _ := full(b, n, 1)
		entry = float64(heapBytes()-before) / n
		runtime.KeepAlive(s)
		before = heapBytes()
		list := make([]*Switch, switches)
		for i := range list {
			list[i] = New(Config{})
			for no := uint32(1); no <= 8; no++ {
				list[i].AddPort(openflow.Port{Number: no}, 0, &sink{})
			}
		}
		empty = float64(heapBytes()-before) / switches
		runtime.KeepAlive(list)
	}
	b.ReportMetric(entry, "B/entry")
	b.ReportMetric(empty, "B/switch")
	b.ReportMetric(0, "ns/op")
}

// cpu is the processor's time that the process has used. The machines that this runs on are shared:
// it says more than the time of day.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// reportCPU reports the processor's time of one step since start.
func reportCPU(b *testing.B, start time.Duration) {
	b.ReportMetric(float64(cpu()-start)/float64(b.N), "cpu-ns/op")
}

func heapBytes() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
