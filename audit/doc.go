// Package audit keeps the audit log: who changed what, or tried to, and security events.
//
// # The problem
//
// Every change must be attributable. So nothing may be changed that is not in the log, even when
// the disk is full, and a flood of refused requests must neither fill the disk nor slow other
// callers.
//
// # Inputs and outputs
//
// Write appends a record and returns when it is on disk; Begin returns when it is in the file, and
// lets its caller wait for the disk. Concurrent records share an fsync. Note queues a record
// without that guarantee, and without blocking; Run writes those in batches. Read returns the
// newest records. The file is audit.log in the data directory, a JSON object on each line
// (client.AuditRecord), mode 0600; a file that has grown to Limits.FileBytes becomes audit.log.1,
// and so on.
//
// # Invariants
//
//   - A record for which Write returned nil is on disk. So is one of Begin when synced has returned
//     nil.
//   - A disk that does not answer blocks no caller for longer than Limits.Answer.
//   - The log is bounded: Limits.Files of Limits.FileBytes. So is the queue; dropped records are
//     counted, and their number is in the log.
//   - A record truncated by a crash stays, on a line of its own; reading tells how many such lines there are.
package audit
