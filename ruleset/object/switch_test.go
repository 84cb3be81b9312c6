package object

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/internal/ofcase"
	"github.com/weirnet/weir/openflow"
)

// emulated is a flowtable.Switch of OpenFlow 1.3 that takes messages and frames.
type emulated struct {
	t   *testing.T
	sw  *flowtable.Switch
	out ofcase.Outcome
}

func (e *emulated) Reset() {
	e.sw = flowtable.New(flowtable.Config{})
	for port := range uint32(ofcase.Ports) {
		e.sw.AddPort(openflow.Port{Number: port + 1}, 0, e)
	}
}

func (e *emulated) Do(s ofcase.Step) *ofcase.Outcome {
	e.t.Helper()
	e.out = ofcase.Outcome{Version: openflow.V13}
	if s.Message == nil {
		e.sw.Receive(s.Port, s.Frame, 0, e)
		return &e.out
	}
	_, m, err := openflow.Parse(s.Message)
	if err != nil {
		e.t.Fatal(err)
	}
	switch m := m.(type) {
	case *openflow.FlowMod:
		err = e.sw.FlowMod(openflow.V13, m, 0, e)
	case *openflow.GroupMod:
		err = e.sw.GroupMod(openflow.V13, m, 0, e)
	case *openflow.MeterMod:
		err = e.sw.MeterMod(openflow.V13, m, 0, e)
	case *openflow.MultipartRequest:
		var body openflow.ReplyBody
		if body, err = e.sw.Multipart(openflow.V13, m.Body, 0); err == nil {
			e.out.Messages = append(e.out.Messages, &openflow.MultipartReply{Body: body})
		}
	}
	var refused *flowtable.Error
	if errors.As(err, &refused) {
		e.out.Messages = append(e.out.Messages, &openflow.ErrorMsg{Code: refused.Code})
	} else if err != nil {
		e.t.Fatal(err)
	}
	return &e.out
}

func (e *emulated) Transmit(port, _ uint32, frame []byte) {
	e.out.Sent = append(e.out.Sent, ofcase.Sent{Port: port, Frame: bytes.Clone(frame)})
}
func (e *emulated) PacketIn(*flowtable.PacketIn)                  {}
func (e *emulated) FlowRemoved(*openflow.FlowRemoved)             {}
func (e *emulated) PortStatus(openflow.PortReason, openflow.Port) {}
func (e *emulated) without(name string) bool                      { return name == "pbb" }

// TestEmulatedSwitchHoldsWhatIsWritten has the samples on an emulated switch. It lacks provider backbone bridges.
func TestEmulatedSwitchHoldsWhatIsWritten(t *testing.T) {
	e := &emulated{t: t}
	e.Reset()
	holds(t, e, slices.DeleteFunc(samples(t), func(s sample) bool { return e.without(s.name) }))
	passes(t, e)
}

// TestEmulatedSwitchRemarks: a band that remarks lets packets above its rate pass with another drop precedence, as read
// back from a switch.
func TestEmulatedSwitchRemarks(t *testing.T) {
	e := &emulated{t: t}
	e.Reset()
	write(t, e, meter(t, PacketsPerSecond, remark(1, 0, 1)).Message(Add, 1, nil))
	write(t, e, rule(openflow.UseMeter(1), openflow.Apply(openflow.Output(2))))
	frame := bytes.Clone(someFrame)
	frame[15] = 10 << 2                             // AF11
	for _, want := range []byte{10 << 2, 12 << 2} { // AF12 above the rate
		sent := e.Do(ofcase.Step{Port: 1, Frame: frame}).Sent
		if len(sent) != 1 || sent[0].Frame[15] != want {
			t.Errorf("sent %v, want one of traffic class %d", sent, want)
		}
	}
}

// someFrame is an IPv4 packet without a checksum.
var someFrame = append([]byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0, 0, 28, 0, 0, 0, 0, 9, 17, 0, 0, 10, 0,
	0, 1, 10, 0, 0, 2},
	make([]byte, 26)...)

// rule takes all packets.
func rule(list ...openflow.Instruction) *openflow.FlowMod {
	return &openflow.FlowMod{Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Instructions: list}
}

// write wants a switch to take a message without a word.
func write(t *testing.T, sw ofcase.Switch, m openflow.Message) {
	t.Helper()
	b, err := openflow.Append(nil, openflow.V13, 0, m)
	if err != nil {
		t.Fatal(err)
	}
	for _, answer := range sw.Do(ofcase.Step{Message: b}).Messages {
		t.Errorf("%s: %s", m.AppendText(nil, openflow.V13), answer.AppendText(nil, openflow.V13))
	}
}

