package discovery

import (
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/timerq"
)

// duty is the kind of a timer.
type duty uint8

const (
	dutyProbe   duty = iota // the next probe of a port's fast start
	dutyRound               // the periodic probes of a segment of a switch's ports
	dutyEdge                // classify a port
	dutySettled             // settle a switch
	dutyPurge               // forget a link that is down
	dutyUnblock             // unblock a port
	dutyAsk                 // send the next query to a host, or conclude that it is silent
	dutyPort                // conclude the queries to a port's hosts
	dutyRecheck             // end the hold of a rejected claim
	dutyPassing             // forget a short-lived switch
	dutySweep               // check some of the hosts
)

// appointment is a timer. Its subject may have changed since it was set: the handler checks.
type appointment struct {
	at    time.Time
	duty  duty
	point netview.Point // dutyRound: Port is the segment
	link  netview.LinkKey
	claim *sighting // dutyRecheck
	host  netview.HostID
	stamp time.Time // identifies the state that it was set for
}

// agenda is the queue of timers.
type agenda struct{ timerq.Times[appointment] }

func (a *agenda) add(x appointment) { a.Add(x.at, x) }
