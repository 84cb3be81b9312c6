package topo

import (
	"fmt"
	"math"
	"time"
)

// LinkSpec is how one direction of a link carries frames. The zero value carries all of them at
// once.
type LinkSpec struct {
	Delay   time.Duration // from the last bit sent to the last bit received
	Jitter  time.Duration // the delay of each frame is longer or shorter by up to this
	Loss    float64       // share of frames that are lost, 0 to 1
	RateBPS uint64        // bits of frames a second; 0: no limit
	Queue   int           // frames that may wait for the rate; 0: DefaultQueue
	// MTU is how many bytes may follow the Ethernet header of a frame; 0: any number. As for Open vSwitch and
	// Linux, the first tag of a VLAN is part of the header; a second one, and a label of MPLS, are not.
	MTU int
}

// DefaultQueue is how many frames wait for a link's rate where none is given.
const DefaultQueue = 100

// Limits of a link.
const (
	MaxDelay = 10 * time.Minute   // of delay, and of jitter
	MinRate  = 1000               // bits a second
	MaxRate  = 10_000_000_000_000 // bits a second
	MaxQueue = 4096               // frames
	MinMTU   = 68                 // bytes: of IPv4 (RFC 791)
	MaxMTU   = 9216               // bytes
)

// Check refuses impossible values. The error says what was given and what was expected.
func (s LinkSpec) Check() error {
	switch {
	case s.Delay < 0 || s.Delay > MaxDelay:
		return fmt.Errorf("a delay of %v given, want one from 0s to %v, such as 5ms", s.Delay, MaxDelay)
	case s.Jitter < 0 || s.Jitter > MaxDelay:
		return fmt.Errorf("a jitter of %v given, want one from 0s to %v, such as 500us", s.Jitter, MaxDelay)
	case s.Jitter > s.Delay:
		return fmt.Errorf("a jitter of %v given, want at most the delay, which is %v", s.Jitter, s.Delay)
	case math.IsNaN(s.Loss) || s.Loss < 0 || s.Loss > 1:
		return fmt.Errorf("a loss of %v given, want a share from 0 to 1, such as 0.01 or 1%%", s.Loss)
	case s.RateBPS != 0 && (s.RateBPS < MinRate || s.RateBPS > MaxRate):
		return fmt.Errorf("a rate of %d bit/s given, want 0 (no limit) or from %d to %d, such as 100M", s.RateBPS,
			MinRate, uint64(MaxRate))
	case s.Queue < 0 || s.Queue > MaxQueue:
		return fmt.Errorf("a queue of %d frames given, want from 1 to %d, or 0 for the default of %d", s.Queue,
			MaxQueue, DefaultQueue)
	case s.MTU != 0 && (s.MTU < MinMTU || s.MTU > MaxMTU):
		return fmt.Errorf("an mtu of %d bytes given, want 0 (no limit) or from %d to %d, such as 1500", s.MTU, MinMTU, MaxMTU)
	}
	return nil
}
