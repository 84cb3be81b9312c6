package bench

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// Emulator is what package emu can do: the time until all switches of a network are connected to a
// controller that does nothing, what they cost, and how many frames they pass on. The zero value of
// a field means its default.
type Emulator struct {
	Version  openflow.Version // default 1.3
	Topology string           // of the network that connects; default wan:206
	Ring     int              // switches of the ring that frames go round in; default 8
	Rules    int              // of each of them; default 1000, of 20 masks
	Flows    int              // frames in flight, each of another flow; default 500
	Duration time.Duration    // of forwarding, for each run; default 2 s
	// Limit is how long it may take until all switches are connected; default 2 min.
	Limit   time.Duration
	Seed    uint64
	Profile profile.Profile // of all switches; the zero value is ideal
	Program string          // the weir binary for the null controller; default this one
	Options
	topology *topo.Topology
}

// Check fills in defaults and finds what is wrong with a configuration, before anything is started.
func (c *Emulator) Check() error {
	c.Version = cmp.Or(c.Version, openflow.V13)
	c.Topology = cmp.Or(c.Topology, "wan:206")
	c.Ring = cmp.Or(c.Ring, 8)
	c.Rules = cmp.Or(c.Rules, 1000)
	c.Flows = cmp.Or(c.Flows, 500)
	c.Duration = cmp.Or(c.Duration, 2*time.Second)
	c.Limit = cmp.Or(c.Limit, 2*time.Minute)
	if c.Duration < 0 || c.Limit < 0 || c.Ring < 3 {
		return fmt.Errorf("runs of %v, a limit of %v and a ring of %d given, want positive ones, and a ring of 3 or more",
			c.Duration, c.Limit, c.Ring)
	}
	if c.Rules < 1 || c.Rules > maxRules || c.Flows < 1 || c.Flows > c.Rules {
		return fmt.Errorf("%d rules and %d flows given, want up to %d rules, and a rule for each flow", c.Rules,
			c.Flows, maxRules)
	}
	var err error
	c.topology, err = topo.Parse(c.Topology, c.Seed)
	return cmp.Or(c.Options.check(5), err)
}

func (c *Emulator) plan(r *report.Report) []participant {
	title := fmt.Sprintf("emulated networks: %s connect; %s rules a switch, frames round a ring of %d",
		report.Plural(len(c.topology.Switches), "switch", "switches"), report.Thousands(c.Rules), c.Ring)
	about(r, "emulator", title, c.Version, c.Topology, c.topology, c.Seed)
	r.Load.Seconds = c.Duration.Seconds()
	x := r.Add("emulator")
	noteProfile(x, &c.Profile)
	return []participant{&emulatorScore{subject: subject{x}, c: c, report: r}}
}

// emulatorScore is what is measured of all runs.
type emulatorScore struct {
	subject
	c      *Emulator
	report *report.Report
}

func (s *emulatorScore) run(ctx context.Context, i int) error {
	e := &emulatorRun{c: s.c}
	if err := e.run(ctx); err != nil {
		return err
	}
	e.take(s.result)
	noteFidelity(s.report, e.fidelity)
	s.c.Note("run %d of %d: %s connected after %v; %s packet-hops/s", i+1, s.c.Runs,
		report.Plural(len(s.c.topology.Switches), "switch", "switches"), e.connecting.Elapsed.Round(time.Millisecond),
		report.Thousands(e.rate()))
	return nil
}

func (s *emulatorScore) finish() {
	if f := s.report.Fidelity; f != nil && !f.Kept {
		s.result.Notes = append(s.result.Notes, "the network did not keep its times: as many frames as it can carry are under way at once, which is the load of this scenario")
	}
}

// emulatorRun is one run.
type emulatorRun struct {
	c *Emulator

	connecting target.Usage // of this process and the null controller, from when the network was made
	memory     int64        // what the network added to this process
	forwarding target.Usage
	hops       uint64
	fidelity   emu.Fidelity
}

func (e *emulatorRun) rate() float64 { return float64(e.hops) / e.forwarding.Elapsed.Seconds() }

