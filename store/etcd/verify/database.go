package verify

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// Database says what a database contains.
type Database struct {
	Index    uint64 // of the last log entry applied to it
	Revision int64  // of the newest change in it
}

// ReadDatabase reads a whole database, and checks that no page is in use twice and that keys are in
// order.
func ReadDatabase(path string) (Database, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return Database{}, damaged(path, "it is not there")
	}
	if err != nil {
		return Database{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Database{}, err
	}
	return readDatabase(f, path, info.Size())
}

// reader reads the pages of a database.
type reader struct {
	header
	in   io.ReaderAt
	file string
	seen []bool // pages
	out  Database
}

// depthMax is above the depth of any tree: a branch has two elements or more, and a file at most
// 2^32 pages.
const depthMax = 40

func readDatabase(in io.ReaderAt, file string, size int64) (Database, error) {
	r := reader{in: in, file: file}
	if err := r.headers(size); err != nil {
		return Database{}, err
	}
	if have, want := size, int64(r.used)*int64(r.pageSize); have < want || r.used > uint64(size) {
		return Database{}, damaged(file, "it has %d bytes, and its %d pages of %d are %d", have, r.used, r.pageSize, want)
	}
	r.seen = make([]bool, r.used)
	if err := r.tree(r.root, nil, nil, 0, r.bucket); err != nil {
		return Database{}, err
	}
	if err := r.free(); err != nil {
		return Database{}, err
	}
	return r.out, nil
}

// headers finds the newest valid one of the two headers.
func (r *reader) headers(size int64) error {
	found := false
	for _, at := range []int64{0, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536} { // the second is one page after the first
		var b [pageHead + 64]byte
		if at+int64(len(b)) > size {
			break
		}
		if _, err := r.in.ReadAt(b[:], at); err != nil {
			return fmt.Errorf("%s: %w", r.file, err)
		}
		h, ok := parseHeader(b[pageHead:])
		if ok && (at == 0 || int64(h.pageSize) == at) && (!found || h.txid > r.txid) {
			r.header, found = h, true
		}
	}
	if !found {
		return damaged(r.file, "neither of its two headers is whole")
	}
	return nil
}

// wrong returns the Damage of a page.
func (r *reader) wrong(id uint64, format string, args ...any) error {
	return damaged(r.file, "page %d: %s", id, fmt.Sprintf(format, args...))
}

// read reads a page with its overflow pages.
func (r *reader) read(id uint64) (page, error) {
	if id < 2 || id >= r.used {
		return page{}, r.wrong(id, "there are pages 2 to %d", r.used-1)
	}
	head := make([]byte, r.pageSize)
	if _, err := r.in.ReadAt(head, int64(id)*int64(r.pageSize)); err != nil {
		return page{}, fmt.Errorf("%s: %w", r.file, err)
	}
	own, more := binary.LittleEndian.Uint64(head), uint64(binary.LittleEndian.Uint32(head[12:]))
	if own != id || id+more >= r.used {
		return page{}, r.wrong(id, "it says that it is page %d, with %d behind it", own, more)
	}
	for n := id; n <= id+more; n++ {
		if r.seen[n] {
			return page{}, r.wrong(n, "it is in use twice")
		}
		r.seen[n] = true
	}
	if more > 0 {
		whole := make([]byte, (1+more)*uint64(r.pageSize))
		copy(whole, head)
		if _, err := r.in.ReadAt(whole[len(head):], int64(id+1)*int64(r.pageSize)); err != nil {
			return page{}, fmt.Errorf("%s: %w", r.file, err)
		}
		head = whole
	}
	p, why := parsePage(head)
	if why != "" {
		return page{}, r.wrong(id, "%s", why)
	}
	return p, nil
}

// each is called with the elements of leaves.
type each func(id uint64, key, value []byte, bucket bool) error

