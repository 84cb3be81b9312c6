package discovery

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/discovery/probes"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// Frames that are tagged on the way are longer than what hosts send, and a link may carry the one and not the
// other: its ports have too small an MTU, or something between them has. Nobody says so. So a link is tested
// with long probes (Settings.LinkFrame): in each round until it is known whether they pass, then in one round a
// minute. One that is heard shows that they do. Three in a row that are not show that they do not, if after
// each of them a short one was heard; where nothing is heard, or what was heard has been dropped, it is
// no evidence. Over a link that carries them a long probe is sent in place of the short one, so that a
// network at rest has no more messages than without them.
//
// A long probe has no tag of its own. Linux and Open vSwitch allow a frame 4 bytes more if it has one: where the
// length is right for what is tagged twice, which then needs 4 bytes less of MTU, an MPLS label needs all of it.

const longPeriod = time.Minute // between two long probes over a link that is narrow or full

// widths finds out which links carry long probes. In: rounds, probes heard, settings. Out: which rounds have
// long probes, the widths in the links' rows, alarms.
type widths struct {
	*inventory.Table
	pace  *probes.Pace
	table *linkTable
}

// due returns the long probe of a port's round. Ports of segments, which no path uses, have none.
func (w *widths) due(p *inventory.Port) probes.Long {
	if w.Settings.LinkFrame == 0 || len(p.Out) != 1 {
		return probes.Long{}
	}
	e := p.Out[0]
	if !e.BothConnected() || e.LongDue > w.SinceStart() {
		return probes.Long{}
	}
	return probes.Long{
		Length: uint16(w.Settings.LinkFrame),
		Alone:  e.Width == netview.WidthFull && e.Missed == 0 && e.LongMissed == 0,
	}
}

// heard handles a probe of some length (probes.Probe) that came in over a link.
func (w *widths) heard(e *inventory.Link, length uint16) {
	if w.Settings.LinkFrame == 0 || int(length) < w.Settings.LinkFrame {
		return
	}
	e.LongMissed, e.LongDue = 0, w.next(e)
	w.table.setWidth(e, netview.WidthFull)
}

// judge finds out, before a port's round, what the silence of long probes over the links from there means.
func (w *widths) judge(p *inventory.Port) {
	for _, e := range p.Out {
		shortHeard := !e.LastHeard.Before(e.LongSent)
		switch {
		case e.LongMissed == 0:
		case !e.BothConnected() || w.pace.DroppedLately() || !shortHeard && !e.LongAlone:
			e.LongMissed = 0
		case e.Width == netview.WidthNarrow || e.LongMissed >= inventory.MissedProbes:
			e.LongMissed, e.LongDue = 0, w.next(e)
			w.table.setWidth(e, netview.WidthNarrow)
		}
	}
}

// next returns when the next long probe is due over a link whose width is known. The links are spread over
// the period.
func (w *widths) next(e *inventory.Link) time.Duration {
	hash := (uint64(e.Src.At.DPID)<<8 + uint64(e.Src.At.Port)) * 0x9e3779b97f4a7c15
	phase := time.Duration(hash>>40) * longPeriod >> 24
	at := w.SinceStart().Truncate(longPeriod) + phase
	if at <= w.SinceStart() {
		at += longPeriod
	}
	return at
}

// reset begins anew with all links: the length has changed.
func (w *widths) reset() {
	for _, d := range w.Sorted() {
		for _, p := range d.Ports {
			for _, e := range p.Out {
				w.table.setWidth(e, netview.WidthUnknown)
				e.WidthTest = inventory.WidthTest{}
			}
		}
	}
}

// setWidth notes the width of a link, in its row too, and raises or clears the alarm about a narrow one.
func (t *linkTable) setWidth(e *inventory.Link, width netview.LinkWidth) {
	was := e.Width
	if e.Width = width; was == width {
		return
	}
	if row, ok := t.Tx.Link(e.Key()); ok && row.Width != width {
		next := *row
		next.Width = width
		t.Tx.PutLink(&next)
	}
	if was == netview.WidthNarrow {
		t.removeNarrow(e)
	}
	if width == netview.WidthNarrow {
		t.addNarrow(e)
	}
}

// maxNarrowNamed is how many narrow links have an alarm each. In a network whose ports have the usual MTU all links are
// narrow: one alarm more counts the others.
const maxNarrowNamed = 32

// narrowLinks counts the narrow links.
type narrowLinks struct {
	named  int // by an alarm each
	others int
}

// addNarrow raises an alarm about a link.
func (t *linkTable) addNarrow(e *inventory.Link) {
	if t.named < maxNarrowNamed {
		t.named++
		e.Named = true
		t.raiseNarrow(e.Key().String(), "")
		return
	}
	t.others++
	t.raiseOthers()
}

// removeNarrow ends it.
func (t *linkTable) removeNarrow(e *inventory.Link) {
	switch {
	case e.Named:
		t.named--
		e.Named = false
		t.Alarms.Clear(netview.AlarmNarrowLink, e.Key().String())
	case t.others == 1:
		t.others = 0
		t.Alarms.Clear(netview.AlarmNarrowLink, "")
	default:
		t.others--
		t.raiseOthers()
	}
}

func (t *linkTable) raiseOthers() {
	t.raiseNarrow("", fmt.Sprintf("%d further links, which weir get links -o wide lists: ", t.others))
}

func (t *linkTable) raiseNarrow(object, which string) {
	frame := t.Settings.LinkFrame
	t.Alarms.Raise(netview.AlarmNarrowLink, object,
		"%sframes of %d bytes do not pass, shorter ones do: raise the MTU of both ports, and of what is between them, to %d",
		which, frame, frame-packet.EthernetLen)
}
