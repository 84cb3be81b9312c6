package inventory

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

// Link is what the core keeps of a link that is up, besides its row.
type Link struct {
	Src, Dst   *Port
	Transits   *TransitTimes     // nil before the first measurement
	Missed     int               // periodic probes sent since it was last heard
	HeardCount int               // since both ends are connected, up to 2
	Created    time.Time         // when it was first heard
	LastHeard  time.Time         // time
	Near       bool              // near probes pass; true until minFarStreak is reached
	FarStreak  int               // far probes heard since the last near one, up to minFarStreak
	Alarm      netview.AlarmKind // the alarm raised for it
	Unproven   bool              // it appeared without a change of carrier (unproven.go)
	WidthTest
	bytesAtLastMiss [2]uint64 // bytes received from source and destination when Missed reached MissedProbes
}

// Key returns the key of its row.
func (e *Link) Key() netview.LinkKey { return netview.LinkKey{Src: e.Src.At, Dst: e.Dst.At} }

// BothConnected reports whether the sessions of both ends are up: only then is silence evidence.
func (e *Link) BothConnected() bool { return e.Src.Device.Connected && e.Dst.Device.Connected }

// LinkEnds are the links of a port.
type LinkEnds struct{ Out, In []*Link }

// Links returns the links from and to a port.
func (e *LinkEnds) Links() []*Link { return slices.Concat(e.Out, e.In) }

// Shared reports whether one of a link's ends hears, or is heard by, a third port of ours.
func (e *Link) Shared() bool {
	for _, p := range [...]*Port{e.Src, e.Dst} {
		for _, list := range [...][]*Link{p.In, p.Out} {
			for _, o := range list {
				if o.Near && o.HeardCount == 0 { // it may have been replaced
					continue
				}
				if o.Src != e.Src && o.Src != e.Dst || o.Dst != e.Src && o.Dst != e.Dst {
					return true
				}
			}
		}
	}
	return false
}

// State returns the state of a link in the view.
func (e *Link) State() netview.LinkState {
	switch {
	case e.Shared():
		return netview.LinkShared
	case !e.Near, e.Unproven:
		return netview.LinkIndirect
	case e.BothConnected() && e.HeardCount > 0:
		return netview.LinkConfirmed
	}
	return netview.LinkUnconfirmed
}

// LinkTo returns the link from p to q, or nil.
func (p *Port) LinkTo(q *Port) *Link {
	if i := slices.IndexFunc(p.Out, func(e *Link) bool { return e.Dst == q }); i >= 0 {
		return p.Out[i]
	}
	return nil
}

// OtherEnd returns the other end of a port's link.
func (p *Port) OtherEnd(e *Link) *Port { return p.Other(e.Src, e.Dst) }

// LinksConfirmed reports whether a port has links both ways, each heard twice.
func (p *Port) LinksConfirmed() bool {
	if len(p.In) == 0 || len(p.Out) == 0 {
		return false
	}
	for _, e := range p.Links() {
		if e.HeardCount < 2 {
			return false
		}
	}
	return true
}

// transitWindow is how many probes count for the latency of a link.
const transitWindow = 20

// TransitTimes are how long the last probes over a link took, from session to session.
type TransitTimes struct {
	src, dst time.Time // start of the ends' sessions: others may have another round trip
	list     [transitWindow]time.Duration
	n        int // so far
}

// Add adds a sample, of a link between switches whose sessions began then.
func (t *TransitTimes) Add(d time.Duration, src, dst time.Time) {
	if !t.src.Equal(src) || !t.dst.Equal(dst) {
		*t = TransitTimes{src: src, dst: dst}
	}
	t.list[t.n%transitWindow] = d
	t.n++
}

// Least returns the minimum; false while there are too few samples.
func (t *TransitTimes) Least() (time.Duration, bool) {
	return slices.Min(t.list[:]), t.n >= transitWindow
}
