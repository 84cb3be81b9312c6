package southbound

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// PacketOut sends a frame out of a port, for discovery; false if the session did not take it.
func (g *Registry) PacketOut(dpid netview.DPID, port uint32, frame []byte) bool {
	s := g.Server.Session(uint64(dpid))
	if s == nil {
		return false
	}
	_, err := s.Send(&openflow.PacketOut{
		Buffer: openflow.NoBuffer, InPort: openflow.PortController,
		Actions: []openflow.Action{openflow.Output(port)}, Data: frame,
	})
	return err == nil
}

// Barrier asks a switch, for discovery, to say when it has come to all that it was sent.
func (g *Registry) Barrier(dpid netview.DPID, passed func()) {
	s := g.Server.Session(uint64(dpid))
	if s == nil {
		return
	}
	_ = s.Barrier(func(err error) { // of a session whose queue is full, or that ends, nothing is found out
		if err == nil {
			passed()
		}
	})
}

// Send queues messages for a switch, and returns the transaction id of the first.
func (g *Registry) Send(dpid netview.DPID, messages ...openflow.Message) (uint32, error) {
	s := g.Server.Session(uint64(dpid))
	if s == nil {
		return 0, session.ErrNotConnected
	}
	return s.Send(messages...)
}

// Meters asks a switch for the counters of its meters. One that has none answers with an error:
// nobody is told.
func (g *Registry) Meters(dpid netview.DPID, answer func([]openflow.MeterStats)) {
	s := g.Server.Session(uint64(dpid))
	if s == nil {
		return
	}
	_ = s.Multipart(&openflow.MeterRequest{Meter: openflow.MeterAll}, func(body openflow.ReplyBody, err error) {
		if list, ok := body.(*openflow.MeterStatsList); ok && err == nil {
			answer(list.Meters)
		}
	})
}
