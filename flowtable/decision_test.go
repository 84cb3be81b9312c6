package flowtable_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/internal/ofcase"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// seen has what a switch does with a frame, as text, but for which entry showed it.
type seen struct{ lines []string }

func (s *seen) Transmit(port, queue uint32, frame []byte) {
	s.lines = append(s.lines, fmt.Sprintf("to %d, queue %d, %x", port, queue, frame))
}
func (s *seen) PacketIn(p *flowtable.PacketIn) {
	s.lines = append(s.lines, fmt.Sprintf("shown %s %x", p.Reason, p.Frame))
}
func (s *seen) FlowRemoved(*openflow.FlowRemoved)             {}
func (s *seen) PortStatus(openflow.PortReason, openflow.Port) {}
func (s *seen) take() []string {
	list := s.lines
	s.lines = nil
	return list
}

// decided compares, for the tables that a case leaves, what became of a frame with what becomes of others that agree with it.
type decided struct {
	t     *testing.T
	sw    *flowtable.Switch
	ports []openflow.Port
	r     *rand.Rand
	out   seen

	sayable, agreed, changed, dropped int
	why                               map[string]int
}

// micro is a switch that has one entry.
func (x *decided) micro(v openflow.Version, m *openflow.FlowMod) *flowtable.Switch {
	s := flowtable.New(flowtable.Config{})
	for _, p := range x.ports {
		s.AddPort(p, 0, &x.out)
		s.SetQueues(p.Number, []uint32{0, 1}, 0) // as a subject
	}
	wire, err := openflow.Append(nil, v, 0, m)
	if err != nil {
		return nil // this version cannot say it
	}
	_, read, err := openflow.Parse(wire)
	if err == nil {
		err = s.FlowMod(v, read.(*openflow.FlowMod), 0, &x.out)
	}
	if err != nil {
		x.t.Fatalf("a switch refuses %v: %v", m, err)
	}
	return s
}

// like returns a frame that is nearly another one.
func (x *decided) like(frame []byte) []byte {
	b := bytes.Clone(frame)
	for range 1 + x.r.IntN(3) {
		b[x.r.IntN(len(b))] ^= 1 << x.r.IntN(8)
	}
	if x.r.IntN(8) == 0 {
		b = b[:14+x.r.IntN(len(b)-13)]
	}
	return b
}

// compare has a frame come in, and then others that agree with it in what decided.
func (x *decided) compare(v openflow.Version, port uint32, frame []byte, others [][]byte) {
	var d flowtable.Decision
	d.Receive(x.sw, port, frame, 0, &x.out)
	want := x.out.take()
	if x.why[d.Why]++; d.Why != "" {
		return
	}
	x.sw.Receive(port, frame, 0, &x.out)
	if plain := x.out.take(); !slices.Equal(plain, want) {
		x.t.Fatalf("frame %x: what is noted changes what is done: %v, %v without", frame, want, plain)
	}
	m, ok := d.Match(v, &openflow.Match{})
	if !ok && v == openflow.V13 {
		x.t.Fatalf("frame %x has no match: %s", frame, m)
	}
	m.SetUint(openflow.FieldInPort, uint64(port))
	flow := &openflow.FlowMod{Priority: 1, Match: m.Canonical(), Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny, Instructions: []openflow.Instruction{openflow.Apply(d.Actions...)}}
	micro := x.micro(v, flow)
	if micro == nil {
		return
	}
	x.sayable++
	entries := slices.Clone(d.Entries)
	for i := range 40 + len(others) {
		other := frame
		if i >= 40 {
			other = others[i-40]
		} else if i > 0 {
			other = x.like(frame)
		}
		micro.Receive(port, other, 0, &x.out)
		done := x.out.take()
		lookups := matched(x.t, micro)
		if lookups == 0 {
			if i == 0 {
				x.t.Fatalf("frame %x is not in its own match %s", frame, m)
			}
			continue
		}
		micro = x.micro(v, flow)
		var e flowtable.Decision
		e.Receive(x.sw, port, other, 0, &x.out)
		want := x.out.take()
		if !slices.Equal(e.Entries, entries) || !slices.Equal(want, done) {
			x.t.Fatalf("frame %x\nand   %x agree in %s:\nentries %v and %v,\nit does %v,\nwith %v the other does %v", frame, other, m,
				entries, e.Entries, want, d.Actions, done)
		}
		if i > 0 {
			x.agreed++
			if len(d.Actions) == 0 {
				x.dropped++
			} else if d.Actions[0].Type != openflow.ActionOutput {
				x.changed++
			}
		}
	}
}

