package verify

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// SegmentBytes is the least length of the last file of a log: etcd preallocates it.
const SegmentBytes = 64 * 1000 * 1000

// Log says what a log contains.
type Log struct {
	Files  []string // paths, the oldest first; none: there is no log
	Oldest uint64   // the files hold all entries from this one on
	Last   uint64   // index of the last whole entry
	Commit uint64   // the highest commit index recorded in the log
	End    int64    // offset behind the last whole record of the last file
	Torn   bool     // there are nonzero bytes after End: a record that was being written
	Size   int64    // of the last file
}

// segment is one file of a log. Files are numbered without gaps.
type segment struct {
	path       string
	seq, index uint64 // index of its first entry
}

// ReadLog reads a whole log.
func ReadLog(dir string) (Log, error) {
	segments, err := list(dir)
	if err != nil || len(segments) == 0 {
		return Log{}, err
	}
	l := Log{Oldest: segments[0].index}
	w := walk{last: max(l.Oldest, 1) - 1}
	for i, s := range segments {
		l.Files = append(l.Files, s.path)
		if i > 0 && s.seq != segments[i-1].seq+1 {
			return l, damaged(dir, "file number %d of the log is missing between %s and %s",
				segments[i-1].seq+1, filepath.Base(segments[i-1].path), filepath.Base(s.path))
		}
		if err := w.file(s.path, i == len(segments)-1); err != nil {
			return l, err
		}
	}
	l.Last, l.Commit, l.End, l.Torn, l.Size = w.last, w.commit, w.end, w.torn, w.size
	if l.Commit > l.Last {
		return l, damaged(segments[len(segments)-1].path,
			"its last whole entry is %d, and entries up to %d were committed", l.Last, l.Commit)
	}
	return l, nil
}

// list returns the files of a log, in order.
func list(dir string) (out []segment, err error) {
	names, err := os.ReadDir(dir) // sorted by name: names begin with the number, in hexadecimal of one length
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range names {
		s := segment{path: filepath.Join(dir, e.Name())}
		if !strings.HasSuffix(e.Name(), ".wal") {
			continue // preallocated, or set aside
		}
		if _, err := fmt.Sscanf(e.Name(), "%016x-%016x.wal", &s.seq, &s.index); err != nil {
			return nil, damaged(s.path, "its name is none of a file of the log")
		}
		out = append(out, s)
	}
	return out, nil
}

// walk reads the records of a log, in order.
type walk struct {
	crc          uint32
	metadata     []byte // of the first file's head; nil before it
	last, commit uint64
	end          int64 // offset behind the last whole record, in the current file
	torn         bool
	size         int64
	buf          []byte
}

// file reads one file. Only the last one may end with anything but a whole record.
func (w *walk) file(path string, last bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	w.end, w.size, w.torn = 0, info.Size(), false
	in := bufio.NewReaderSize(f, 1<<20)
	why := ""
	for why == "" && w.end < w.size {
		why, err = w.next(in)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	switch {
	case why != "" && !last:
		return damaged(path, "at byte %d: %s", w.end, why)
	case why != "":
		return w.tail(path, f, why)
	}
	return nil
}

// next reads one record, or returns why there is no whole one.
func (w *walk) next(in io.Reader) (why string, err error) {
	var head [frameHead]byte
	if w.end+frameHead > w.size {
		return "a record is cut off", nil
	}
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return "", err
	}
	field := binary.LittleEndian.Uint64(head[:])
	if field == 0 {
		return "no record", nil
	}
	length, padding := frameSize(field)
	if length == 0 || length+padding > w.size-w.end-frameHead || (length+padding)%8 != 0 {
		return fmt.Sprintf("a record of %d bytes cannot be", length), nil
	}
	if int64(cap(w.buf)) < length+padding {
		w.buf = make([]byte, length+padding)
	}
	b := w.buf[:length+padding]
	if _, err := io.ReadFull(in, b); err != nil {
		return "", err
	}
	r, ok := parseRecord(b[:length])
	switch {
	case !ok:
		return "a record that cannot be read", nil
	case r.kind == recordCRC && w.crc == 0: // the oldest file continues the checksum of deleted ones
	case !r.follows(w.crc):
		return "the checksum of a record is wrong", nil
	}
	if why := w.take(&r); why != "" {
		return why, nil
	}
	w.crc = r.crc
	w.end += frameHead + length + padding
	return "", nil
}

// take applies a whole record; why says what is wrong with it.
//
// A record's checksum covers its data, and not its kind: metadata is the same at the head of each file, and comes before all
// but checksums. Another kind of record that says to be metadata differs from it.
func (w *walk) take(r *record) (why string) {
	switch {
	case r.kind == recordMetadata && w.metadata == nil:
		w.metadata = append([]byte{}, r.data...)
	case r.kind == recordMetadata && !bytes.Equal(w.metadata, r.data):
		return "metadata differs from that before it"
	case r.kind != recordCRC && w.metadata == nil:
		return "no metadata is at the head"
	}
	switch r.kind {
	case recordEntry:
		index, ok := entryIndex(r.data)
		if !ok || index == 0 || index > w.last+1 {
			return fmt.Sprintf("entry %d follows entry %d", index, w.last)
		}
		w.last = index
	case recordState:
		commit, ok := stateCommit(r.data)
		if !ok {
			return "a state that cannot be read"
		}
		w.commit = max(w.commit, commit)
	case recordSnapshot:
		index, ok := snapshotIndex(r.data)
		if !ok {
			return "a snapshot that cannot be read"
		}
		w.last = max(w.last, index) // a leader has sent the database with all entries up to it, and never those
	}
	return ""
}

// tail checks the bytes after the last whole record of the last file.
func (w *walk) tail(path string, f *os.File, why string) error {
	b := make([]byte, 1<<20)
	at := w.end
	for ; at < w.size && !w.torn; at += int64(len(b)) { // usually all of it is zeros
		n, err := f.ReadAt(b[:min(int64(len(b)), w.size-at)], at)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		w.torn = !zeros(b[:n])
	}
	if !w.torn {
		return nil
	}
	rest := make([]byte, w.size-w.end)
	if _, err := f.ReadAt(rest, w.end); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if commit := later(rest); commit > w.last {
		return damaged(path,
			"at byte %d: %s; its last whole entry before is %d, and what follows says that entries up to %d were committed",
			w.end, why, w.last, commit)
	}
	return nil
}

func zeros(b []byte) bool {
	for len(b) >= 8 {
		if binary.LittleEndian.Uint64(b) != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// later returns the highest commit index in whole records after a break: records whose checksum
// follows from that of the record before them.
func later(b []byte) (commit uint64) {
	for len(b) >= frameHead {
		r, size, ok := frameAt(b)
		if !ok {
			b = b[8:]
			continue
		}
		n := chain(b[size:], r.crc, &commit)
		b = b[max(8, n):]
		if n > 0 {
			b = b[min(size, len(b)):]
		}
	}
	return commit
}

// chain reads the records that follow one with that CRC, and returns their length in bytes.
func chain(b []byte, crc uint32, commit *uint64) (n int) {
	for {
		r, size, ok := frameAt(b[n:])
		if !ok || !r.follows(crc) {
			return n
		}
		if r.kind == recordState {
			c, _ := stateCommit(r.data)
			*commit = max(*commit, c)
		}
		crc = r.crc
		n += size
	}
}
