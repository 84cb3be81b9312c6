package discovery

import (
	"errors"
	"maps"
	"slices"

	"github.com/weirnet/weir/netview"
)

// Why something is not forgotten.
var (
	// ErrConnected is the error of a switch that is connected: it would be learned again at once.
	ErrConnected = errors.New("discovery: the switch is connected")
	// ErrUnknown is the error of what is not known.
	ErrUnknown = errors.New("discovery: it is not known")
	// ErrEnded is the error after Run has ended.
	ErrEnded = errors.New("discovery: it has ended")
)

// forgetting is an operator's word that a switch or a host is gone for good, on its way through the inbox.
type forgetting struct {
	dpid     netview.DPID
	host     *netview.HostID // nil: the switch
	err      error
	answered chan struct{}
}

// ForgetSwitch forgets a switch that is not connected, with its links and hosts. Ports of others that led to it are links' no
// more as soon as a host speaks for itself there: a cable that still has carrier may end at a switch that forwards.
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
				q.carrierLost()
			}
		}
	}
	c.remove(d)
	for _, id := range slices.SortedFunc(maps.Keys(c.unasked), netview.HostID.Compare) {
		if c.unasked[id].DPID == dpid {
			c.endUnasked(id)
		}
	}
	c.Counts.Forgotten.Add(1)
	return nil
}

// ForgetHost forgets a host. When it speaks it is learned anew, wherever it is by then.
func (c *Core) ForgetHost(id netview.HostID) error {
	h, ok := c.tx.Host(id)
	if !ok {
		return ErrUnknown
	}
	c.deleteHost(h)
	c.Counts.Forgotten.Add(1)
	return nil
}

func (c *Core) obey(f *forgetting) {
	if f.host != nil {
		f.err = c.ForgetHost(*f.host)
	} else {
		f.err = c.ForgetSwitch(f.dpid)
	}
}