// matched is how many packets a switch's first table has matched.
func matched(t *testing.T, s *flowtable.Switch) uint64 {
	list, err := s.Multipart(openflow.V13, &openflow.TableRequest{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return list.(*openflow.TableStatsList).Tables[0].Matched
}

// TestDecisions: packets that agree in what decided match the same entries, and one entry does to them what the tables do.
func TestDecisions(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		t.Run(v.String(), func(t *testing.T) {
			ports, addresses := casePorts(v)
			x := &decided{t: t, ports: ports, r: rand.New(rand.NewPCG(1, uint64(v))), why: make(map[string]int)}
			for seed := range uint64(200) {
				c := ofcase.Generate(v, seed, ofcase.Options{Steps: 60, Groups: true, Select: true, Meters: seed%4 == 0,
					Fragments6: true, Addresses: addresses})
				s := &subject{t: t, v: v, ports: ports, config: flowtable.Config{Handles: true}}
				s.Reset()
				frames := make(map[uint32][][]byte)
				for _, step := range c.Steps {
					s.Do(step)
					if step.Frame != nil {
						frames[step.Port] = append(frames[step.Port], step.Frame)
					}
				}
				x.sw = s.sw
				for _, port := range slices.Sorted(maps.Keys(frames)) {
					list := frames[port]
					for _, frame := range list {
						x.compare(v, port, frame, list)
					}
				}
			}
			t.Logf("%d paths are sayable, %d packets agree, %d of them are changed, %d dropped; not sayable: %v", x.sayable, x.agreed,
				x.changed, x.dropped, x.why)
			if x.sayable < 1000 || x.agreed < 10000 || x.changed < 500 || x.dropped < 200 {
				t.Error("the test shows nothing")
			}
		})
	}
}

// TestDecisionsOfHeaders: whether an action does something to a packet decides too, though no field of a match says so.
func TestDecisionsOfHeaders(t *testing.T) {
	ports, _ := casePorts(openflow.V13)
	good := udpFrame()
	with := func(change func(b []byte)) []byte {
		b := bytes.Clone(good)
		change(b)
		return b
	}
	broken := with(func(b []byte) { b[14] = 0x65 })
	fragment := with(func(b []byte) { b[20] = 0x20 })
	cut := good[:36]
	portless := with(func(b []byte) { copy(b[34:], []byte{0, 0, 0, 0}) })
	noProtocol := with(func(b []byte) { b[23] = 0 })
	const toPort = "apply:[output:2]"
	for _, c := range []struct {
		name          string
		flows         [][2]string // of tables 0, 1 and so on
		frame         []byte
		others        [][]byte
		why           string
		apart, agrees int // others, by whether they do
	}{
		{name: "an address is set", flows: [][2]string{{"eth_type=0x0800", "apply:[set_field:10.9.9.9->ipv4_dst];goto_table:1"},
			{"eth_type=0x0800,ipv4_dst=10.9.9.9", toPort}}, frame: good,
			others: [][]byte{broken, noProtocol, fragment}, apart: 2, agrees: 1},
		{name: "of a broken header", flows: [][2]string{{"eth_type=0x0800", "apply:[set_field:10.9.9.9->ipv4_dst,output:2]"}},
			frame: broken, why: "its header is broken"},
		{name: "of protocol 0", flows: [][2]string{{"eth_type=0x0800", "apply:[set_field:10.9.9.9->ipv4_dst,output:2]"}},
			frame: noProtocol, why: "it is of IP protocol 0"},
		{name: "a port is set", flows: [][2]string{{"eth_type=0x0800,ip_proto=17", "apply:[set_field:77->udp_dst];goto_table:1"},
			{"eth_type=0x0800,ip_proto=17,udp_dst=77", toPort}}, frame: good, others: [][]byte{fragment, cut}, apart: 2},
		{name: "of a fragment", flows: [][2]string{{"eth_type=0x0800,ip_proto=17", "apply:[set_field:77->udp_dst,output:2]"}},
			frame: fragment, why: "it has no ports"},
		{name: "of ports that are 0", flows: [][2]string{{"eth_type=0x0800,ip_proto=17",
			"apply:[set_field:77->udp_dst,output:2]"}},
			frame: portless, why: "it has no ports"},
		{name: "a group chooses", flows: [][2]string{{"", "apply:[group:1]"}}, frame: good, others: [][]byte{
			with(func(b []byte) { b[29]++ }), with(func(b []byte) { b[33]++ }), with(func(b []byte) { b[35]++ }),
			with(func(b []byte) { b[5]++ }), with(func(b []byte) { b[11]++ }), with(func(b []byte) { b[22]++ })}, apart: 5,
			agrees: 1},
		{name: "nothing is looked at", flows: [][2]string{{"", toPort}},
			frame: good, others: [][]byte{broken, fragment, cut, portless,
				noProtocol}, agrees: 5},
		{name: "a queue is chosen", flows: [][2]string{{"", "apply:[set_queue:1,output:2]"}}, frame: good,
			others: [][]byte{broken}, agrees: 1},
		{name: "a queue is taken back", flows: [][2]string{{"", "apply:[set_queue:1,output:2,set_queue:0,output:3]"}},
			frame: good, why: "it leaves by a queue that only some of its actions choose"},
		{name: "a tag is looked at that is new", flows: [][2]string{{"vlan_vid=none",
			"apply:[push_vlan:0x8100,set_field:5->vlan_vid];goto_table:1"}, {"vlan_vid=5", toPort}}, frame: good,
			others: [][]byte{append(append(bytes.Clone(good[:12]), 0x81, 0, 0, 5), good[12:]...), broken}, apart: 1, agrees: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := &decided{t: t, ports: ports, r: rand.New(rand.NewPCG(1, 2)), why: make(map[string]int),
				sw: flowtable.New(flowtable.Config{Handles: true})}
			for _, p := range ports {
				x.sw.AddPort(p, 0, &x.out)
				x.sw.SetQueues(p.Number, []uint32{0, 1}, 0)
			}
			group := &openflow.GroupMod{Group: 1, Kind: openflow.GroupTypeSelect}
			for port := range uint32(3) {
				group.Buckets = append(group.Buckets, openflow.Bucket{Weight: 1, WatchPort: openflow.PortAny,
					WatchGroup: openflow.GroupAny,
					Actions:    []openflow.Action{openflow.Output(port + 2)}})
			}
			if err := x.sw.GroupMod(openflow.V13, group, 0, &x.out); err != nil {
				t.Fatal(err)
			}
			for table, f := range c.flows {
				m := flowMod(t, f[0], f[1])
				m.Table = uint8(table)
				if err := x.sw.FlowMod(openflow.V13, m, 0, &x.out); err != nil {
					t.Fatal(err)
				}
			}
			x.out.take()
			x.compare(openflow.V13, 1, c.frame, c.others)
			var d flowtable.Decision
			d.Receive(x.sw, 1, c.frame, 0, &x.out)
			if d.Why != c.why {
				t.Fatalf("%q is why there are no actions, want %q", d.Why, c.why)
			}
			m, _ := d.Match(openflow.V13, &openflow.Match{})
			agrees := 0
			for _, other := range c.others {
				var e flowtable.Decision
				e.Receive(x.sw, 1, other, 0, &x.out)
				if e.In(&m) {
					agrees++
				}
			}
			if agrees != c.agrees || len(c.others)-agrees != c.apart {
				t.Errorf("%d of %d others agree in %s, want %d", agrees, len(c.others), m, c.agrees)
			}
		})
	}
}

