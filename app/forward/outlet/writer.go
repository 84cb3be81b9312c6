package outlet

import (
	"sync/atomic"

	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// IdleTimeout is how long an unused pair stays on its ingress switch, in seconds. IdleStep is how
// much longer it stays on each further switch of its path: as long as a packet finds a rule it
// finds the next one too, whatever the switches' clocks and scans, so that a pair runs out from its
// ingress on and never in the middle. IdleMax bounds it.
const (
	IdleTimeout = 60
	IdleStep    = 5
	IdleMax     = 600
)

// idleAt returns the idle timeout of the rule at a hop.
func idleAt(hop int) uint16 { return uint16(min(IdleTimeout+IdleStep*hop, IdleMax)) }

// Counts are what writers have sent, and could not send. They may be read at any time.
type Counts struct {
	Released atomic.Uint64 // packets sent on
	Unsent   atomic.Uint64 // messages dropped: the switch's queue was full, or its connection gone
}

// Writer makes messages to switches, in memory of its own, and appends them to their queues. The method of a
// message reports whether the queue took it.
type Writer struct {
	count *Counts
	fm    openflow.FlowMod
	po    openflow.PacketOut
	act   [1]openflow.Action
	ins   [1]openflow.Instruction
	match []byte
}

// NewWriter returns a writer that counts.
func NewWriter(count *Counts) Writer { return Writer{count: count} }

// rule fills w.fm with the rule of a pair at its ingress.
func (w *Writer) rule(out *Conn, pr pairs.Pair, cookie uint64, port uint32) {
	w.match = pr.AppendMatch(w.match[:0])
	w.act[0] = openflow.Output(port)
	w.ins[0] = openflow.Instruction{Type: openflow.InstructionApplyActions, Actions: w.act[:]}
	w.fm = openflow.FlowMod{
		Cookie: cookie, Table: out.Table, Command: openflow.FlowAdd, IdleTimeout: IdleTimeout,
		Priority: plan.PriorityPair, Buffer: openflow.NoBuffer,
		OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Match: openflow.Match{OXM: w.match}, Instructions: w.ins[:],
	}
}

// Rule writes the rule of a pair at one hop of its path, 0 being its ingress. The switch releases a packet that
// it has buffered (openflow.NoBuffer: none) by it.
func (w *Writer) Rule(out *Conn, pr pairs.Pair, cookie uint64, port uint32, hop int, buffer uint32) bool {
	w.rule(out, pr, cookie, port)
	w.fm.Buffer = buffer
	if hop == 0 {
		w.fm.Flags = openflow.FlagSendFlowRemoved
	} else {
		w.fm.IdleTimeout = idleAt(hop)
	}
	return w.sent(out.FlowMod(&w.fm))
}

// Delete deletes a pair's rule: that with this cookie, if the version can restrict deletions, which sends to
// this port.
func (w *Writer) Delete(out *Conn, pr pairs.Pair, cookie uint64, port uint32) bool {
	w.rule(out, pr, cookie, port)
	w.fm.Command, w.fm.OutPort, w.fm.Instructions = openflow.FlowDeleteStrict, port, nil
	if out.cookies {
		w.fm.CookieMask = plan.ExactMask
	}
	return w.sent(out.FlowMod(&w.fm))
}

// Release sends a packet on: the buffered one, or else the frame. One without either, as a truncated one is,
// is not sent.
func (w *Writer) Release(out *Conn, buffer, inPort, port uint32, frame []byte) {
	w.po = openflow.PacketOut{Buffer: buffer, InPort: inPort, Actions: w.act[:]}
	w.act[0] = openflow.Output(port)
	if port == inPort {
		w.act[0].Port = openflow.PortInPort // OpenFlow sends nothing back out of its ingress port but so
	}
	if buffer == openflow.NoBuffer {
		if len(frame) == 0 {
			return
		}
		w.po.Data = frame
	}
	if w.sent(out.PacketOut(&w.po)) {
		w.count.Released.Add(1)
	}
}

// ReleasedByRule counts a packet that its switch has buffered and releases by its new rule.
func (w *Writer) ReleasedByRule() { w.count.Released.Add(1) }

// sent counts a message that could not be queued.
func (w *Writer) sent(err error) bool {
	if err != nil {
		w.count.Unsent.Add(1)
		return false
	}
	return true
}

// Frame returns the bytes of a packet that came in and is to be released; nil if its switch has it, or sent only
// its beginning.
func Frame(pin *openflow.PacketIn) []byte {
	if pin.Buffer == openflow.NoBuffer && len(pin.Data) < int(pin.TotalLen) {
		return nil
	}
	return pin.Data
}

// Whole returns the bytes of a packet that came in; nil if its switch sent only their beginning.
func Whole(pin *openflow.PacketIn) []byte {
	if len(pin.Data) < int(pin.TotalLen) {
		return nil
	}
	return pin.Data
}
