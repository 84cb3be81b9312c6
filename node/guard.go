package node

import (
	"encoding/binary"

	"github.com/weirnet/weir/flowsync"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/session"
)

// guardOutput is app/guard's output to the switches.
type guardOutput struct{ server *session.Server }

// Send queues messages for a switch.
func (w guardOutput) Send(dpid netview.DPID, messages ...openflow.Message) (uint32, error) {
	s := w.server.Session(uint64(dpid))
	if s == nil {
		return 0, session.ErrNotConnected
	}
	return s.Send(messages...)
}

// Meters asks a switch for the counters of its meters. One that has none answers with an error:
// nobody is told.
func (w guardOutput) Meters(dpid netview.DPID, answer func([]openflow.MeterStats)) {
	s := w.server.Session(uint64(dpid))
	if s == nil {
		return
	}
	_ = s.Multipart(&openflow.MeterRequest{Meter: openflow.MeterAll}, func(body openflow.ReplyBody, err error) {
		if list, ok := body.(*openflow.MeterStatsList); ok && err == nil {
			answer(list.Meters)
		}
	})
}

// admits asks the guard, if there is one, whether a packet-in is to be handled.
func (d *device) admits(pin *openflow.PacketIn) bool {
	if d.gate == nil {
		return true
	}
	probe := len(pin.Data) >= packet.EthernetLen && binary.BigEndian.Uint16(pin.Data[12:]) == packet.TypeLLDP
	return d.gate.Admit(pin.InPort, probe)
}

// guarding is app/guard's part of a switch's life; all of it does nothing where the application is
// disabled.

func (n *switches) guardUp(d *device, f *session.Features) {
	if n.guard != nil {
		d.gate = n.guard.Attach(d.dpid, f.Version, f.Tables)
	}
}

func (n *switches) guardDown(d *device) {
	if d.gate != nil {
		n.guard.Detach(d.gate)
	}
}

func (n *switches) guardMessage(d *device, h openflow.Header, m openflow.Message) {
	if d.gate == nil {
		return
	}
	switch m := m.(type) {
	case *openflow.FlowRemoved:
		n.guard.Removed(d.dpid, m)
	case *openflow.ErrorMsg:
		n.guard.Refused(d.gate, h.XID, m)
	}
}

// isProtection leaves out the rows of app/guard, of this run and earlier ones: they run out within
// seconds.
func isProtection(e flowsync.SoftEntry) bool {
	return plan.Decode(e.Cookie).Kind == plan.KindProtection
}