// TestDecisionsOfDroppedFragments: where fragments are dropped, no match tells them from other packets of IP.
func TestDecisionsOfDroppedFragments(t *testing.T) {
	ports, _ := casePorts(openflow.V13)
	x := &decided{t: t, ports: ports, r: rand.New(rand.NewPCG(1, 2)), why: make(map[string]int),
		sw: flowtable.New(flowtable.Config{Handles: true})}
	for _, p := range ports {
		x.sw.AddPort(p, 0, &x.out)
	}
	if err := x.sw.FlowMod(openflow.V13, flowMod(t, "", "apply:[output:2]"), 0, &x.out); err != nil {
		t.Fatal(err)
	}
	x.sw.SetConfig(openflow.ConfigFragDrop)
	good := udpFrame()
	fragment, other := bytes.Clone(good), bytes.Clone(good)
	fragment[20], other[12] = 0x20, 0x70
	x.out.take()
	for _, c := range []struct {
		name  string
		frame []byte
		why   string
	}{
		{"a fragment", fragment, "fragments like it are dropped"},
		{"a whole packet", good, "fragments like it are dropped"},
		{"a packet that is not of IP", other, ""},
	} {
		x.compare(openflow.V13, 1, c.frame, [][]byte{good, fragment})
		var d flowtable.Decision
		if d.Receive(x.sw, 1, c.frame, 0, &x.out); d.Why != c.why {
			t.Errorf("of %s, %q is why there are no actions, want %q", c.name, d.Why, c.why)
		}
		x.out.take()
	}
}

func udpFrame() []byte {
	return packet.AppendUDP(nil, &packet.Key{EthDst: packet.MAC{2, 0, 0, 0, 0, 0xb}, EthSrc: packet.MAC{2, 0, 0, 0, 0, 0xa},
		EtherType: packet.TypeIPv4, TTL: 64, IPSrc: packet.AddrFrom4([4]byte{10, 0, 0, 1}),
		IPDst: packet.AddrFrom4([4]byte{10, 0, 0, 2}), SrcPort: 1000, DstPort: 53}, []byte("hello, switch"))
}

// flowMod makes an ADD of OpenFlow 1.3 of texts.
func flowMod(t *testing.T, match, instructions string) *openflow.FlowMod {
	m := &openflow.FlowMod{Priority: 1, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
	for _, pair := range strings.Split(match, ",") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			if err := m.Match.SetText(name, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, text := range strings.Split(instructions, ";") {
		in, err := openflow.ParseInstruction(text)
		if err != nil {
			t.Fatal(err)
		}
		m.Instructions = append(m.Instructions, in)
	}
	return m
}
