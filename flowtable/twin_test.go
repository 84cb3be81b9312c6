package flowtable_test

import (
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/ofcase"
	"github.com/weirnet/weir/openflow"
)

// twin is a switch written for nothing but to be obviously right: entries are a list that is
// searched from end to end, matches are compared field by field with what gopacket makes of the
// frame, and each action edits the frame's bytes. It has nothing in common with package flowtable.
// It has no meters, and groups that choose by a hash are none of its.
type twin struct {
	t       testing.TB
	v       openflow.Version
	ports   []openflow.Port // as at the beginning
	now     time.Duration
	port    map[uint32]*twinPort
	numbers []uint32 // of the ports, in order
	entries []*twinEntry
	groups  map[uint32]*twinGroup
	lookups map[uint8]*openflow.TableStats
	seen    []twinStation
	outcome *ofcase.Outcome
}

// twinPort is a port with its counters.
type twinPort struct {
	openflow.Port
	stats openflow.PortStats
}

func (p *twinPort) down() bool { return p.Config&openflow.PortConfigDown != 0 }

func (w *twin) Reset() {
	w.now, w.entries, w.numbers, w.seen = 0, nil, nil, nil
	w.port, w.groups, w.lookups = map[uint32]*twinPort{}, map[uint32]*twinGroup{}, map[uint8]*openflow.TableStats{}
	for _, p := range w.ports {
		w.port[p.Number] = &twinPort{Port: p, stats: openflow.PortStats{Port: p.Number}}
		w.numbers = append(w.numbers, p.Number)
	}
	slices.Sort(w.numbers)
	for i := range 254 {
		w.lookups[uint8(i)] = &openflow.TableStats{Table: uint8(i)}
	}
}

func (w *twin) Do(step ofcase.Step) *ofcase.Outcome {
	w.outcome = &ofcase.Outcome{Version: w.v}
	switch {
	case step.Message != nil:
		_, m, err := openflow.Parse(step.Message)
		if err != nil {
			panic(err)
		}
		if code := w.message(m); code != 0 {
			w.say(&openflow.ErrorMsg{Code: code})
		}
	case step.Frame != nil:
		w.receive(step.Port, step.Frame)
	default:
		w.now += step.Wait
		w.expire()
	}
	return w.outcome
}

// message does what a message asks for; it returns the error to answer with, or 0.
func (w *twin) message(m openflow.Message) openflow.ErrorCode {
	switch m := m.(type) {
	case *openflow.FlowMod:
		return w.flowMod(m)
	case *openflow.GroupMod:
		return w.groupMod(m)
	case *openflow.PortMod:
		return w.portMod(m)
	case *openflow.PacketOut:
		p := &twinPacket{w: w, frame: slices.Clone(m.Data), in: m.InPort, size: len(m.Data)}
		if missing(w, m.Actions) {
			return openflow.BadActionBadOutGroup
		}
		p.list(m.Actions)
	case *openflow.MultipartRequest:
		return w.answer(m.Body)
	}
	return 0
}

func (w *twin) say(m openflow.Message) {
	w.outcome.Messages = append(w.outcome.Messages, heard(w.t, w.v, m))
}

func (w *twin) portMod(m *openflow.PortMod) openflow.ErrorCode {
	p := w.port[m.Port]
	switch {
	case p == nil:
		return openflow.PortModFailedBadPort
	case p.HWAddr != m.HWAddr:
		return openflow.PortModFailedBadHWAddr
	}
	before := p.Config
	p.Config = p.Config&^m.Mask | m.Config&m.Mask
	p.State &^= openflow.PortStateLive
	if w.v == openflow.V13 && !p.down() {
		p.State |= openflow.PortStateLive
	}
	if p.Config != before {
		w.say(&openflow.PortStatus{Reason: openflow.PortModified, Port: p.Port})
	}
	return 0
}

func (w *twin) receive(port uint32, frame []byte) {
	p := w.port[port]
	p.stats.RxPackets++
	p.stats.RxBytes += uint64(len(frame))
	if p.Config&(openflow.PortConfigDown|openflow.PortConfigNoRecv) != 0 {
		return
	}
	(&twinPacket{w: w, frame: slices.Clone(frame), in: port, size: len(frame)}).tables()
}

// send sends a frame out of a port.
func (w *twin) send(port uint32, frame []byte) {
	p := w.port[port]
	if p == nil || p.Config&(openflow.PortConfigDown|openflow.PortConfigNoFwd) != 0 {
		return
	}
	p.stats.TxPackets++
	p.stats.TxBytes += uint64(len(frame))
	w.outcome.Sent = append(w.outcome.Sent, ofcase.Sent{Port: port, Frame: slices.Clone(frame)})
}
