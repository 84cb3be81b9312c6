package controller

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/openflow"
)

// end is what is behind a port of an emulated switch: it keeps what comes out.
type end struct {
	attachment *emu.Attachment

	mu     sync.Mutex
	frames [][]byte
}

// Deliver implements emu.External.
func (e *end) Deliver(frame []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.frames = append(e.frames, append([]byte(nil), frame...))
}

// Carrier implements emu.External.
func (e *end) Carrier(bool) {}

// Send is a Source.
func (e *end) Send(frame []byte) error {
	e.attachment.Send([][]byte{frame})
	return nil
}

// count is how many frames have come out.
func (e *end) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.frames)
}

// listen runs a controller until the test ends.
func listen(t *testing.T, cfg Config) *Controller {
	t.Helper()
	c, err := Listen("127.0.0.1:0", cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), need.Patience)
		defer cancel()
		if err := c.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return c
}

// emulate runs a switch of a profile with two ports under a controller until the test ends.
func emulate(t *testing.T, c *Controller, v openflow.Version, p profile.Profile) (sw *emu.Switch, ports [2]*end) {
	t.Helper()
	sw, list := emulatePorts(t, c, v, p, len(ports))
	return sw, [2]*end(list)
}

// emulatePorts is emulate with so many ports.
func emulatePorts(t *testing.T, c *Controller, v openflow.Version, p profile.Profile, n int) (sw *emu.Switch, ports []*end) {
	t.Helper()
	top, err := topo.Parse("single:1,hosts=0", 1)
	if err != nil {
		t.Fatal(err)
	}
	network, err := emu.New(emu.Config{Topology: top, Versions: []openflow.Version{v}, Controllers: []string{c.Address()},
		Profile: p, Seed: 1, BackoffMin: time.Millisecond, BackoffMax: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	sw = network.Switches()[0]
	for i := range n {
		ports = append(ports, &end{})
		if ports[i].attachment, err = sw.Attach(uint32(i+1), "end", topo.LinkSpec{}, ports[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := network.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), need.Patience)
		defer cancel()
		if err := network.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	ready(t, c)
	return sw, ports
}

// ready waits for the switch.
func ready(t *testing.T, c *Controller) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), need.Patience)
	defer cancel()
	if err := c.Ready(ctx); err != nil {
		t.Fatal(err)
	}
}

// versions has a test be done with each version of OpenFlow, at the same time.
func versions(t *testing.T, f func(t *testing.T, v openflow.Version)) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		t.Run(v.String(), func(t *testing.T) {
			t.Parallel()
			f(t, v)
		})
	}
}
