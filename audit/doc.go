// Package audit keeps the audit log: who changed what, or tried to, and what threatened the instance's security.
//
// # The problem
//
// Afterwards one must be able to say who did it. So nothing may be changed that is not in the log, also when the disk is full,
// and a flood of refused requests must neither fill the disk nor slow anybody.
//
// # Inputs and outputs
//
// Write appends a record and returns when it is on the disk; Begin returns when it is in the file, and has its caller wait for the disk. Records
// that come together share a synchronisation. Note takes a record that needs no such promise, without blocking; Run
// writes those in batches. Read answers the newest records. The file is audit.log in the data directory, a JSON object a line
// (client.AuditRecord), mode 0600; a file that has grown to Limits.FileBytes becomes audit.log.1, and so on.
//
// # Invariants
//
//   - A record that Write returned nil for is on the disk. So is one of Begin when synced has returned nil.
//   - A disk that does not answer holds nobody up for longer than Limits.Answer.
//   - What is kept is bounded: Limits.Files of Limits.FileBytes. So is what waits; what does not fit is counted, and the number
//     is in the log.
//   - A record that was cut off by a crash stays as it is, on a line of its own; reading passes over it.
package audit