// ask returns the body of a switch's answer.
func ask[T openflow.ReplyBody](t *testing.T, sw ofcase.Switch, body openflow.RequestBody) (reply T) {
	t.Helper()
	b, err := openflow.Append(nil, openflow.V13, 0, &openflow.MultipartRequest{Body: body})
	if err != nil {
		t.Fatal(err)
	}
	answers := sw.Do(ofcase.Step{Message: b}).Messages
	if len(answers) == 1 {
		if m, ok := answers[0].(*openflow.MultipartReply); ok {
			return m.Body.(T)
		}
	}
	t.Fatalf("answers %v", answers)
	return reply
}

// lists wants a switch to list samples and nothing else.
func lists(t *testing.T, sw ofcase.Switch, list []sample) {
	t.Helper()
	wantListed(t, list, ask[*openflow.GroupDescList](t, sw, &openflow.GroupDescRequest{}).Groups,
		ask[*openflow.MeterConfigList](t, sw, &openflow.MeterConfigRequest{Meter: openflow.MeterAll}).Meters)
}

// holds writes samples to an empty switch, whose features allow them, reads them back, changes those that nothing uses
// into each other, reads them back, and removes all.
func holds(t *testing.T, sw ofcase.Switch, list []sample) {
	t.Helper()
	features := &Switch{Version: openflow.V13,
		Groups: ask[*openflow.GroupFeatures](t, sw, &openflow.GroupFeaturesRequest{}),
		Meters: ask[*openflow.MeterFeatures](t, sw, &openflow.MeterFeaturesRequest{})}
	for _, s := range list {
		if err := features.Takes(s.object, 0); err != nil {
			t.Error(err)
		}
		write(t, sw, s.object.Message(Add, s.number, numbers(list)))
	}
	lists(t, sw, list)

	changed := slices.Clone(list)
	for _, meters := range []bool{true, false} {
		var free []int
		for i, s := range list {
			if _, is := s.object.(*Meter); is == meters && !slices.ContainsFunc(list, func(u sample) bool {
				return slices.ContainsFunc(u.object.Uses(), func(g *Group) bool { return g.Key() == s.object.Key() })
			}) {
				free = append(free, i)
			}
		}
		for i, at := range free {
			changed[at].object = list[free[(i+1)%len(free)]].object
			write(t, sw, changed[at].object.Message(Modify, changed[at].number, numbers(list)))
		}
		if len(free) < 4 {
			t.Errorf("%d objects are used by no other", len(free))
		}
	}
	lists(t, sw, changed)
	for _, s := range slices.Backward(changed) {
		write(t, sw, s.object.Message(Delete, s.number, nil))
	}
	lists(t, sw, nil)
}

// passes: a packet comes through as long a chain of groups, and into as many copies, as groups can have.
func passes(t *testing.T, sw ofcase.Switch) {
	t.Helper()
	out := actions(t, "output:2")
	chain := group(t, openflow.GroupTypeIndirect, Bucket{Actions: out})
	for range ChainMax - 1 {
		chain = group(t, openflow.GroupTypeIndirect, Bucket{Group: chain})
	}
	fan := group(t, openflow.GroupTypeAll, Bucket{Actions: out}, Bucket{Actions: out})
	for range 9 {
		fan = group(t, openflow.GroupTypeAll, Bucket{Group: fan}, Bucket{Group: fan})
	}
	order := InOrder(chain, fan)
	number := func(o Object) uint32 {
		return uint32(slices.IndexFunc(order, func(x Object) bool { return x.Key() == o.Key() })) + 1
	}
	for _, o := range order {
		write(t, sw, o.Message(Add, number(o), number))
	}
	for _, c := range []struct {
		g    *Group
		want int
	}{{chain, 1}, {fan, 1 << 10}} {
		write(t, sw, rule(openflow.Apply(openflow.Group(number(c.g)))))
		sent := sw.Do(ofcase.Step{Port: 1, Frame: someFrame}).Sent
		for _, s := range sent {
			if s.Port != 2 || !bytes.Equal(s.Frame, someFrame) {
				t.Errorf("port %d sends %x", s.Port, s.Frame)
			}
		}
		if len(sent) != c.want {
			t.Errorf("%d frames through %d groups one after the other and %d buckets, want %d", len(sent), c.g.chain, c.g.fan, c.want)
		}
	}
}
