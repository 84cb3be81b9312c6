package discovery

import (
	"errors"

	"github.com/weirnet/weir/netview"
)

// Errors of ForgetSwitch and ForgetHost.
var (
	// ErrConnected: the switch is connected, and would be learned again at once.
	ErrConnected = errors.New("discovery: the switch is connected")
	// ErrUnknown: the switch or host is unknown.
	ErrUnknown = errors.New("discovery: it is not known")
	// ErrEnded: Run has ended.
	ErrEnded = errors.New("discovery: it has ended")
)

// forgetRequest is an operator's request to forget a switch or a host, queued in the inbox.
type forgetRequest struct {
	dpid netview.DPID
	host *netview.HostID // nil: the switch
	err  error
	done chan struct{}
}

// ForgetSwitch deletes a switch that is not connected, with its links and hosts. Ports of others
// that led to it become edges as soon as a host is heard there: a cable that still has carrier may
// end at a switch that forwards.
func (c *Core) ForgetSwitch(dpid netview.DPID) error {
	d := c.devices[dpid]
	switch {
	case d == nil:
		return ErrUnknown
	case d.connected:
		return ErrConnected
	}
	for _, other := range c.devices {
		for _, q := range other.ports {
			if q.peer.DPID == dpid {
				q.noteCarrierLost()
			}
		}
	}
	c.remove(d)
	for _, id := range c.unverified.ids() {
		if c.unverified.from[id].DPID == dpid {
			c.endUnverified(id)
		}
	}
	c.Counts.Forgotten.Add(1)
	return nil
}

// ForgetHost deletes a host. It is learned again with its next packet.
func (c *Core) ForgetHost(id netview.HostID) error {
	h, ok := c.tx.Host(id)
	if !ok {
		return ErrUnknown
	}
	c.deleteHost(h)
	c.Counts.Forgotten.Add(1)
	return nil
}

func (c *Core) handleForget(f *forgetRequest) {
	if f.host != nil {
		f.err = c.ForgetHost(*f.host)
	} else {
		f.err = c.ForgetSwitch(f.dpid)
	}
}