// take adds the run to the result.
func (e *emulatorRun) take(x *report.Result) {
	n := float64(len(e.c.topology.Switches))
	x.Take("packet-hops", "/s", e.rate())
	x.Take("CPU of a packet-hop", "ns", float64(e.forwarding.Generator)/float64(max(e.hops, 1)))
	x.Take("network made to all switches connected", "ms", report.Milliseconds(e.connecting.Elapsed))
	x.Take("CPU of a switch that connects", "µs", report.Microseconds(e.connecting.Generator)/n)
	x.Take("CPU of the null controller for it", "µs", report.Microseconds(e.connecting.Target)/n)
	x.Take("memory of a connected switch", "KB", float64(e.memory)/1000/n)
	x.Use("emulator", e.forwarding.Generator, float64(e.hops), target.OwnMemory())
}

// noteProfile notes which profile switches have, and what of it is a guess, on which the figures
// then rest.
func noteProfile(x *report.Result, p *profile.Profile) {
	if p.Ideal() {
		return
	}
	note := "switches behave as " + p.Name
	if guessed := p.Guessed(); len(guessed) > 0 {
		note += "; assumed: " + strings.Join(guessed, ", ")
	}
	x.Notes = append(x.Notes, note)
}

// noteFidelity adds how well a network kept its times: of several the worst.
func noteFidelity(r *report.Report, f emu.Fidelity) {
	if r.Fidelity == nil {
		r.Fidelity = &report.Fidelity{Kept: true}
	}
	k := r.Fidelity
	k.LatenessP50, k.LatenessP99 = max(k.LatenessP50, report.Microseconds(f.Total.P50)), max(k.LatenessP99,
		report.Microseconds(f.Total.P99))
	k.LatenessMax, k.Wait = max(k.LatenessMax, report.Microseconds(f.Total.Max)), max(k.Wait, report.Microseconds(f.Total.Wait))
	k.Promises += f.Total.Promises
	k.Late += f.Total.Late
	if k.Kept && !f.Kept {
		k.Kept, k.Why = false, f.Why
	}
}

// The rules of the ring: maskCount masks, alternately.
const (
	maskCount = 20
	maxRules  = maskCount << 6
)

// ringRule is the i-th rule: 8 bits of the IPv4 source and 9 to 28 bits of the destination, which
// lead to a port. It has a time-out.
func ringRule(i int, out uint32) *openflow.FlowMod {
	bits := 9 + i%maskCount
	src, dst := ringAddresses(i)
	mask := ^uint32(0) << (32 - bits)
	m := &openflow.FlowMod{Command: openflow.FlowAdd, Priority: uint16(100 + bits), IdleTimeout: 600, Buffer: openflow.NoBuffer,
		OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(out))}}
	m.Match.SetUint(openflow.FieldEthType, uint64(packet.TypeIPv4))
	m.Match.SetUintMasked(openflow.FieldIPv4Src, uint64(src&0xff000000), 0xff000000)
	m.Match.SetUintMasked(openflow.FieldIPv4Dst, uint64(dst&mask), uint64(mask))
	return m
}

// ringAddresses are what the i-th rule alone matches.
func ringAddresses(i int) (src, dst uint32) {
	return uint32(i%maskCount+1)<<24 | 1, uint32(i/maskCount)<<26 | 1<<4
}

// ringFrame is a frame of 64 bytes that the i-th rule matches.
func ringFrame(i int) []byte {
	src, dst := ringAddresses(i)
	var s, d [4]byte
	binary.BigEndian.PutUint32(s[:], src)
	binary.BigEndian.PutUint32(d[:], dst)
	k := packet.Key{EthSrc: packet.MAC{2, 1}, EthDst: packet.MAC{2, 2}, EtherType: packet.TypeIPv4,
		IPSrc: packet.AddrFrom4(s), IPDst: packet.AddrFrom4(d),
		SrcPort: uint16(i), DstPort: 4000, TTL: 64}
	return packet.AppendUDP(nil, &k, make([]byte, 64-14-20-8))
}
