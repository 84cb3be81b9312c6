package ofcase

import (
	"fmt"
	"strings"
	"time"

	"github.com/weirnet/weir/openflow"
)

// Case is what is done to a switch that has ports 1 to Ports and nothing in its tables.
type Case struct {
	Version openflow.Version
	Seed    uint64
	Steps   []Step
	Base    int // how many steps at the beginning belong to all cases: Shrink leaves them in
}

// Step is one thing that happens to a switch: a message of the controller's if Message is not nil,
// else a frame that comes in at a port if Frame is not nil, else time that passes.
type Step struct {
	Message []byte // whole, with the transaction id 0
	Port    uint32
	Frame   []byte
	Wait    time.Duration // whole milliseconds
}

// Switch is what a case is done to.
type Switch interface {
	// Reset takes all entries, groups and meters away, and sets the ports' configuration to 0.
	Reset()
	// Do takes a step and returns what the switch did, when nothing more comes of it.
	Do(Step) *Outcome
}

// String is the step on one line: a message as its text, a frame as its bytes.
func (s Step) String() string {
	switch {
	case s.Message != nil:
		h, m, err := openflow.Parse(s.Message)
		if err != nil {
			return fmt.Sprintf("message %x (%v)", s.Message, err)
		}
		return "message " + openflow.Text(h, m)
	case s.Frame != nil:
		return fmt.Sprintf("frame at %d: %x", s.Port, s.Frame)
	}
	return "wait " + s.Wait.String()
}

// String is the case, a step a line.
func (c Case) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "OpenFlow %s, seed %d\n", c.Version, c.Seed)
	for i, s := range c.Steps {
		fmt.Fprintf(&b, "%4d %s\n", i, s)
	}
	return b.String()
}
