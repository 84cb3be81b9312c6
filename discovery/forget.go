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

// forget deletes a switch that is not connected, with its links and hosts. Ports of others
// that led to it become edges as soon as a host is heard there: a cable that still has carrier may
// end at a switch that forwards.
func (s *switches) forget(dpid netview.DPID) error {
	d := s.Devices[dpid]
	switch {
	case d == nil:
		return ErrUnknown
	case d.Connected:
		return ErrConnected
	}
	for _, other := range s.Devices {
		for _, q := range other.Ports {
			if q.Peer.DPID == dpid {
				q.NoteCarrierLost()
			}
		}
	}
	s.remove(d)
	s.hosts.Forgotten(dpid)
	s.Counts.Forgotten.Add(1)
	return nil
}

func (c *Core) handleForget(f *forgetRequest) {
	switch {
	case f.host == nil:
		f.err = c.switches.forget(f.dpid)
	case !c.hosts.Forget(*f.host):
		f.err = ErrUnknown
	}
}
