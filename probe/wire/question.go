package wire

import (
	"errors"
	"fmt"
	"time"

	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe"
)

// Do is what a question asks for.
type Do string

// What may be asked for, and with which fields.
const (
	// Begin puts a station there, for a measurement: Six, VLAN. The answer has About.
	Begin Do = "begin"
	// Ask has the station look for another one: Target, Limit. The answer has Known.
	Ask Do = "ask"
	// Reset forgets what was seen.
	Reset Do = "reset"
	// Take is what was seen since Reset: Packets, Limit. The answer has Seen.
	Take Do = "take"
	// Own measures a cable at the observer's machine: Six, VLAN, MTU, Sizes, Count, Interval. The
	// answer has Shares.
	Own Do = "own"
)

// Question is what the near side asks of the observer.
type Question struct {
	Do       Do            `json:"do"`
	Six      bool          `json:"six,omitempty"`
	VLAN     uint16        `json:"vlan,omitempty"`
	Target   packet.Addr   `json:"target,omitzero"`
	Packets  int           `json:"packets,omitempty"`
	Limit    time.Duration `json:"limit_ns,omitempty"`
	MTU      int           `json:"mtu,omitempty"`
	Sizes    []int         `json:"sizes,omitempty"`
	Count    int           `json:"count,omitempty"`
	Interval time.Duration `json:"interval_ns,omitempty"`
}

// Limits of questions.
const (
	MaxLimit    = 10 * time.Second
	MaxSizes    = 64
	MaxSize     = 65507 // bytes of an echo's data over IPv4
	MaxCount    = 1000
	MaxInterval = time.Minute
)

// Check finds what is wrong.
func (q *Question) Check() error {
	switch q.Do {
	case Begin, Ask, Reset, Take:
	case Own:
		if err := q.checkOwn(); err != nil {
			return err
		}
	default:
		return fmt.Errorf("%q asked for, want %s, %s, %s, %s or %s", q.Do, Begin, Ask, Reset, Take, Own)
	}
	switch {
	case q.VLAN > 4094:
		return fmt.Errorf("VLAN %d given, want 0 to 4094", q.VLAN)
	case q.Limit < 0 || q.Limit > MaxLimit:
		return fmt.Errorf("a limit of %v given, want %v at most", q.Limit, MaxLimit)
	}
	return nil
}

func (q *Question) checkOwn() error {
	switch {
	case q.MTU < 576 || q.MTU > 65535:
		return fmt.Errorf("an MTU of %d given, want 576 to 65535", q.MTU)
	case len(q.Sizes) == 0 || len(q.Sizes) > MaxSizes:
		return fmt.Errorf("%d sizes given, want 1 to %d", len(q.Sizes), MaxSizes)
	case q.Count < 1 || q.Count > MaxCount:
		return fmt.Errorf("%d echoes given, want 1 to %d", q.Count, MaxCount)
	case q.Interval < 0 || q.Interval > MaxInterval:
		return fmt.Errorf("an interval of %v given, want %v at most", q.Interval, MaxInterval)
	}
	for _, s := range q.Sizes {
		if s < 0 || s > MaxSize {
			return fmt.Errorf("size %d given, want bytes from 0 to %d", s, MaxSize)
		}
	}
	return nil
}

// Answer is the observer's.
type Answer struct {
	Error  *Error  `json:"error,omitempty"`
	About  *About  `json:"about,omitempty"`
	Known  bool    `json:"known,omitempty"`
	Seen   *Seen   `json:"seen,omitempty"`
	Shares []Share `json:"shares,omitempty"` // of each size
}

// About is what an observer says of itself.
type About struct {
	Interface string `json:"interface"`
	MTU       int    `json:"mtu"`
	Stamps    string `json:"stamps"` // as in a flag
	Build     string `json:"build"`
}

// Seen is what passed the interface since Reset.
type Seen struct {
	Passages []probe.Passage `json:"passages"`
	Counts   probe.Counts    `json:"counts"`
	Lost     uint64          `json:"lost"` // observations
	Clocks   []probe.Clocks  `json:"clocks"`
}

// Share is what the same echoes took over a cable, or why there is no result.
type Share struct {
	Paths []time.Duration `json:"paths_ns"`
	Error *Error          `json:"error,omitempty"`
}

// Check finds what no observer of this version says.
func (a *Answer) Check() error {
	if a.About != nil && (a.About.MTU < 1 || len(a.About.Interface) > 1024 || len(a.About.Build) > 1024) {
		return fmt.Errorf("%w: %+v", ErrMessage, *a.About)
	}
	if a.Seen == nil {
		return nil
	}
	if n := len(a.Seen.Passages); n > MaxPassages {
		return fmt.Errorf("%w: %d packets given, want %d at most", ErrMessage, n, MaxPassages)
	}
	for _, p := range a.Seen.Passages {
		if !p.Kind.Valid() || p.Last < p.First {
			return fmt.Errorf("%w: a packet of kind %d from %d to %d", ErrMessage, p.Kind, p.First, p.Last)
		}
	}
	return nil
}

// Error is why there is no answer: a refusal, or any other error.
type Error struct {
	Why  string `json:"why"`
	Seen string `json:"seen,omitempty"`
	Want string `json:"want,omitempty"`
	Do   string `json:"do,omitempty"`
}

// ErrorOf is an error as it is sent; nil of none.
func ErrorOf(err error) *Error {
	var r *probe.Refusal
	switch {
	case err == nil:
		return nil
	case errors.As(err, &r):
		return &Error{Why: r.Why.Error(), Seen: r.Seen, Want: r.Want, Do: r.Do}
	}
	return &Error{Why: err.Error()}
}

// Err is the error that was sent; nil of none.
func (e *Error) Err() error {
	switch {
	case e == nil:
		return nil
	case e.Want == "":
		return errors.New(e.Why)
	}
	return &probe.Refusal{Why: probe.Reason(e.Why), Seen: e.Seen, Want: e.Want, Do: e.Do}
}
