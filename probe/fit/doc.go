// Package fit makes parts of a switch's profile from what was measured of the switch.
//
// # The problem
//
// A measurement is a list of times and counts with noise in it. A profile (emu/profile) is a few
// figures of a model. The figures must be those with which the model comes nearest to what was
// measured, and where the model does not come near there must be none: an emulated switch with
// wrong figures is worse than one that says that they are assumed.
//
// # Inputs and outputs
//
// Figures are the samples: Timed, how long so many of something took; Burst, how many of so many
// got through. Install, Rate and Statistics each give a part of a profile, and a Quality: from how
// many points, and how far they are from the model. Figures.Profile does all of it.
//
// # The models
//
// They are those of emu/profile, and package emu keeps them. With r the round trip of a barrier
// that has nothing to wait for:
//
//   - Install: n entries and a barrier take r + n/PerSecond + Delay·batches. The first entry is a
//     batch of its own, since it is written as soon as it comes; the others gather meanwhile, and
//     are written in batches of Batch.
//   - Rate: of packets that come faster than they go, for a time t, Queue + 1 + PerSecond·t get
//     through. Where none is lost and all take longer than they came, n take n/PerSecond.
//   - Statistics: an answer with n entries takes r + Delay + Entry·n.
//
// # Invariants
//
//   - Everything is pure: the same samples give the same figures.
//   - What comes with a nil error passes profile.Check, and its Source is profile.Measured.
//   - The error of what does not fit wraps ErrTooFew, ErrNoFit or ErrNoLimit, and says what was
//     seen.
package fit
