package proxyarp

import (
	"sync"
	"time"

	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// Switch is the ordered output to one switch. PacketOut appends to a queue and does not block; what
// it is given is encoded before it returns.
type Switch interface {
	PacketOut(*openflow.PacketOut) error
}

// Proxy is the loop around a Core. Run's goroutine is the core's owner; sessions' readers answer
// from it and put what they hear into the queue. It ends with Run's context.
type Proxy struct {
	loop.Part

	core *Core
	view *netview.View

	mu        sync.Mutex
	claims    []claim
	datagrams []datagram

	took struct { // Run's, out of the queue
		claims    []claim
		datagrams []datagram
	}
}

// New returns an application that answers from a view. It learns nothing before Run.
func New(cfg Config, view *netview.View) *Proxy {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	p := &Proxy{core: NewCore(cfg, cfg.Now()), view: view}
	p.Part = loop.Part{Name: "proxyarp", Bell: loop.NewBell(), Beats: beats,
		Turn: func() time.Time { p.learn(); return p.core.cfg.Now().Add(Every) }}
	return p
}

// Counts are what happened since the start.
func (p *Proxy) Counts() *Counts { return &p.core.Counts }

// Port is what one session's reader needs at hand: memory for its answers.
type Port struct {
	frame   []byte
	out     openflow.PacketOut
	actions [1]openflow.Action
}

// Frame handles a packet that came in at a port, after discovery has seen it; end is the offset
// after the headers in its key. It is called on the session's reader, and r belongs to that
// session.
func (p *Proxy) Frame(r *Port, out Switch, dpid netview.DPID, pin *openflow.PacketIn, k *packet.Key, end int) {
	const mine = packet.LayerARP | packet.LayerND | packet.LayerUDP
	if k.Layers&mine == 0 || k.Layers&packet.LayerUDP != 0 && !portOfDHCP(k.SrcPort) {
		return
	}
	at := netview.Point{DPID: dpid, Port: pin.InPort}
	if k.Layers&packet.LayerUDP != 0 {
		if d, ok := datagramOf(k, pin.Data, end, at); ok {
			p.put(nil, &d)
		}
		return
	}
	if c, ok := p.core.NewClaim(k, at); ok {
		p.put(&c, nil)
	}
	frame, ok := p.core.Answer(r.frame[:0], k, at, p.view.Snapshot())
	if r.frame = frame; !ok {
		return
	}
	r.actions[0] = openflow.Output(pin.InPort)
	r.out = openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortController, Actions: r.actions[:], Data: frame}
	if out.PacketOut(&r.out) != nil {
		p.core.Counts.Unsent.Add(1)
	}
}

// put queues what was heard.
func (p *Proxy) put(c *claim, d *datagram) {
	p.mu.Lock()
	switch {
	case len(p.claims)+len(p.datagrams) >= p.core.cfg.Limits.Queue:
		p.core.Counts.Dropped.Add(1)
	case c != nil:
		p.claims = append(p.claims, *c)
	default:
		d.keep()
		p.datagrams = append(p.datagrams, *d)
	}
	p.mu.Unlock()
	p.Bell.Ring()
}

// Every is how often what is kept is looked through, at least.
const (
	Every = beats * beat.Every
	beats = 2
)

// learn takes what was heard.
func (p *Proxy) learn() {
	t := &p.took
	p.mu.Lock()
	t.claims, p.claims = p.claims, t.claims[:0]
	t.datagrams, p.datagrams = p.datagrams, t.datagrams[:0]
	p.mu.Unlock()
	snap := p.view.Snapshot()
	for i := range t.claims {
		p.core.Learn(t.claims[i], snap)
	}
	for i := range t.datagrams {
		p.core.Lease(&t.datagrams[i], snap)
	}
	clear(t.datagrams)
	p.core.Tick(snap, p.core.cfg.Now())
}
