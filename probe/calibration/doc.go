// Package calibration makes the profile of a switch from what is measured of it, and holds an
// emulated switch of the profile to the same measurements.
//
// # The problem
//
// A profile is a promise. Whether it is kept shows only where the emulated switch, its twin, is
// measured as the switch was: from outside, by the same probe, on the same machine. And the twin is
// between two devices of the machine, which take a time of their own: where a switch is faster than
// they are, no twin can be like it.
//
// # Inputs and outputs
//
// Calibration measures a switch, fits a profile (probe/fit), and measures twins (probe/twin): an ideal
// one, which is the floor; some of the profile, which say what the devices add, so that the profile can take
// it off; and one of the profile as it is. Switch and twins are measured by turns, so that what the machine does
// meanwhile is in both. Out: the profile and a Comparison, whose ratios have margins.
// Verification measures a twin of a profile, and the switch if it is there, and compares either with
// what the profile says.
//
// A Comparison has a Row for each quantity, size and load: what was wanted, what was seen, the ratio,
// the floor, and a Mark. Its report has the same figures with their spread.
//
// # Invariants
//
//   - A figure that was refused is in no profile and in no ratio; its row says why.
//   - Comparisons are pure: they depend on what was measured only.
//   - When a run ends, or is interrupted, its twins and their devices are gone.
package calibration
