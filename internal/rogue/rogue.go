package rogue

import (
	"math/rand/v2"

	"github.com/weirnet/weir/internal/ofcase"
	"github.com/weirnet/weir/openflow"
)

// Config is what a Controller is made of.
type Config struct {
	Version openflow.Version
	Seed    uint64
	Ports   uint32           // that the physical switch has, numbered from 1
	Own     []uint32         // of these, that the controller may use: most of what it says is about them
	Space   []openflow.Match // some packets that are the controller's: entries are often for these
	Mark    []byte           // at the end of frames
	Samples [][]byte
}

// Step is one thing to do: a message to send, or, if it is empty, a frame that a host sends.
type Step struct {
	Message []byte
	Frame   []byte // with the mark
	// Ends: the message leaves the stream of bytes broken. What comes after it is not read.
	Ends bool
}

// Controller makes the messages of a controller.
type Controller struct {
	cfg   Config
	r     *rand.Rand
	cases uint64
	steps []ofcase.Step // of the case that is at work
	xid   uint32
}

// New makes one.
func New(cfg Config) *Controller {
	return &Controller{cfg: cfg, r: rand.New(rand.NewPCG(cfg.Seed, uint64(cfg.Version)))}
}

// caseSteps is how many steps a case has before the tables are emptied, or are not.
const caseSteps = 150

// Next returns the next step, in memory of its own.
func (c *Controller) Next() Step {
	switch n := c.r.IntN(5000); {
	case n < 1:
		return c.broken()
	case n < 300:
		return c.sample()
	case n < 800:
		return Step{Message: c.append(c.request())}
	}
	if len(c.steps) == 0 {
		c.cases++
		c.steps = ofcase.Generate(c.cfg.Version, c.cfg.Seed<<32|c.cases, ofcase.Options{Steps: caseSteps, Groups: true,
			Select: true, Meters: true, Fragments6: true, Odd: c.some(3), Waits: c.some(4), Normal: c.some(8), Mods: true,
			Addresses: [][6]byte{{2}, {2, 1}, {2, 2}, {2, 3}}}).Steps
		if c.r.IntN(2) == 0 {
			return Step{Message: c.append(&openflow.FlowMod{Command: openflow.FlowDelete, Table: openflow.TableAll,
				Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny})}
		}
	}
	s := c.steps[0]
	c.steps = c.steps[1:]
	switch {
	case s.Message != nil:
		return Step{Message: c.changed(s.Message)}
	case s.Frame != nil:
		return Step{Frame: append(s.Frame, c.cfg.Mark...)}
	}
	return c.Next() // time passes anyway
}

// append encodes a message that the version can say; what it cannot say is a barrier request.
func (c *Controller) append(m openflow.Message) []byte {
	c.xid++
	b, err := openflow.Append(nil, c.cfg.Version, c.xid, m)
	if err != nil {
		b, _ = openflow.Append(nil, c.cfg.Version, c.xid, &openflow.BarrierRequest{})
	}
	return b
}

// sample is one of the messages there are, perhaps mutated.
func (c *Controller) sample() Step {
	s := c.cfg.Samples[c.r.IntN(len(c.cfg.Samples))]
	for openflow.Type(s[1]) == openflow.TypeError && c.r.IntN(50) > 0 { // some end the session
		s = c.cfg.Samples[c.r.IntN(len(c.cfg.Samples))]
	}
	if c.r.IntN(3) > 0 {
		return Step{Message: Mutate(c.r, s)}
	}
	return Step{Message: append([]byte(nil), s...)}
}

// broken is a message whose length is wrong, or that ends too early.
func (c *Controller) broken() Step {
	b := c.append(c.request())
	switch c.r.IntN(4) {
	case 0:
		b = b[:1+c.r.IntN(len(b))]
	case 1:
		b[2], b[3] = 0, byte(c.r.IntN(8))
	case 2:
		b[2], b[3] = byte(c.r.UintN(256)), byte(c.r.UintN(256))
	case 3:
		b[0] = byte(c.r.UintN(256))
	}
	return Step{Message: b, Ends: true}
}

// Mutate changes some bytes of a message, but for its version and length.
func Mutate(r *rand.Rand, message []byte) []byte {
	m := append([]byte{}, message...)
	for range 1 + r.IntN(4) {
		if at := r.IntN(len(m)); at == 1 || at > 3 {
			m[at] = byte(r.UintN(256))
		}
	}
	return m
}

// ports are those that a controller has no business with, and some that it has.
var ports = []uint32{0, openflow.PortMax, openflow.PortMax + 1, openflow.PortInPort, openflow.PortTable, openflow.PortNormal,
	openflow.PortFlood, openflow.PortAll, openflow.PortController, openflow.PortLocal, openflow.PortAny, 1 << 16, 1 << 31}

// own is a port of the controller's, or rarely any.
func (c *Controller) own() uint32 {
	if c.some(8) {
		return c.port()
	}
	return c.cfg.Own[c.r.IntN(len(c.cfg.Own))]
}

// port is any.
func (c *Controller) port() uint32 {
	if c.r.IntN(3) == 0 {
		return ports[c.r.IntN(len(ports))]
	}
	return 1 + c.r.Uint32N(c.cfg.Ports+1)
}

// number is a number of 64 bits of which few are set, or all, or any.
func (c *Controller) number() uint64 {
	switch c.r.IntN(4) {
	case 0:
		return c.r.Uint64()
	case 1:
		return ^uint64(0)
	case 2:
		return 1 << c.r.IntN(64)
	}
	return c.r.Uint64N(4)
}

// some reports whether one of n things is to be done.
func (c *Controller) some(n int) bool { return c.r.IntN(n) == 0 }
