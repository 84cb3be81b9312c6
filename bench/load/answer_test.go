package load

import (
	"errors"
	"testing"
	"time"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

func TestALateGeneratorHasNoResult(t *testing.T) {
	c := &Config{Rate: 1000, LateLimit: 2 * time.Millisecond}
	good := func() *Sample {
		s := newSample(nil)
		s.Counts = tally{Sent: 100, Answered: 100, Counted: 100}
		for range 100 {
			s.Lateness.RecordValue(int64(time.Millisecond))
		}
		return s
	}
	if err := good().Check(c); err != nil {
		t.Errorf("a run in time is refused: %v", err)
	}
	for name, tc := range map[string]struct {
		spoil func(s *Sample)
		want  error
	}{
		"late":    {func(s *Sample) { s.Lateness.RecordValues(int64(20*time.Millisecond), 5) }, report.ErrLate},
		"unsent":  {func(s *Sample) { s.unsent = 1 }, report.ErrSlow},
		"after":   {func(s *Sample) { s.Counts.Counted = 0 }, report.ErrSlow},
		"missing": {func(s *Sample) { s.Missing = 1 }, report.ErrMissing},
		"nothing": {func(s *Sample) { s.Counts.Answered = 0 }, report.ErrNothing},
		"astray":  {func(s *Sample) { s.Paths.misforwarded = 1 }, report.ErrMisforwarded},
	} {
		s := good()
		tc.spoil(s)
		if err := s.Check(c); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
}

// TestPacketInsAreWellFormed parses what the generator makes.
func TestPacketInsAreWellFormed(t *testing.T) {
	src, dst := loadswitch.NewHost(5, topo.End{Port: 3}), loadswitch.NewHost(70000, topo.End{Port: 4})
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		for _, buffered := range []bool{true, false} {
			b := newFrameTemplate(v, 9, 0).append(nil, &src, &dst, 0x12345, buffered)
			_, m, err := openflow.Parse(b)
			if err != nil {
				t.Fatal(err)
			}
			pin := m.(*openflow.PacketIn)
			var k packet.Key
			_, fault := packet.ParseKey(pin.Data, &k)
			buffer := openflow.NoBuffer
			if buffered {
				buffer = 0x12345
			}
			if fault != 0 || pin.Buffer != buffer || pin.InPort != 3 || len(pin.Data) != 64 ||
				k.EthSrc != src.MAC || k.EthDst != dst.MAC ||
				k.IPSrc != packet.AddrFrom4(src.IP) || k.IPDst != packet.AddrFrom4(dst.IP) ||
				!packet.IPv4(pin.Data[14:]).ChecksumOK() {
				t.Errorf("%s buffered=%v: %+v, %+v", v, buffered, pin, k)
			}
			out := &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: 3,
				Actions: []openflow.Action{openflow.Output(4)}, Data: pin.Data}
			raw, _ := openflow.Append(nil, v, 1, out)
			if a := readPacketOut(raw, 9, buffered); a.known == buffered || !a.ours || a.token != 0x12345 {
				t.Errorf("%s: a packet-out with the frame reads as %+v", v, a)
			}
			if a := readPacketOut(raw, 8, buffered); a.known {
				t.Errorf("%s: another switch's frame is taken for an answer", v)
			}
		}
	}
}

func TestModificationsAreRead(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		for _, tc := range []struct {
			m    openflow.FlowMod
			want answer
		}{
			{openflow.FlowMod{Buffer: 7, IdleTimeout: 60}, answer{7, true, true}},
			{openflow.FlowMod{Buffer: 7}, answer{7, true, true}},
			{openflow.FlowMod{Buffer: openflow.NoBuffer, HardTimeout: 1}, answer{openflow.NoBuffer, false, true}},
			{openflow.FlowMod{Buffer: openflow.NoBuffer}, answer{openflow.NoBuffer, false, false}},
			{openflow.FlowMod{Command: openflow.FlowDelete, Buffer: 0, IdleTimeout: 60}, answer{0, false, false}},
		} {
			tc.m.OutPort, tc.m.OutGroup = openflow.PortAny, openflow.GroupAny
			b, err := openflow.Append(nil, v, 1, &tc.m)
			if err != nil {
				t.Fatal(err)
			}
			if got := readModification(v, b); got != tc.want {
				t.Errorf("%s %+v: %+v, want %+v", v, tc.m, got, tc.want)
			}
		}
	}
}
