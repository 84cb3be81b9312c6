package openflow

import (
	"testing"

	"github.com/weirnet/weir/internal/need"
)

// The messages of the benchmarks: a packet-in with a 64-byte frame, a flow-mod that matches five
// fields and outputs.

func benchPacketIn() *PacketIn {
	return &PacketIn{Buffer: NoBuffer, TotalLen: 64, Reason: ReasonNoMatch, Cookie: 1, InPort: 3, Data: make([]byte, 64)}
}

func benchFlowMod() *FlowMod {
	f := &FlowMod{Command: FlowAdd, Priority: 100, Cookie: 0x1234, IdleTimeout: 60, Buffer: NoBuffer, OutPort: PortAny,
		OutGroup: GroupAny, Instructions: []Instruction{Apply(Output(7))}}
	f.Match.SetUint(FieldInPort, 3)
	f.Match.SetUint(FieldEthDst, 0x000000000002)
	f.Match.SetUint(FieldEthSrc, 0x000000000001)
	f.Match.SetUint(FieldEthType, etherTypeIPv4)
	f.Match.SetUint(FieldIPv4Dst, 0x0a000001)
	return f
}

func benchPacketOut() *PacketOut {
	return &PacketOut{Buffer: NoBuffer, InPort: PortController, Actions: []Action{Output(7)}, Data: make([]byte, 64)}
}

func benchFlowRemoved() *FlowRemoved {
	return &FlowRemoved{Priority: 100, Reason: RemovedIdle, DurationSec: 60, IdleTimeout: 60, Match: benchFlowMod().Match}
}

// encoded is m as version v writes it.
func encoded(t testing.TB, v Version, m Message) []byte {
	t.Helper()
	b, err := Append(nil, v, 7, m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func benchDecode(b *testing.B, v Version, from, into Message) {
	wire := encoded(b, v, from)
	b.ReportAllocs()
	b.SetBytes(int64(len(wire)))
	for b.Loop() {
		h, err := ParseHeader(wire)
		if err == nil {
			err = into.Parse(h.Version, wire[HeaderLen:])
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func benchEncode(b *testing.B, v Version, m Message) {
	buf := encoded(b, v, m)
	b.ReportAllocs()
	b.SetBytes(int64(len(buf)))
	for b.Loop() {
		var err error
		if buf, err = Append(buf[:0], v, 7, m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPacketInDecode(b *testing.B)   { benchDecode(b, V13, benchPacketIn(), new(PacketIn)) }
func BenchmarkPacketInDecode10(b *testing.B) { benchDecode(b, V10, benchPacketIn(), new(PacketIn)) }
func BenchmarkPacketInEncode(b *testing.B)   { benchEncode(b, V13, benchPacketIn()) }
func BenchmarkFlowModDecode(b *testing.B)    { benchDecode(b, V13, benchFlowMod(), new(FlowMod)) }
func BenchmarkFlowModDecode10(b *testing.B)  { benchDecode(b, V10, benchFlowMod(), new(FlowMod)) }
func BenchmarkFlowModEncode(b *testing.B)    { benchEncode(b, V13, benchFlowMod()) }
func BenchmarkFlowModEncode10(b *testing.B)  { benchEncode(b, V10, benchFlowMod()) }
func BenchmarkPacketOutDecode(b *testing.B)  { benchDecode(b, V13, benchPacketOut(), new(PacketOut)) }
func BenchmarkPacketOutEncode(b *testing.B)  { benchEncode(b, V13, benchPacketOut()) }
func BenchmarkFlowRemovedDecode(b *testing.B) {
	benchDecode(b, V13, benchFlowRemoved(), new(FlowRemoved))
}
func BenchmarkFlowRemovedEncode(b *testing.B) { benchEncode(b, V13, benchFlowRemoved()) }
func BenchmarkPortStatusDecode(b *testing.B)  { benchDecode(b, V13, &PortStatus{}, new(PortStatus)) }
func BenchmarkFlowModAppendText(b *testing.B) {
	m := benchFlowMod()
	h := Header{Version: V13, Type: TypeFlowMod}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendText(buf[:0], h, m)
	}
}

// TestAllocationBudgetOfHotMessages: the messages a controller sees by the million are read into
// structs and written into buffers that are used again, without allocation, in both versions.
func TestAllocationBudgetOfHotMessages(t *testing.T) {
	need.NoRace(t)
	fields := benchFlowMod()
	fields.Instructions = []Instruction{Apply(SetField(FieldEthDst, 1), SetField(FieldIPv4Src, 1), Output(1))}
	for _, v := range []Version{V10, V13} {
		for _, c := range []struct{ from, into Message }{
			{benchPacketIn(), new(PacketIn)},
			{benchPacketOut(), new(PacketOut)},
			{benchFlowMod(), new(FlowMod)},
			{fields, new(FlowMod)},
			{benchFlowRemoved(), new(FlowRemoved)},
			{&PortStatus{Port: Port{Number: 1, Name: "s1-eth1"}}, new(PortStatus)},
		} {
			wire := encoded(t, v, c.from)
			buf := make([]byte, 0, len(wire))
			n := testing.AllocsPerRun(100, func() {
				h, err := ParseHeader(wire)
				if err == nil {
					err = c.into.Parse(h.Version, wire[HeaderLen:])
				}
				if err == nil {
					buf, err = Append(buf[:0], v, h.XID, c.into)
				}
				if err != nil {
					t.Fatal(err)
				}
			})
			if n != 0 {
				t.Errorf("%s %s: %v allocations", v, c.from.Type(), n)
			}
		}
	}
}
