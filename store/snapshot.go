package store

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
)

// The format of a snapshot: the head line, then for each pair, in the order of keys, a 1 byte, the
// lengths of key and value as 32-bit big-endian numbers, key and value; at the end a 0 byte, the
// revision and the number of pairs as 64-bit big-endian numbers, and the SHA-256 of all before it.
// Keys with a lease are left out: they belong to a process that ran then.
const (
	snapshotHead = "weir-snapshot 1\n"
	pairsAtOnce  = 64
	maxValue     = 64 << 20
)

// ErrSnapshot: the snapshot is incomplete or damaged.
var ErrSnapshot = errors.New("not a whole snapshot")

// Contents describe a snapshot.
type Contents struct {
	Revision Revision // at which it was taken
	Pairs    int64
	Sum      [sha256.Size]byte // of all keys and values: equal for equal pairs, independent of the store
}

// WriteSnapshot writes all pairs of a store at one revision. held are the revisions that the
// store's Compact keeps.
func WriteSnapshot(ctx context.Context, st Store, held *PinnedRevisions, w io.Writer) error {
	held.pin(0) // no compaction until the revision is known
	defer held.unpin(0)
	first, err := st.Range(ctx, Query{Span: Prefix(""), Limit: 1, KeysOnly: true})
	if err != nil {
		return err
	}
	at := first.Revision
	held.pin(at)
	defer held.unpin(at)
	held.unpin(0)
	out := newSnapshotWriter(w)
	_, err = Each(ctx, st, Query{Span: Prefix(""), Limit: pairsAtOnce, Revision: at}, func(p *Pair) {
		if p.Lease == 0 {
			out.pair(p)
		}
	})
	if err != nil {
		return err
	}
	return out.end(at)
}

// snapshotWriter writes to a writer and a hash. After an error it writes nothing more.
type snapshotWriter struct {
	to    io.Writer
	sum   hash.Hash
	w     *bufio.Writer // to both
	pairs int64
}

func newSnapshotWriter(to io.Writer) *snapshotWriter {
	s := &snapshotWriter{to: to, sum: sha256.New()}
	s.w = bufio.NewWriterSize(io.MultiWriter(to, s.sum), 1<<16)
	s.w.WriteString(snapshotHead)
	return s
}

func (s *snapshotWriter) pair(p *Pair) {
	var head [9]byte
	head[0] = 1
	binary.BigEndian.PutUint32(head[1:], uint32(len(p.Key)))
	binary.BigEndian.PutUint32(head[5:], uint32(len(p.Value)))
	s.w.Write(head[:])
	s.w.Write(p.Key)
	s.w.Write(p.Value)
	s.pairs++
}

func (s *snapshotWriter) end(at Revision) error {
	var tail [17]byte
	binary.BigEndian.PutUint64(tail[1:], uint64(at))
	binary.BigEndian.PutUint64(tail[9:], uint64(s.pairs))
	s.w.Write(tail[:])
	if err := s.w.Flush(); err != nil {
		return err
	}
	_, err := s.to.Write(s.sum.Sum(nil))
	return err
}

// ReadSnapshot reads and verifies a snapshot. each may be nil; it is called before the checksum has
// been verified, and its error ends the reading. An error that wraps ErrSnapshot says what is
// wrong.
func ReadSnapshot(r io.Reader, each func(key, value []byte) error) (Contents, error) {
	s := snapshotReader{sum: sha256.New(), pairs: sha256.New()}
	s.in = bufio.NewReaderSize(r, 1<<16)
	c, err := s.read(each)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%w: it ends too early", ErrSnapshot)
	}
	return c, err
}

type snapshotReader struct {
	in         *bufio.Reader
	sum, pairs hash.Hash
}

// take reads n bytes and adds them to the sum. It allocates as bytes arrive, not by the stated length.
func (s *snapshotReader) take(n int) ([]byte, error) {
	const step = 1 << 20
	b := make([]byte, 0, min(n, step))
	for len(b) < n {
		at := len(b)
		b = append(b, make([]byte, min(n-at, step))...)
		if _, err := io.ReadFull(s.in, b[at:]); err != nil {
			return nil, err
		}
	}
	s.sum.Write(b)
	return b, nil
}

