package etcd

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/weirnet/weir/atomicfile"
	"github.com/weirnet/weir/store/etcd/verify"
)

// MarkFile is the file of a member's directory that records how far it has acknowledged. Its lock
// is held while the member runs.
const MarkFile = "acknowledged"

// ackMark says what was acknowledged. That is on disk already: the index in this member's log, so the mark is never ahead
// of it, and the revision in those of so many members that it is never lost.
// It is written before each acknowledgement and fsynced later: a kill loses nothing of it, a power
// failure what is newer than checkInterval.
type ackMark struct {
	index    uint64 // of the log: all entries up to it were committed, and are on this member's disk
	revision int64  // of the store
	tally    digest // of the store at this revision or an earlier one
}

// digest summarises what a store holds at a revision: equal contents have equal digests.
type digest struct {
	revision int64 // 0: never computed
	keys     uint64
	sum      uint64
}

const (
	markMagic = "weirack1"
	markBytes = 64
	// Two slots are written alternately, so that a torn write leaves the other one. They share no
	// sector and no page.
	markPlace = 4096
	markSize  = 2 * markPlace
)

// append appends the encoding of a mark. turn is its sequence number.
func (m *ackMark) append(b []byte, turn uint64) []byte {
	from := len(b)
	b = append(b, markMagic...)
	for _, n := range [...]uint64{turn, m.index, uint64(m.revision), uint64(m.tally.revision), m.tally.keys, m.tally.sum} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return append(binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[from:], castagnoli)), 0, 0, 0, 0)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// parseAckMark parses one slot.
func parseAckMark(b []byte) (m ackMark, turn uint64, ok bool) {
	const data = markBytes - 8
	if len(b) < markBytes || string(b[:8]) != markMagic ||
		binary.LittleEndian.Uint32(b[data:]) != crc32.Checksum(b[:data], castagnoli) {
		return m, 0, false
	}
	u64 := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	return ackMark{u64(2), int64(u64(3)), digest{int64(u64(4)), u64(5), u64(6)}}, u64(1), true
}

// readAckMark returns the newer of the two slots.
func readAckMark(b []byte) (newest ackMark, turn uint64, ok bool) {
	for at := 0; at < len(b); at += markPlace {
		if m, t, whole := parseAckMark(b[at:]); whole && (!ok || t > turn) {
			newest, turn, ok = m, t, true
		}
	}
	return newest, turn, ok
}

// ackFile is the open file.
type ackFile struct {
	f *os.File

	mu   sync.Mutex
	now  ackMark
	turn uint64
	buf  [markBytes]byte

	syncing sync.Mutex
	synced  uint64 // the last turn that was fsynced
}

// openAckFile opens a directory's file and takes its lock. If there is none it creates one, unless
// it must exist.
func openAckFile(dir string, known bool) (*ackFile, error) {
	path := filepath.Join(dir, MarkFile)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		if known {
			return nil, &verify.Damage{File: path, What: "it is not there"}
		}
		f, err = createAckFile(path)
	}
	if err != nil {
		return nil, err
	}
	m := &ackFile{f: f}
	if err := m.open(dir); err != nil {
		f.Close()
		return nil, err
	}
	return m, nil
}

func (m *ackFile) open(dir string) error {
	if err := syscall.Flock(int(m.f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return inUse(dir)
	} else if err != nil {
		return err
	}
	b := make([]byte, markSize)
	n, err := m.f.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	var ok bool
	if m.now, m.turn, ok = readAckMark(b[:n]); !ok {
		return &verify.Damage{File: m.f.Name(), What: "neither of its two records is whole"}
	}
	if n < markSize {
		return m.f.Truncate(markSize)
	}
	return nil
}

// createAckFile creates a file without acknowledgements, atomically.
func createAckFile(path string) (*os.File, error) {
	b := make([]byte, markSize)
	new(ackMark).append(b[:0], 0)
	if err := atomicfile.Write(path, b); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR, 0)
}

// acknowledge records that a revision is to be acknowledged, with all before it.
func (m *ackFile) acknowledge(index uint64, revision int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if revision <= m.now.revision {
		return nil
	}
	m.now.index, m.now.revision = max(index, m.now.index), revision
	return m.write()
}

// setDigest records the digest.
func (m *ackFile) setDigest(t digest) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now.tally = t
	return m.write()
}

// write writes the next turn. m.mu is held.
func (m *ackFile) write() error {
	m.turn++
	_, err := m.f.WriteAt(m.now.append(m.buf[:0], m.turn), int64(m.turn%2)*markPlace)
	return err
}

// sync fsyncs the file.
func (m *ackFile) sync() error {
	m.syncing.Lock()
	defer m.syncing.Unlock()
	m.mu.Lock()
	turn := m.turn
	m.mu.Unlock()
	if turn == m.synced {
		return nil
	}
	if err := m.f.Sync(); err != nil {
		return err
	}
	m.synced = turn
	return nil
}

// newest returns the newest mark.
func (m *ackFile) newest() ackMark {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

func (m *ackFile) close() {
	_ = m.sync() // the next start verifies it
	m.f.Close()
}
