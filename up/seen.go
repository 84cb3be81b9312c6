package up

import "github.com/weirnet/weir/netview"

// seen is where what the controller knows of the network is seen.
type seen interface {
	// settled reports whether hosts may begin to talk: links have been looked for.
	settled() bool
	knows() known
}

// known is what the controller knows of the network.
type known struct {
	switches   int // connected to it
	directions int // of links, in whatever state
	links      int // confirmed both ways; those remembered from an earlier network are not
	hosts      int
	tenants    int
	alarms     int // active
}

// ownView is the view of the instance in this process.
type ownView struct {
	view    *netview.View
	tenants func() int
}

func (v ownView) settled() bool { return v.view.Snapshot().Settled() }

func (v ownView) knows() known {
	s := v.view.Snapshot()
	k := known{directions: s.Counts().Links, hosts: s.Counts().Hosts, tenants: v.tenants()}
	for there, back := range s.LinkPairs() {
		if confirmed(there) && confirmed(back) {
			k.links++
		}
	}
	for sw := range s.Switches() {
		if sw.Connected {
			k.switches++
		}
	}
	for a := range s.Alarms() {
		if a.Active {
			k.alarms++
		}
	}
	return k
}

func confirmed(l *netview.Link) bool { return l != nil && l.Up && l.State == netview.LinkConfirmed }
