// Package warmstart stores what an instance knows of its network, so that after a restart it does
// not begin with nothing.
//
// # The problem
//
// An instance that starts knows no switch, no link and no host until it has heard of them, and what
// it has not heard of yet looks just like what is not there. Forwarding goes on meanwhile by the
// rules that switches hold; whoever computes new ones must not take the half that has been heard of
// so far for the whole.
//
// # Inputs and outputs
//
// In: snapshots of the view. Out: one file in the data directory, and at the start the Facts in it:
// switches with their ports and their part of the broadcast tree, links, the former ends of links
// that are down, hosts. Package discovery adds them as unconfirmed, and only evidence changes them.
//
// # Invariants
//
//   - A change of the facts is on disk at once after a quiet time, and so are the next twenty; under
//     steady change within a second, or ten times as long as writing takes; the times at which hosts
//     were seen last, within five minutes.
//   - The file is complete or absent: it is written to a temporary file, synced, and renamed; it
//     ends with a checksum over all of it.
//   - Reading any file returns facts or an error, in memory bounded by the file's length; a file
//     that is refused is renamed (.bad) and the instance starts without.
//   - The facts of a file need not be consistent: discovery checks that.
//
// The facts are kept encoded, by switch (sections.go): only the switches that a change of the view
// names are encoded again.
//
// The codec is pure; the loop (loop.go) owns the file.
package warmstart
