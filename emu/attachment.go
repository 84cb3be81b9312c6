package emu

import (
	"errors"
	"fmt"
	"sync"

	"github.com/weirnet/weir/emu/topo"
)

// External is the far side of an attachment. Neither method may block, or call the Attachment but
// for Lost: they hold up the network.
type External interface {
	// Deliver is given a frame that has left the network; it is valid during the call. An engine
	// calls it.
	Deliver(frame []byte)
	// Carrier is called when the port gets or loses its carrier: the link was cut, the
	// switch has no power, or the port was broken or switched off. What Plug said makes no
	// difference.
	Carrier(up bool)
}

// Attachment is a port of a switch whose link leads out of the network: to a device of the machine,
// or to whatever else takes frames and gives them. Its methods may be called from any goroutine.
type Attachment struct {
	Index int // in Network.Attachments
	Name  string

	net      *Network
	link     *Link
	out      *simplex // of link, to the port
	external External

	mu    sync.Mutex // guards the way that begins here, and batch
	batch []transit

	plugged, open bool // as Plug and Outside.Carrier have it; under the link's lock
}

// ErrStarted refuses what can be done only before a network starts.
var ErrStarted = errors.New("network started already")

// Attach adds a port, whose link leads to the outside and carries frames as spec says, either way.
// Number 0 stands for the lowest free one. It is called before Start, and not at the same time as
// anything else of the network. The error is ErrStarted, or says that there can be no such port.
func (sw *Switch) Attach(number uint32, name string, spec topo.LinkSpec, outside External) (*Attachment, error) {
	n := sw.net
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.started || n.closed {
		return nil, ErrStarted
	}
	number, err := sw.FreePort(number)
	if err == nil {
		err = spec.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("attaching %s: %w", name, err)
	}
	a := &Attachment{Index: len(n.attachments), Name: name, net: n, external: outside, plugged: true}
	l := &Link{ID: n.unusedID(name + "-" + sw.name), Index: -1, net: n, outer: a}
	p := sw.addPort(number, l)
	l.ends = [2]*port{nil, p}
	seed := len(n.links) + len(n.hosts) + a.Index
	a.link, a.out = l, l.newSimplex(Forward, &a.mu, spec, p, sw.engine, seed)
	p.out = l.newSimplex(Back, &sw.mu, spec, a, sw.engine, seed)
	sw.ports.sort()
	n.attachments = append(n.attachments, a)
	sw.mu.Lock()
	if sw.data.table != nil {
		now := sw.data.clock(n.now())
		sw.data.table.AddPort(p.describe(spec), now, &output{sw: sw, now: now})
	}
	sw.mu.Unlock()
	outside.Carrier(false)
	l.refresh()
	return a, nil
}

// FreePort is the port that Attach would add: that of the number, or the lowest free one for 0. The
// error says that there can be none.
func (sw *Switch) FreePort(number uint32) (uint32, error) {
	if len(sw.ports) >= topo.MaxPorts {
		return 0, fmt.Errorf("%s has %d ports, want less than %d", sw.name, len(sw.ports), topo.MaxPorts)
	}
	lowest := uint32(1)
	for sw.ports.find(lowest) != nil {
		lowest++
	}
	switch p := sw.ports.find(number); {
	case number == 0:
		return lowest, nil
	case p != nil:
		return 0, fmt.Errorf("port %d of %s given, which is that of link %s: want a free one, such as %d", number,
			sw.name, p.link.ID, lowest)
	case number > topo.MaxPort:
		return 0, fmt.Errorf("port %d of %s given, want from 1 to %d", number, sw.name, topo.MaxPort)
	}
	return number, nil
}

// unusedID is a link's id that no other link has.
func (n *Network) unusedID(id string) string {
	used := map[string]bool{}
	for _, l := range n.links {
		used[l.ID] = true
	}
	for _, h := range n.hosts {
		used[h.link.ID] = true
	}
	for _, a := range n.attachments {
		used[a.link.ID] = true
	}
	for i, unused := 2, id; ; i++ {
		if !used[unused] {
			return unused
		}
		unused = fmt.Sprintf("%s.%d", id, i)
	}
}

// Attachments are in the order in which they came. The list must not be changed.
func (n *Network) Attachments() []*Attachment { return n.attachments }

// Link is the attachment's, from the outside to its switch.
func (a *Attachment) Link() *Link { return a.link }

// Send gives frames to the link, in order; they are copied. What is not carried is counted at the
// link.
func (a *Attachment) Send(frames [][]byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.net.now()
	if a.out.absorbs { // what a switch promises counts from when the frames were at the device
		now -= a.net.wakeLatency.typical()
	}
	for _, frame := range frames {
		if t, ok := a.out.begin(frame, now); ok {
			t.frame = newCopy(frame)
			a.batch = append(a.batch, t)
		}
	}
	if len(a.batch) > 0 {
		a.out.engine.post(a.batch)
		clear(a.batch)
		a.batch = a.batch[:0]
	}
}

// Lost counts frames that the outside was given and could not take. It does not block.
func (a *Attachment) Lost(frames int) {
	d := &a.link.directions[Back]
	d.lost[LostAtDevice].Add(uint64(frames))
	d.engine.counts.drops[LostAtDevice].Add(uint64(frames))
}

// Plug reports whether the outside is there (at first it is): else the link has no carrier, and
// frames are lost.
func (a *Attachment) Plug(in bool) {
	a.link.mu.Lock()
	a.plugged = in
	a.link.mu.Unlock()
	a.link.refresh()
}

// receive takes a frame from the link.
func (a *Attachment) receive(e *engine, frame []byte) {
	e.counts.delivered.Add(1)
	a.external.Deliver(frame)
}

// updateCarrier tells the External whether the way to the port is open, if that is news, and
// reports whether the link carries frames. The link's lock is held.
func (a *Attachment) updateCarrier(open bool) bool {
	if open != a.open {
		a.open = open
		a.external.Carrier(open)
	}
	return open && a.plugged
}
