// Package verify reports whether the files of an etcd member are whole, before etcd reads them.
//
// # The problem
//
// etcd reads its files as the process that wrote them: a frame length of zero is the end of the
// preallocated log, whatever follows; a broken page of the database panics, or ends the process
// with SIGBUS; a log that ends early is taken as complete. Damage must be detected, and named,
// before anything is written.
//
// # Inputs and outputs
//
// In: the directory of the log (*.wal) and the database file (bbolt). Out: the last entry and
// revision of each, where the log's last whole record ends, or a *Damage that names the file and
// says what is wrong with it.
//
// # Invariants
//
//   - Files are only read. No byte of them is trusted: lengths, offsets and page numbers are checked
//     before they are used, nothing panics, and memory is bounded by the length of a file.
//   - Bytes after the log's last whole record are an unsynchronised tail (of a kill or a power cut)
//     unless they prove the opposite: etcd records that an entry is committed only after it has
//     synchronised the entry.
//
// The formats: go.etcd.io/etcd/server/v3/storage/wal (frames, CRC chain), go.etcd.io/bbolt (pages,
// little-endian here).
package verify

import (
	"cmp"
	"fmt"
)

// Damage is the error of a damaged file.
type Damage struct {
	File, What string
	Cure       string // what to do; empty: to restore a backup
}

// Error names the file, what is wrong, and the cure.
func (d *Damage) Error() string {
	return fmt.Sprintf("%s is damaged: %s; %s", d.File, d.What, cmp.Or(d.Cure, "restore a backup with weir restore"))
}

// damaged makes a Damage.
func damaged(file, format string, args ...any) error {
	return &Damage{File: file, What: fmt.Sprintf(format, args...)}
}
