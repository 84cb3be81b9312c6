package calibration

import (
	"fmt"
	"math"
	"strings"
)

// MaxOff is how far the seen may be from the wanted.
const MaxOff = 0.1

// Mark says what a row is worth.
type Mark string

// The marks of rows.
const (
	Within Mark = ""       // what was seen is as it should be
	Beyond Mark = "beyond" // it is off by more than MaxOff
	// AtFloor is of a switch that is faster than an ideal twin between the two devices.
	AtFloor Mark = "floor"
	// EmulatorsOwn is of a twin that is late by no more than what an ideal one takes for the same batch
	// or answer.
	EmulatorsOwn Mark = "emulator's own"
	NoWant       Mark = "not measured" // there is nothing to compare with
	NoSeen       Mark = "not seen"     // there is no figure of what was to be compared
)

// Row is a quantity, as it should be and as it was seen.
type Row struct {
	Quantity
	Want, Seen Figure
	Floor      Figure // of an ideal twin; its Value is 0 where it was not measured
	Ratio      float64
	// Margin is how far the Ratio may be from that of the true medians, with 95 % confidence; 0 where too few
	// values tell.
	Margin float64
	Mark   Mark
}

// Comparison is the rows of two that should be alike.
type Comparison struct {
	Want, Seen string // who they are
	Rows       []Row
}

// Compare puts figures beside each other: a row for each quantity that is wanted.
func Compare(want, seen string, wanted, found, floor []Figure) *Comparison {
	c := &Comparison{Want: want, Seen: seen}
	find := func(list []Figure, q Quantity) Figure {
		for _, f := range list {
			if f.Quantity == q {
				return f
			}
		}
		return Figure{Quantity: q}
	}
	for _, w := range wanted {
		r := Row{Quantity: w.Quantity, Want: w, Seen: find(found, w.Quantity), Floor: find(floor, w.Quantity)}
		r.judge()
		c.Rows = append(c.Rows, r)
	}
	return c
}

// judge finds the ratio and the mark.
func (r *Row) judge() {
	switch {
	case r.Want.Refused != nil:
		r.Mark = NoWant
		return
	case r.Seen.Refused != nil || r.Seen.Unit != r.Want.Unit || r.Seen.Value == 0 && r.Seen.Runs == nil:
		r.Mark = NoSeen
	case !(r.Want.Value <= 0):
		r.Ratio = r.Seen.Value / r.Want.Value
		r.Margin = r.margin()
		if !(math.Abs(r.Ratio-1) <= MaxOff) { // what is no number is off, too
			r.Mark = Beyond
		}
	case !(r.Seen.Value <= 0):
		r.Mark = Beyond
	}
	switch {
	case r.belowFloor():
		r.Mark = AtFloor
	case r.Mark == Beyond && r.ownTime():
		r.Mark = EmulatorsOwn
	}
}

// ownTime reports whether a batch or an answer takes longer by no more than what the emulator takes of
// it itself, which no profile can take off.
func (r *Row) ownTime() bool {
	return (r.Name == Install || r.Name == Answer) && r.Seen.Value > r.Want.Value && r.Seen.Value-r.Want.Value <= r.Floor.Value
}

// belowFloor reports whether an ideal twin is slower than what is wanted.
func (r *Row) belowFloor() bool {
	if r.Floor.Value == 0 || r.Floor.Unit != r.Want.Unit {
		return false
	}
	switch r.Want.Unit {
	case micros:
		return r.Want.Value < r.Floor.Value
	case perSecond:
		return r.Want.Value > r.Floor.Value
	}
	return false
}

// Failed reports whether something is beyond the limit, or missing that has to be there.
func (c *Comparison) Failed() bool { return c.Why() != "" }

// Why says what has failed; empty if nothing has.
func (c *Comparison) Why() string {
	if len(c.Rows) == 0 {
		return "the " + c.Want + " has nothing that was measured"
	}
	var why []string
	for i := range c.Rows {
		switch r := &c.Rows[i]; {
		case r.Mark == Beyond:
			why = append(why, fmt.Sprintf("%v: %.2f times the %s", r.Quantity, r.Ratio, c.Want))
		case r.Mark == NoWant && !r.Want.Optional, r.Mark == NoSeen:
			why = append(why, fmt.Sprintf("%v: %s", r.Quantity, r.Mark))
		}
	}
	return strings.Join(why, "; ")
}
