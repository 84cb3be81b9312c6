package verify

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// logWriter writes a log as etcd does.
type logWriter struct {
	b   []byte
	crc uint32
}

func (w *logWriter) record(kind uint64, data []byte) {
	if kind != recordCRC {
		w.crc = crc32.Update(w.crc, castagnoli, data)
	}
	r := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), kind)
	r = protowire.AppendVarint(protowire.AppendTag(r, 2, protowire.VarintType), uint64(w.crc))
	if data != nil {
		r = protowire.AppendBytes(protowire.AppendTag(r, 3, protowire.BytesType), data)
	}
	head := uint64(len(r))
	if pad := -len(r) & 7; pad > 0 {
		head |= uint64(0x80|pad) << 56
		r = append(r, make([]byte, pad)...)
	}
	w.b = append(binary.LittleEndian.AppendUint64(w.b, head), r...)
}

func number(n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, 3, protowire.VarintType), n)
}

// batch is one synchronisation of a member that is alone: an entry, and the commit of the one
// before.
func (w *logWriter) batch(i uint64) {
	w.record(recordEntry, append(number(i), protowire.AppendBytes(protowire.AppendTag(nil, 4, protowire.BytesType),
		bytes.Repeat([]byte{0xaa}, 900))...))
	w.record(recordState, number(i-1))
}

func sampleLog(entries uint64) []byte {
	var w logWriter
	w.record(recordCRC, nil)
	w.record(recordMetadata, []byte{8, 1})
	for i := uint64(1); i <= entries; i++ {
		w.batch(i)
	}
	return w.b
}

func readOne(t testing.TB, b []byte) (Log, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%016x-%016x.wal", 0, 0)), b, 0o600); err != nil {
		t.Fatal(err)
	}
	return ReadLog(dir)
}

// kind gives the first record of one kind another one. No checksum covers it.
func kind(b []byte, from, to byte) {
	for len(b) > 0 {
		r, size, ok := frameAt(b)
		if !ok || r.kind == uint64(from) {
			b[frameHead+1] = to
			return
		}
		b = b[size:]
	}
}

// lastCRC is the checksum up to the end of a log.
func lastCRC(t *testing.T, b []byte) (crc uint32) {
	t.Helper()
	for len(b) > 0 {
		r, size, ok := frameAt(b)
		if !ok {
			t.Fatal("the sample is no log")
		}
		crc, b = r.crc, b[size:]
	}
	return crc
}

// TestEndsOfLogs: what is behind the last whole record is a tail that nobody was told of, unless it
// says itself that more was committed.
func TestEndsOfLogs(t *testing.T) {
	whole := sampleLog(20)
	preallocated := append(whole[:len(whole):len(whole)], make([]byte, 5000)...)
	told := logWriter{b: append([]byte{}, whole...), crc: lastCRC(t, whole)}
	told.record(recordState, number(21))
	change := func(f func(b []byte)) []byte {
		b := append([]byte{}, preallocated...)
		f(b)
		return b
	}
	for _, c := range []struct {
		name    string
		b       []byte
		last    uint64
		torn    bool
		damaged string
	}{
		{"preallocated", preallocated, 20, false, ""},
		{"as long as its records", whole, 20, false, ""},
		{"whole, and says that a further entry was committed", told.b, 0, false,
			"its last whole entry is 20, and entries up to 21 were committed"},
		{"the same, preallocated", append(told.b[:len(told.b):len(told.b)], make([]byte, 5000)...), 0, false, "were committed"},
		{"cut in the last entry", whole[:len(whole)-200], 19, true, ""},
		{"garbage behind the end", change(func(b []byte) { b[len(whole)+100] = 1 }), 20, true, ""},
		{"the last record is torn", change(func(b []byte) { clear(b[len(whole)-512:]) }), 19, true, ""},
		{"a page of zeros in the middle", change(func(b []byte) { clear(b[8192:12288]) }), 0, false, "were committed"},
		{"a bit in the middle", change(func(b []byte) { b[9000] ^= 1 }), 0, false, "were committed"},
		{"a state whose kind says metadata", change(func(b []byte) { kind(b, recordState, recordMetadata) }), 0, false,
			"metadata differs"},
		{"metadata whose kind says snapshot", change(func(b []byte) { kind(b, recordMetadata, recordSnapshot) }), 0, false,
			"no metadata"},
		{"a length in the middle", change(func(b []byte) { binary.LittleEndian.PutUint64(b[16:], 1<<40) }), 0,
			false, "were committed"},
	} {
		l, err := readOne(t, c.b)
		var d *Damage
		switch {
		case c.damaged == "" && (err != nil || l.Last != c.last || l.Torn != c.torn):
			t.Errorf("%s: %+v, %v", c.name, l, err)
		case c.damaged != "" && (!errors.As(err, &d) || !strings.Contains(d.What, c.damaged) ||
			!strings.HasSuffix(d.File, ".wal")):
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestFilesOfLogs: the checksum goes on from file to file, none is missing, and only the last may
// have an end.
func TestFilesOfLogs(t *testing.T) {
	var w logWriter
	head := func() {
		w.b = nil
		w.record(recordCRC, nil)
		w.record(recordMetadata, []byte{8, 1})
	}
	head()
	for i := uint64(1); i <= 5; i++ {
		w.batch(i)
	}
	first := w.b
	head()
	w.batch(6)
	second := w.b
	head()
	w.batch(7)
	third := append(w.b, make([]byte, 100)...)
	for _, c := range []struct {
		name  string
		files [][]byte
		last  uint64
		what  string
	}{
		{"all", [][]byte{first, second, third}, 7, ""},
		{"the oldest is gone", [][]byte{nil, second, third}, 7, ""},
		{"one is missing", [][]byte{first, nil, third}, 0, "number 1"},
		{"one ends early", [][]byte{first[:len(first)-16], second}, 0, "cannot be"},
		{"one has room at its end", [][]byte{append(first[:len(first):len(first)], make([]byte, 16)...), second}, 0, "no record"},
		{"two are exchanged", [][]byte{second, first}, 0, "follows"},
		{"none", nil, 0, ""},
	} {
		dir := t.TempDir()
		for i, b := range c.files {
			if b != nil {
				name := fmt.Sprintf("%016x-%016x.wal", i, []uint64{0, 6, 7}[i])
				if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		if l, err := ReadLog(dir); c.what == "" && (err != nil || l.Last != c.last) || c.what != "" &&
			(err == nil || !strings.Contains(err.Error(), c.what)) {
			t.Errorf("%s: %+v, %v", c.name, l, err)
		}
	}
	if l, err := ReadLog(filepath.Join(t.TempDir(), "nothing")); err != nil || len(l.Files) != 0 {
		t.Errorf("no directory: %+v, %v", l, err)
	}
}

// FuzzLog: any bytes are read without a panic, and what is a whole log is within them.
func FuzzLog(f *testing.F) {
	for _, n := range []uint64{0, 1, 9} {
		f.Add(sampleLog(n))
	}
	f.Add(append(sampleLog(3)[:2000], sampleLog(9)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := readOne(t, b)
		var d *Damage
		if err != nil && !errors.As(err, &d) || l.End > int64(len(b)) || l.Last > uint64(len(b)) {
			t.Errorf("%+v, %v", l, err)
		}
	})
}