func (s *snapshotReader) read(each func(key, value []byte) error) (c Contents, err error) {
	head, err := s.take(len(snapshotHead))
	if err != nil {
		return c, err
	}
	if string(head) != snapshotHead {
		return c, fmt.Errorf("%w: it begins with %q, want %q", ErrSnapshot, head, snapshotHead)
	}
	for {
		mark, err := s.take(1)
		if err != nil {
			return c, err
		}
		if mark[0] == 0 {
			return c, s.end(&c)
		}
		if err := s.pair(mark[0], each); err != nil {
			return c, err
		}
		c.Pairs++
	}
}

func (s *snapshotReader) pair(mark byte, each func(key, value []byte) error) error {
	sizes, err := s.take(8)
	if err != nil {
		return err
	}
	keyLen, valueLen := binary.BigEndian.Uint32(sizes), binary.BigEndian.Uint32(sizes[4:])
	if mark != 1 || keyLen == 0 || keyLen > MaxKey || valueLen > maxValue {
		return fmt.Errorf("%w: a pair begins with %d, %d, %d", ErrSnapshot, mark, keyLen, valueLen)
	}
	key, err := s.take(int(keyLen))
	if err != nil {
		return err
	}
	value, err := s.take(int(valueLen))
	if err != nil {
		return err
	}
	s.pairs.Write(sizes)
	s.pairs.Write(key)
	s.pairs.Write(value)
	if each == nil {
		return nil
	}
	return each(key, value)
}

func (s *snapshotReader) end(c *Contents) error {
	tail, err := s.take(16)
	if err != nil {
		return err
	}
	c.Revision = Revision(binary.BigEndian.Uint64(tail))
	if n := int64(binary.BigEndian.Uint64(tail[8:])); n != c.Pairs {
		return fmt.Errorf("%w: it holds %d pairs and says %d", ErrSnapshot, c.Pairs, n)
	}
	want := s.sum.Sum(nil)
	got := make([]byte, len(want))
	if _, err := io.ReadFull(s.in, got); err != nil {
		return err
	}
	if string(got) != string(want) {
		return fmt.Errorf("%w: its checksum is wrong", ErrSnapshot)
	}
	if _, err := s.in.ReadByte(); err != io.EOF {
		return fmt.Errorf("%w: something follows it", ErrSnapshot)
	}
	s.pairs.Sum(c.Sum[:0])
	return nil
}

// Restore fills an empty store from a snapshot, which is read twice: it is verified before the
// first change. Each transaction is durable, but the whole is not atomic: after an error start
// again with an empty store.
func Restore(ctx context.Context, st Store, r io.ReadSeeker) (Contents, error) {
	contents, err := ReadSnapshot(r, nil)
	if err != nil {
		return contents, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return contents, err
	}
	there, err := st.Range(ctx, Query{Span: Prefix(""), Limit: 1, KeysOnly: true})
	if err != nil {
		return contents, err
	}
	if len(there.Pairs) > 0 {
		return contents, fmt.Errorf("%w: a snapshot is restored into an empty store, and this one holds %q",
			ErrInvalid, there.Pairs[0].Key)
	}
	in := &batchWriter{ctx: ctx, st: st}
	again, err := ReadSnapshot(r, in.add)
	if err == nil {
		err = in.flush()
	}
	if err == nil && again != contents {
		err = fmt.Errorf("%w: it changed while it was read", ErrSnapshot)
	}
	return contents, err
}

// batchWriter puts pairs into a store, many in each transaction.
type batchWriter struct {
	ctx  context.Context
	st   Store
	txn  Txn
	size int
}

func (f *batchWriter) add(key, value []byte) error {
	if n := len(key) + len(value); f.size+n > MaxTxnBytes || len(f.txn.Then) == MaxTxnOps {
		if err := f.flush(); err != nil {
			return err
		}
	}
	f.txn.Then = append(f.txn.Then, Put(key, value))
	f.size += len(key) + len(value)
	return nil
}

func (f *batchWriter) flush() error {
	if len(f.txn.Then) == 0 {
		return nil
	}
	_, err := f.st.Txn(f.ctx, f.txn)
	f.txn.Then, f.size = nil, 0
	return err
}
