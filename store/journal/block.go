package journal

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
)

// A block is a format byte, records, and a CRC-32C of all before it, little-endian. A record is its
// number shifted left by one as a uvarint, odd for a withdrawal; else its length as a uvarint and
// its bytes follow.
const (
	blockFormat   = 1
	blockHead     = 1
	blockTail     = 4
	withdrawn     = 1
	recordHeadMax = 2 * binary.MaxVarintLen32
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrDamaged: a block is damaged.
var ErrDamaged = errors.New("a block of the journal is damaged")

// Record is a number with bytes, or the withdrawal of the number.
type Record struct {
	Number uint32
	Delete bool
	Data   []byte // empty where Delete
}

// append encodes a record.
func (r *Record) append(b []byte) []byte {
	if r.Delete {
		return binary.AppendUvarint(b, uint64(r.Number)<<1|withdrawn)
	}
	b = binary.AppendUvarint(b, uint64(r.Number)<<1)
	b = binary.AppendUvarint(b, uint64(len(r.Data)))
	return append(b, r.Data...)
}

// size returns the most bytes that append adds.
func (r *Record) size() int { return recordHeadMax + len(r.Data) }

// next decodes the first record of b; Data is a part of b. n is its length; 0 if there is none.
func next(b []byte) (r Record, n int) {
	head, n := binary.Uvarint(b)
	if n <= 0 || head>>1 > math.MaxUint32 {
		return r, 0
	}
	r.Number, r.Delete = uint32(head>>1), head&withdrawn != 0
	if r.Delete {
		return r, n
	}
	size, m := binary.Uvarint(b[n:])
	if m <= 0 || size > uint64(len(b)-n-m) {
		return r, 0
	}
	n += m
	r.Data = b[n : n+int(size)]
	return r, n + int(size)
}

// seal appends the checksum of a block.
func seal(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// walk checks a sealed block, and then yields its records with their offsets in it.
func walk(b []byte, each func(r Record, at, size int)) error {
	if len(b) < blockHead+blockTail || b[0] != blockFormat {
		return ErrDamaged
	}
	end := len(b) - blockTail
	if crc32.Checksum(b[:end], castagnoli) != binary.LittleEndian.Uint32(b[end:]) {
		return ErrDamaged
	}
	for at := blockHead; at < end; {
		_, n := next(b[at:end])
		if n == 0 {
			return ErrDamaged
		}
		at += n
	}
	records(b, each)
	return nil
}

// records yields the records of a block that is known to be whole.
func records(b []byte, each func(r Record, at, size int)) {
	for at, end := blockHead, len(b)-blockTail; at < end; {
		r, n := next(b[at:end])
		each(r, at, n)
		at += n
	}
}
