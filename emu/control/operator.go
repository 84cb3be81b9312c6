package control

import (
	"fmt"
	"sync"

	"github.com/weirnet/weir/emu"
)

// Config is the configuration of an Operator.
type Config struct {
	Network *emu.Network
	// CaptureDir is the folder of captures that are named without one; empty: the working
	// directory.
	CaptureDir string
	// Note, if not nil, is called with a line for each event that ran.
	Note func(line string)
}

// Operator operates one network. Its methods may be called from any goroutine.
type Operator struct {
	cfg      Config
	net      *emu.Network
	names    names
	attached []*Attached // by Attach, before the network starts

	mu       sync.Mutex
	commands []*Command
	captures []*Capture
	last     int // number given to a command or capture
	schedule schedule
	added    chan struct{} // has a token when events were added while Run sleeps
	closed   bool
}

// New makes the Operator of a network.
func New(cfg Config) *Operator {
	if cfg.Note == nil {
		cfg.Note = func(string) {}
	}
	return &Operator{cfg: cfg, net: cfg.Network, names: namesOf(cfg.Network), added: make(chan struct{}, 1)}
}

// Network returns the network.
func (d *Operator) Network() *emu.Network { return d.net }

// Switch returns a switch by its name or its datapath id in hexadecimal; nil if there is none.
func (d *Operator) Switch(name string) *emu.Switch { return d.names.oneSwitch(name) }

// Link finds a link by its id, those of hosts included; nil if there is none.
func (d *Operator) Link(id string) *emu.Link { return d.names.links[id] }

// Host finds a host by its name; nil if there is none.
func (d *Operator) Host(name string) *emu.Host { return d.names.hosts[name] }

// Close ends all captures, and removes attached devices. The error is that of the first file
// that could not be written.
func (d *Operator) Close() error {
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
