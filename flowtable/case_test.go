package flowtable_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/internal/ofcase"
	"github.com/weirnet/weir/openflow"
)

// subject is a flowtable.Switch as a Switch of cases, with one controller. It checks its invariants
// after every step.
type subject struct {
	t       testing.TB
	v       openflow.Version
	config  flowtable.Config
	ports   []openflow.Port
	sw      *flowtable.Switch
	now     time.Duration
	outcome *ofcase.Outcome
}

// missSendLen is what a switch has by default.
const missSendLen = 128

func (s *subject) Reset() {
	s.sw, s.now, s.outcome = flowtable.New(s.config), 0, &ofcase.Outcome{Version: s.v}
	s.sw.SetMiss(s.v == openflow.V10)
	for _, p := range s.ports {
		s.sw.AddPort(p, s.now, s)
		s.sw.SetQueues(p.Number, []uint32{0, 1}, s.now)
	}
}

func (s *subject) Do(step ofcase.Step) *ofcase.Outcome {
	s.t.Helper()
	s.outcome = &ofcase.Outcome{Version: s.v}
	switch {
	case step.Message != nil:
		s.message(step.Message)
	case step.Frame != nil:
		frame := bytes.Clone(step.Frame)
		s.sw.Receive(step.Port, frame, s.now, s)
		if !bytes.Equal(frame, step.Frame) {
			s.t.Errorf("the frame that came in was changed:\n%x\n%x", step.Frame, frame)
		}
	default:
		s.now += step.Wait
		s.sw.Expire(s.now, s)
	}
	if err := s.sw.Check(); err != nil {
		s.t.Errorf("after %s: %v", step, err)
	}
	return s.outcome
}

// message does what a message asks for, from its bytes.
func (s *subject) message(b []byte) {
	_, m, err := openflow.Parse(bytes.Clone(b))
	if err == nil {
		err = s.dispatch(m)
	}
	if err == nil {
		return
	}
	var decode *openflow.DecodeError
	var refused *flowtable.Error
	switch {
	case errors.As(err, &refused):
		decode = &openflow.DecodeError{Code: refused.Code, Reason: refused.Reason}
	case !errors.As(err, &decode):
		s.t.Fatalf("an error that no controller can be told: %v", err)
	}
	s.say(openflow.NewError(decode, b))
}

func (s *subject) dispatch(m openflow.Message) error {
	switch m := m.(type) {
	case *openflow.FlowMod:
		return s.sw.FlowMod(s.v, m, s.now, s)
	case *openflow.GroupMod:
		return s.sw.GroupMod(s.v, m, s.now, s)
	case *openflow.MeterMod:
		return s.sw.MeterMod(s.v, m, s.now, s)
	case *openflow.PortMod:
		return s.sw.PortMod(s.v, m, s.now, s)
	case *openflow.TableMod:
		return s.sw.TableMod(s.v, m, s.now, s)
	case *openflow.PacketOut:
		return s.sw.PacketOut(s.v, m, s.now, s)
	case *openflow.MultipartRequest:
		body, err := s.sw.Multipart(s.v, m.Body, s.now)
		if err != nil {
			return err
		}
		if l, ok := body.(*openflow.TableFeaturesList); ok { // longer than a message: it is sent in parts
			for i := range l.Tables {
				s.say(&openflow.MultipartReply{Body: &openflow.TableFeaturesList{Tables: l.Tables[i : i+1]}})
			}
			return nil
		}
		s.say(&openflow.MultipartReply{Body: body})
		return nil
	}
	s.t.Fatalf("a case with %T", m)
	return nil
}

func (s *subject) say(m openflow.Message) {
	s.t.Helper()
	s.outcome.Messages = append(s.outcome.Messages, heard(s.t, s.v, m))
}

// heard is a message as a controller reads it.
func heard(t testing.TB, v openflow.Version, m openflow.Message) openflow.Message {
	t.Helper()
	b, err := openflow.Append(nil, v, 0, m)
	if err != nil {
		t.Fatalf("%T cannot be said: %v", m, err)
	}
	_, read, err := openflow.Parse(b)
	if err != nil {
		t.Fatalf("%x is not understood: %v", b, err)
	}
	return read
}

func (s *subject) Transmit(port, _ uint32, frame []byte) {
	s.outcome.Sent = append(s.outcome.Sent, ofcase.Sent{Port: port, Frame: bytes.Clone(frame)})
}

func (s *subject) PacketIn(p *flowtable.PacketIn) {
	if p.Only10 && s.v != openflow.V10 {
		return
	}
	var m openflow.PacketIn
	p.Message(&m, s.v, missSendLen)
	s.say(&m)
}

func (s *subject) FlowRemoved(m *openflow.FlowRemoved) { s.say(m) }

func (s *subject) PortStatus(reason openflow.PortReason, p openflow.Port) {
	s.say(&openflow.PortStatus{Reason: reason, Port: flowtable.PortIn(s.v, p)})
}
