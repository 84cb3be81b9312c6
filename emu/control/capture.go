package control

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/pcap"
)

// MaxCaptures bounds the captures that run at a time.
const MaxCaptures = 100

// Capture is a file that is being written, or was.
type Capture struct {
	Number int    // unique among commands and captures, from 1
	At     string // "s1:3" a port, "s1" the control channels of a switch, "all" those of all switches
	File   string

	file  *pcap.File
	stops []func()
	once  sync.Once
	err   error
	ended atomic.Bool
}

// Capture begins to write a file: at is "SWITCH:PORT", a port; "SWITCH", its control channels; or
// "all", the control channels of all switches. A file that exists is written over only if told so.
func (d *Operator) Capture(at, path string, over bool) (*Capture, error) {
	points, err := d.names.points(at)
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(d.cfg.CaptureDir, path)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	running := 0
	for _, c := range d.captures {
		if !c.Ended() {
			running++
		}
	}
	if d.closed || running >= MaxCaptures {
		return nil, fmt.Errorf("%d captures: %w", running, ErrBusy)
	}
	out, err := create(path, over)
	if err != nil {
		return nil, err
	}
	file, err := pcap.Write(out)
	if err != nil {
		return nil, err
	}
	d.last++
	c := &Capture{Number: d.last, At: at, File: path, file: file}
	for _, p := range points {
		if err := p.begin(c, d.net.Controllers()); err != nil {
			return nil, errors.Join(err, c.Stop())
		}
	}
	d.captures = append(d.captures, c)
	if len(d.captures) > MaxCommands {
		i := slices.IndexFunc(d.captures, (*Capture).Ended)
		d.captures = slices.Delete(d.captures, i, i+1)
	}
	return c, nil
}

func create(path string, over bool) (*os.File, error) {
	if over {
		return os.Create(path)
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("file %s given, and it exists: want another name: %w", path, fs.ErrExist)
	}
	return out, err
}

// point is the place of a capture: a port, or the control channels where port is 0.
type point struct {
	sw   *emu.Switch
	port uint32
}

// begin starts a capture at the point.
func (p point) begin(c *Capture, controllers []string) error {
	if p.port != 0 {
		stop, err := p.sw.Capture(p.port, func(at time.Time, _ emu.CaptureKind, b []byte) { c.file.Frame(at, b) })
		if err == nil {
			c.stops = append(c.stops, stop)
		}
		return err
	}
	for i, address := range controllers {
		channel := c.file.NewControl(p.sw.Index, p.sw.DatapathID(), i, address)
		stop, err := p.sw.Control().Capture(i, func(at time.Time, way emu.CaptureKind, b []byte) {
			if len(b) == 0 {
				channel.Begin(at)
				return
			}
			channel.Bytes(at, way == emu.FromController, b)
		})
		if err != nil {
			return err
		}
		c.stops = append(c.stops, stop)
	}
	return nil
}

// Counts returns the numbers of frames written and dropped.
func (c *Capture) Counts() pcap.Counts { return c.file.Counts() }

// Ended reports whether the capture was stopped.
func (c *Capture) Ended() bool { return c.ended.Load() }

// Stop ends the capture; the file is whole. The error is that of the first write that failed.
func (c *Capture) Stop() error {
	c.once.Do(func() {
		for _, stop := range c.stops {
			stop()
		}
		c.err = c.file.Close()
		c.ended.Store(true)
	})
	return c.err
}

// Captures are all of them, ended ones too, the oldest first.
func (d *Operator) Captures() []*Capture {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.captures)
}