// tree visits a page and those below it, whose keys are at least low and below high (nil: no bound).
func (r *reader) tree(id uint64, low, high []byte, depth int, yield each) error {
	p, err := r.read(id)
	if err != nil {
		return err
	}
	if p.kind == pageLeaf {
		return r.leaf(id, &p, low, high, yield)
	}
	if depth == depthMax {
		return r.wrong(id, "more than %d pages are above it", depthMax)
	}
	before := low
	for i := range p.count {
		key, child, ok := p.branch(i)
		if !ok || !ordered(before, key, high, i) {
			return r.wrong(id, "element %d is wrong", i)
		}
		to := high
		if i+1 < p.count {
			if to, _, ok = p.branch(i + 1); !ok {
				return r.wrong(id, "element %d is wrong", i+1)
			}
		}
		if err := r.tree(child, key, to, depth+1, yield); err != nil {
			return err
		}
		before = key
	}
	return nil
}

// leaf visits the elements of one page, or of an inline one.
func (r *reader) leaf(id uint64, p *page, low, high []byte, yield each) error {
	before := low
	for i := range p.count {
		key, value, bucket, ok := p.leaf(i)
		if !ok || !ordered(before, key, high, i) {
			return r.wrong(id, "element %d is wrong", i)
		}
		if err := yield(id, key, value, bucket); err != nil {
			return err
		}
		before = key
	}
	return nil
}

// ordered reports whether key i of a page is above the one before it, or not below the page's lower
// bound, and below its upper bound.
func ordered(before, key, high []byte, i int) bool {
	c := bytes.Compare(before, key)
	return (c < 0 || c == 0 && i == 0) && (high == nil || bytes.Compare(key, high) < 0)
}

// bucket visits the keys of a bucket.
func (r *reader) bucket(id uint64, name, value []byte, bucket bool) error {
	if !bucket || len(value) < bucketHead {
		return r.wrong(id, "%q is no bucket", name)
	}
	yield := content[string(name)]
	if yield == nil {
		yield = content[""]
	}
	take := func(id uint64, key, value []byte, bucket bool) error {
		if bucket || !yield(&r.out, key, value) {
			return r.wrong(id, "key %x of bucket %s is wrong", key, name)
		}
		return nil
	}
	if root := binary.LittleEndian.Uint64(value); root != 0 {
		return r.tree(root, nil, nil, 0, take)
	}
	p, why := parsePage(value[bucketHead:])
	if why != "" || p.kind != pageLeaf {
		return r.wrong(id, "bucket %s: a page in it is wrong: %s", name, why)
	}
	return r.leaf(id, &p, nil, nil, take)
}

// free checks the free list, if there is one: a page in it that is in use would be overwritten.
func (r *reader) free() error {
	if r.freelist == noFreelist {
		return nil
	}
	id := r.freelist
	if id < 2 || id >= r.used || r.seen[id] {
		return r.wrong(id, "it cannot be the list of free pages")
	}
	b := make([]byte, r.pageSize)
	at := int64(id) * int64(r.pageSize)
	if _, err := r.in.ReadAt(b, at); err != nil {
		return fmt.Errorf("%s: %w", r.file, err)
	}
	more, count, from := uint64(binary.LittleEndian.Uint32(b[12:])), uint64(binary.LittleEndian.Uint16(b[10:])), pageHead
	if binary.LittleEndian.Uint64(b) != id || binary.LittleEndian.Uint16(b[8:]) != pageFreelist || id+more >= r.used {
		return r.wrong(id, "it is no list of free pages")
	}
	b = make([]byte, (1+more)*uint64(r.pageSize))
	if _, err := r.in.ReadAt(b, at); err != nil {
		return fmt.Errorf("%s: %w", r.file, err)
	}
	if count == 0xffff { // the length of a longer list comes first
		count, from = binary.LittleEndian.Uint64(b[pageHead:]), pageHead+8
	}
	if count > uint64(len(b)-from)/8 {
		return r.wrong(id, "it has no room for %d free pages", count)
	}
	for i := range int(count) {
		if p := binary.LittleEndian.Uint64(b[from+8*i:]); p < 2 || p >= r.used || r.seen[p] || p >= id && p <= id+more {
			return r.wrong(id, "page %d is not free", p)
		}
	}
	return nil
}
