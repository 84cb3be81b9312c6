package verify

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
)

// Kinds of pages, and sizes of what is in them.
const (
	pageBranch   = 0x01
	pageLeaf     = 0x02
	pageMeta     = 0x04
	pageFreelist = 0x10

	pageHead   = 16 // number (8), kind (2), elements (2), overflow pages (4)
	element    = 16
	bucketHead = 16 // root page (8), sequence (8); a root of 0: the page is inline
	bucketFlag = 1

	metaMagic   = 0xED0CDAED
	metaVersion = 2
	noFreelist  = ^uint64(0)
)

// header is a header (meta page) of a database.
type header struct {
	pageSize             int
	root, freelist, used uint64 // pages; those from used on are not in use
	txid                 uint64
}

// parseHeader parses a header: a meta page without its page head.
func parseHeader(b []byte) (h header, ok bool) {
	u32, u64 := binary.LittleEndian.Uint32, binary.LittleEndian.Uint64
	if len(b) < 64 || u32(b) != metaMagic || u32(b[4:]) != metaVersion {
		return h, false
	}
	sum := fnv.New64a()
	sum.Write(b[:56])
	h = header{int(u32(b[8:])), u64(b[16:]), u64(b[32:]), u64(b[40:]), u64(b[48:])}
	fits := h.pageSize >= 512 && h.pageSize <= 1<<16 && h.pageSize&(h.pageSize-1) == 0
	return h, fits && u64(b[56:]) == sum.Sum64()
}

// page is a branch or a leaf with its overflow pages, or an inline leaf in a bucket's value.
type page struct {
	kind, count int
	b           []byte
}

func parsePage(b []byte) (p page, why string) {
	if len(b) < pageHead {
		return p, "it is cut off"
	}
	p = page{int(binary.LittleEndian.Uint16(b[8:])), int(binary.LittleEndian.Uint16(b[10:])), b}
	if p.kind != pageBranch && p.kind != pageLeaf {
		return p, fmt.Sprintf("it is of kind %#x, want a branch or a leaf", p.kind)
	}
	if pageHead+p.count*element > len(b) {
		return p, fmt.Sprintf("it has no room for its %d elements", p.count)
	}
	if p.kind == pageBranch && p.count == 0 {
		return p, "it is a branch without elements"
	}
	return p, ""
}

// branch returns element i of a branch: the first key of a page, and the page.
func (p *page) branch(i int) (key []byte, child uint64, ok bool) {
	at := pageHead + i*element
	e := p.b[at:]
	key, ok = p.cut(at, binary.LittleEndian.Uint32(e), binary.LittleEndian.Uint32(e[4:]))
	return key, binary.LittleEndian.Uint64(e[8:]), ok
}

// leaf returns element i of a leaf.
func (p *page) leaf(i int) (key, value []byte, bucket, ok bool) {
	at := pageHead + i*element
	e := p.b[at:]
	flags, pos := binary.LittleEndian.Uint32(e), binary.LittleEndian.Uint32(e[4:])
	ksize, vsize := binary.LittleEndian.Uint32(e[8:]), binary.LittleEndian.Uint32(e[12:])
	key, ok = p.cut(at, pos, ksize)
	if !ok || flags > bucketFlag {
		return nil, nil, false, false
	}
	value, ok = p.cut(at+int(ksize), pos, vsize)
	return key, value, flags == bucketFlag, ok
}

// cut returns size bytes at an offset pos from an element.
func (p *page) cut(at int, pos, size uint32) ([]byte, bool) {
	from := int64(at) + int64(pos)
	to := from + int64(size)
	if from < int64(pageHead+p.count*element) || to > int64(len(p.b)) {
		return nil, false
	}
	return p.b[from:to:to], true
}
