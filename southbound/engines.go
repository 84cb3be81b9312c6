package southbound

import (
	"errors"

	"github.com/weirnet/weir/discovery"
	"github.com/weirnet/weir/flowsync"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// The owners of what the engines write.
const (
	ownerFlowsync  = "flowsync"
	ownerDiscovery = "discovery"
)

// address names the session as flowsync does.
func (sw *Switch) address() flowsync.Address { return flowsync.Address{DPID: sw.DPID, Epoch: sw.Epoch} }

// syncErrors gives flowsync the errors about what it wrote, which are numbered by batch.
type syncErrors struct {
	at flowsync.Address
	to *flowsync.Loop
}

// Refused implements ErrorHandler.
func (e *syncErrors) Refused(r *Refusal) { e.to.Refused(e.at, r.Number, r.Index, r.Error) }

// rules is flowsync's way to a switch in one session.
type rules struct{ *Output }

// Multipart implements flowsync.Conn.
func (r rules) Multipart(body openflow.RequestBody, answer func(openflow.ReplyBody, error)) error {
	return r.Output.Multipart(body, func(reply openflow.ReplyBody, err error) {
		if err != nil && !errors.Is(err, session.ErrClosed) {
			err = flowsync.ErrNoAnswer
		}
		answer(reply, err)
	})
}

var _ flowsync.Conn = rules{}

// probes are discovery's way to a switch in one session.
type probes struct{ out *Output }

// PacketOut implements discovery.Output.
func (p probes) PacketOut(port uint32, frame []byte) bool {
	return p.out.Send(0, 0, &openflow.PacketOut{
		Buffer: openflow.NoBuffer, InPort: openflow.PortController,
		Actions: []openflow.Action{openflow.Output(port)}, Data: frame,
	}) == nil
}

// Barrier implements discovery.Output.
func (p probes) Barrier(passed func()) {
	_ = p.out.Barrier(func(err error) { // of a session whose queue is full, or that ends, nothing is found out
		if err == nil {
			passed()
		}
	})
}

var _ discovery.Output = probes{}
