// Package probe is the command line of packages probe/...: weir probe, a command for each measurement.
//
// # The problem
//
// A measurement opens interfaces, deletes what a switch holds, and may take a day. What is asked for
// has to be read from flags completely, and refused if it cannot be meant, before any of that.
//
// # Inputs and outputs
//
// New makes the command. Each measurement has a file. probeFlags are the flags of those between two
// interfaces (probe.go), switchFlags and ruledFlags those of the switch whose controller the probe is
// (controller.go), PaperFlags those of a paper's campaign, which weir bench paper has too
// (paperflags.go). Reports, tables of samples and profiles are written to the files that flags name.
//
// # Invariants
//
//   - What is wrong with flags is said before an interface is opened or a switch may connect.
//   - One file that cannot be written takes nothing from the others, nor from what is printed.
package probe
