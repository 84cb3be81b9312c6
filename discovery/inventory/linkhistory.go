package inventory

import (
	"github.com/weirnet/weir/netview"
)

// LinkHistory is why a silent port may be a link's all the same. Silence alone is no evidence: the
// switch at the other end may forward while disconnected, and probes may be lost.
type LinkHistory uint8

const (
	HistoryNone        LinkHistory = iota // no link was ever here, or it is known to be gone
	HistoryRestored                       // the restored view, or rules on the switch, had a link; the other end is unknown
	HistoryCarrier                        // a link was heard, and the carrier has been up ever since
	HistoryUnobserved                     // a link was heard, and the session was lost since: the carrier was not observed
	HistoryCarrierLost                    // a link was heard, and the carrier was lost since: the cable may lead elsewhere
)

// PastLink is the last link of a port.
type PastLink struct {
	History LinkHistory
	Peer    netview.Point // its other end; zero for HistoryNone and HistoryRestored
}

// NoteLink notes that a link between two ports was heard.
func NoteLink(p, q *Port) {
	p.PastLink, q.PastLink = PastLink{HistoryCarrier, q.At}, PastLink{HistoryCarrier, p.At}
}

// NoteCarrierLost and NoteSessionLost note what happened to a port since its link was heard.
func (p *PastLink) NoteCarrierLost() {
	if p.History == HistoryCarrier || p.History == HistoryUnobserved {
		p.History = HistoryCarrierLost
	}
}

// NoteSessionLost is for a lost session.
func (p *PastLink) NoteSessionLost() {
	if p.History == HistoryCarrier {
		p.History = HistoryUnobserved
	}
}

// AwaitsFormerLink reports whether a port is still unknown that led to another switch before the
// restart.
func (d *Device) AwaitsFormerLink() bool {
	for _, p := range d.Ports {
		if p.Up && p.Role == netview.PortUnknown && p.History == HistoryRestored {
			return true
		}
	}
	return false
}
