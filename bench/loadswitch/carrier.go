package loadswitch

import (
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// Carrier takes a link's carrier away, or gives it back: both its ports tell the controller, the
// one at end A first. It returns the age of the network when that one was about to.
func (n *Network) Carrier(link int, up bool) (time.Duration, error) {
	l := &n.topology.Links[link]
	a, b := n.Switches[l.A.Switch], n.Switches[l.B.Switch]
	a.ports.at(l.A.Port).cut.Store(!up)
	b.ports.at(l.B.Port).cut.Store(!up)
	at := n.age()
	if err := a.sendPortStatus(l.A.Port); err != nil {
		return at, err
	}
	return at, b.sendPortStatus(l.B.Port)
}

// sendPortStatus tells the controller how a port is.
func (sw *Switch) sendPortStatus(number uint32) error {
	s := sw.conn.Load()
	if s == nil {
		return session.ErrNotConnected
	}
	_, err := s.Send(&openflow.PortStatus{Reason: openflow.PortModified, Port: sw.ports.describe(number)})
	return err
}

// Forget has sessions that were lost count as never made, so that Connect can be called again: the
// controller is another now. What switches hold stays.
func (n *Network) Forget() {
	n.closed.Store(0)
	n.ended.Store(nil)
	for _, sw := range n.Switches {
		sw.description.forget()
	}
}
