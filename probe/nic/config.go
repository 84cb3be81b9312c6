package nic

import (
	"fmt"
	"strings"
)

// Stamps is who takes the times of frames.
type Stamps int

const (
	// Software is the kernel: as a frame is handed to the driver, or comes from it.
	Software Stamps = iota
	// Hardware is the interface.
	Hardware
	// Best is Hardware where the interface has it, else Software.
	Best
)

var stampNames = [...]string{"software", "hardware", "best"}

// String is the name as in a flag.
func (s Stamps) String() string { return stampNames[s] }

// ParseStamps reads a name.
func ParseStamps(name string) (Stamps, error) {
	for i, n := range stampNames {
		if n == name {
			return Stamps(i), nil
		}
	}
	return 0, fmt.Errorf("%q given, want %s", name, strings.Join(stampNames[:], ", "))
}

// Config is an interface to be opened.
type Config struct {
	Interface string
	// Namespace is the network namespace that has the interface: a name, as of ip netns, or a path,
	// such as /proc/1234/ns/net. Empty: that of the process.
	Namespace string
	Stamps    Stamps
	// Kept is how many bytes of each frame are seen; 0: all.
	Kept int
	// AsIs leaves offloads as they are: frames may be seen merged and not yet cut. Others may open
	// the interface too.
	AsIs bool
	// State is the directory of the notes of what was changed; empty: DefaultState.
	State string
}

// DefaultState is where notes are kept. It is empty after a start of the machine, as are the changes.
const DefaultState = "/run/weir-probe"

// Form is how a Config is written, for help.
const Form = "INTERFACE[,netns=NAME]"

// Parse reads "eth1" or "eth1,netns=h1". The error says what was given and what was expected.
func Parse(text string) (c Config, err error) {
	name, option, more := strings.Cut(text, ",")
	space, ok := strings.CutPrefix(option, "netns=")
	switch {
	case name == "" || len(name) > maxName || strings.ContainsAny(name, "/= \t\n"):
		return c, fmt.Errorf("%q given, want %s, such as eth1,netns=h1", text, Form)
	case more && (!ok || space == "" || space == "." || space == ".."):
		return c, fmt.Errorf("%q given, want netns= and a name as of ip netns list, or a path", option)
	}
	return Config{Interface: name, Namespace: space}, nil
}

// maxName is the longest name of an interface, in bytes.
const maxName = 15

// String is the form that Parse reads.
func (c *Config) String() string {
	if c.Namespace == "" {
		return c.Interface
	}
	return c.Interface + ",netns=" + c.Namespace
}

// Frame is a frame that went by an interface.
type Frame struct {
	At     int64  // nanoseconds of the clock of the NIC's Stamps
	Out    bool   // sent by this machine
	Length int    // bytes on the wire, without the check sequence
	Bytes  []byte // its beginning, as much as is kept; valid during the call
}

// Counters are of one NIC since it was opened.
type Counters struct {
	Seen uint64 // frames
	Sent uint64 // of those, by Send
	// Lost are frames that went by and were not seen: the kernel had no room for them, or took no
	// time of them.
	Lost uint64
}
