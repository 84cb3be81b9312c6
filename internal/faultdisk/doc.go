// Package faultdisk is a disk that is slow, hangs, or loses what was not synchronised, for tests.
//
// # The problem
//
// A kill of a process loses nothing that it has written: the kernel has it. What a power cut takes, which is what was not
// synchronised, and what a disk does that is slow, cannot be seen without such a disk.
//
// # Inputs and outputs
//
// Mount mounts one on a directory (FUSE; it needs root). Delay and Stall are for synchronisations. Lose, when no process uses
// it any more, makes of it what a power cut would have left, and mounts that.
//
// # Invariants
//
//   - What was synchronised is there after Lose, with the names, sizes and lengths that it had then.
//   - Changes of names and sizes are kept in their order, all up to one: each synchronisation keeps all before it, as a
//     journalling file system does. Of the bytes of files those are kept that were synchronised by themselves; of the others
//     none, or some blocks, by chance.
//
// The server of FUSE has goroutines of its own, which end with the mount.
package faultdisk
