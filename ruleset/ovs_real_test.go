//go:build real

package ruleset

import (
	"bytes"
	"testing"

	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/internal/ofcase"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset/object"
)

// frame is a packet of a type of no protocol.
var frame = append([]byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5}, make([]byte, 46)...)

// TestOpenvSwitchDoesWhatObjectsSay: rules that are rendered for an Open vSwitch of either version are listed with the
// keys of their behaviours, and back each other's ports up, also when the port in is one of them.
func TestOpenvSwitchDoesWhatObjectsSay(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		t.Run(v.String(), func(t *testing.T) {
			netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
				sw := &ovs{ofcase.NewOVS(t, l, v), t, v}
				sw.Reset()
				apply := func(list ...openflow.Action) []openflow.Instruction {
					return []openflow.Instruction{openflow.Apply(list...)}
				}
				byIn := []*Behaviour{ // of the rules for packets from ports 1, 2, …
					made[*Behaviour](t)(Use(1, apply(openflow.Group(0)), backup(t, 2, 3))),
					made[*Behaviour](t)(Use(2, apply(openflow.Group(0), openflow.Output(4)), backup(t, 2, 3))),
					Outputs(3, 1, 3),
				}
				if v == openflow.V13 {
					byIn = append(byIn, made[*Behaviour](t)(Use(4, []openflow.Instruction{openflow.UseMeter(1),
						openflow.Apply(openflow.Group(0))},
						copies(t, backup(t, 3, 2), backup(t, 9, 1)), limit(t, 1000))))
				}
				sw.install(byIn)
				sw.sends(1, 2)
				sw.sends(2, 4) // the first port that is up is the port in
				sw.sends(3, 1, 3)
				if v == openflow.V13 {
					sw.sends(4, 1, 3, 4)
				}
				sw.down(2)
				sw.sends(1, 3)
				sw.sends(3, 1, 3)
				sw.down(3)
				sw.sends(1)
			})
		})
	}
}

// ovs is an Open vSwitch that the test controls.
type ovs struct {
	*ofcase.OVS
	t *testing.T
	v openflow.Version
}

// say sends a message and returns the answers, none of which may be an error.
func (s *ovs) say(m openflow.Message) []openflow.Message {
	s.t.Helper()
	b, err := openflow.Append(nil, s.v, 0, m)
	if err != nil {
		s.t.Fatal(err)
	}
	answers := s.Do(ofcase.Step{Message: b}).Messages
	for _, a := range answers {
		if a.Type() == openflow.TypeError {
			s.t.Fatalf("%s: %s", m.AppendText(nil, s.v), a.AppendText(nil, s.v))
		}
	}
	return answers
}

// install writes behaviours for packets from ports 1, 2, …, with their objects, and wants the switch to list them.
func (s *ovs) install(byIn []*Behaviour) {
	s.t.Helper()
	var all []object.Object
	for _, b := range byIn {
		all = append(all, b.Objects()...)
	}
	all = object.InOrder(all...)
	number, numbers := numbering(1<<20, all)
	if s.v == openflow.V13 {
		for _, o := range all {
			s.say(o.Message(object.Add, number(o), number))
		}
	}
	for i, b := range byIn {
		list, err := b.Render(s.v, number)
		if err != nil {
			s.t.Fatal(err)
		}
		m := &openflow.FlowMod{Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
			Instructions: list}
		m.Match.SetUint(openflow.FieldInPort, uint64(i+1))
		s.say(m)
	}
	answers := s.say(&openflow.MultipartRequest{Body: &openflow.FlowRequest{
		FlowFilter: openflow.FlowFilter{Table: openflow.TableAll, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}}})
	flows := answers[0].(*openflow.MultipartReply).Body.(*openflow.FlowStatsList).Flows
	for _, f := range flows {
		in, _ := CutInPort(f.Match.Canonical().OXM)
		if b := byIn[in-1]; string(AppendKeyOf(nil, f.Instructions, numbers)) != b.Key() {
			s.t.Errorf("the rule of port %d is listed with %v, want %v of %v", in, f.Instructions, b.Instructions(), b.Objects())
		}
	}
	if len(flows) != len(byIn) {
		s.t.Errorf("%d rules, want %d", len(flows), len(byIn))
	}
}

// sends wants a frame from a port to leave by others, in their order.
func (s *ovs) sends(in uint32, ports ...uint32) {
	s.t.Helper()
	sent := map[uint32]int{}
	for _, f := range s.Do(ofcase.Step{Port: in, Frame: frame}).Sent {
		if !bytes.Equal(f.Frame, frame) {
			s.t.Errorf("port %d sends %x", f.Port, f.Frame)
		}
		sent[f.Port]++
	}
	for _, port := range ports {
		if sent[port] != 1 {
			s.t.Errorf("from port %d: sent %v, want one from each of %d", in, sent, ports)
		}
		delete(sent, port)
	}
	if len(sent) > 0 {
		s.t.Errorf("from port %d: sent %v, want one from each of %d only", in, sent, ports)
	}
}

// down takes a port down.
func (s *ovs) down(number uint32) {
	for _, p := range s.Ports() {
		if p.Number == number {
			s.say(&openflow.PortMod{Port: number, HWAddr: p.HWAddr, Config: openflow.PortConfigDown,
				Mask: openflow.PortConfigDown})
		}
	}
}
