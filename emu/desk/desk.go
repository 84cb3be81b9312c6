package desk

import (
	"fmt"
	"sync"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/topo"
)

// Config is what a desk needs.
type Config struct {
	Network *emu.Network
	// CaptureDir is the folder of captures that are named without one; empty: the working directory.
	CaptureDir string
	// Note is told what events did, a line each. nil: nobody is.
	Note func(line string)
}

// Desk operates one network. Its methods may be called from any goroutine.
type Desk struct {
	cfg      Config
	net      *emu.Network
	switches map[uint64]*emu.Switch
	named    map[string]*emu.Switch
	links    map[string]*emu.Link
	hosts    map[string]*emu.Host
	attached []*Attached // by Attach, before the network starts

	mu       sync.Mutex
	commands []*Command
	captures []*Capture
	last     int // number given to a command or capture
	agenda   agenda
	added    chan struct{} // events were added while Run sleeps
	closed   bool
}

// New makes the desk of a network.
func New(cfg Config) *Desk {
	d := &Desk{
		cfg: cfg, net: cfg.Network, switches: map[uint64]*emu.Switch{}, named: map[string]*emu.Switch{},
		links: map[string]*emu.Link{}, hosts: map[string]*emu.Host{}, added: make(chan struct{}, 1),
	}
	if cfg.Note == nil {
		d.cfg.Note = func(string) {}
	}
	for _, sw := range d.net.Switches() {
		d.switches[sw.DatapathID()], d.named[sw.Name()] = sw, sw
	}
	for _, l := range d.net.Links() {
		d.links[l.ID] = l
	}
	for _, h := range d.net.Hosts() {
		d.hosts[h.Spec().Name], d.links[h.Link().ID] = h, h.Link()
	}
	return d
}

// Network is the desk's.
func (d *Desk) Network() *emu.Network { return d.net }

// Switch finds a switch by its name or its datapath id in hexadecimal; nil if there is none.
func (d *Desk) Switch(name string) *emu.Switch {
	if sw := d.named[name]; sw != nil {
		return sw
	}
	if id, err := topo.ParseDPID(name); err == nil {
		return d.switches[id]
	}
	return nil
}

// Link finds a link by its id, those of hosts included; nil if there is none.
func (d *Desk) Link(id string) *emu.Link { return d.links[id] }

// Host finds a host by its name; nil if there is none.
func (d *Desk) Host(name string) *emu.Host { return d.hosts[name] }

// Close ends all captures, and takes attached devices away. The error is that of the first file that could not be written.
func (d *Desk) Close() error {
	for _, a := range d.attached {
		_ = a.Cable.Close()
	}
	d.mu.Lock()
	d.closed = true
	list := d.captures
	d.mu.Unlock()
	var first error
	for _, c := range list {
		if err := c.Stop(); err != nil && first == nil {
			first = fmt.Errorf("%s: %w", c.File, err)
		}
	}
	return first
}
