// Package recall remembers what an instance knew of its network, so that the next one does not begin with nothing.
//
// # The problem
//
// An instance that starts knows no switch, no link and no host until it has heard of them, and what it has not heard of
// yet looks just like what is not there. Forwarding goes on meanwhile by the rules that switches hold; whoever computes
// new ones must not take the half that has been heard of so far for the whole.
//
// # Inputs and outputs
//
// In: snapshots of the view. Out: one file in the data directory, and at the start the Facts that it holds: switches with
// their ports and what their tree was, links, where links led that are down, hosts. Package discovery takes them in as
// unconfirmed, and only evidence changes them.
//
// # Invariants
//
//   - A change of what is remembered is on disk at once after a quiet time, and so are the next twenty, under steady change within a second, or ten times as
//     long as writing takes; when hosts were seen last, within five minutes.
//   - The file is whole or not there: it is written beside, synced, and renamed; its end is a checksum over all of it.
//   - Whatever a file holds, reading it gives facts or an error, in memory bounded by its length; a file that is refused is
//     kept beside (.bad) and the instance starts without.
//   - Nothing that is read is believed to fit together: discovery checks that.
//
// What is written is kept encoded, by switch (sections.go): what a change of the view does not name is not looked at again.
//
// The codec is pure; the loop (loop.go) owns the file.
package recall
