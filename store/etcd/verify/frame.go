package verify

import (
	"encoding/binary"
	"hash/crc32"

	"google.golang.org/protobuf/encoding/protowire"
)

// The types of records in a log.
const (
	recordMetadata = 1 + iota
	recordEntry
	recordState
	recordCRC
	recordSnapshot
)

// frameHead is the length field before each record: 56 bits of length, little-endian, and in the
// highest byte 0x80 and the number of bytes of padding, if there is any. Frames begin at multiples
// of eight.
const frameHead = 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frameSize returns the length of a frame's record and of its padding. A length of zero is no frame.
func frameSize(head uint64) (record, padding int64) {
	record = int64(head &^ (0xff << 56))
	if head>>63 != 0 {
		padding = int64(head >> 56 & 7)
	}
	return record, padding
}

// record is a record of the log. data is a part of the parsed bytes.
type record struct {
	kind uint64
	crc  uint32 // of all data of the log up to and including this record; of recordCRC: before it
	data []byte
}

// parseRecord reads a record without its padding.
func parseRecord(b []byte) (r record, ok bool) {
	ok = fields(b, func(number protowire.Number, n uint64, data []byte) {
		switch number {
		case 1:
			r.kind = n
		case 2:
			r.crc = uint32(n)
		case 3:
			r.data = data
		}
	})
	return r, ok && r.kind >= recordMetadata && r.kind <= recordSnapshot
}

// follows reports whether a record can follow one with that CRC.
func (r *record) follows(crc uint32) bool {
	if r.kind == recordCRC {
		return r.crc == crc
	}
	return crc32.Update(crc, castagnoli, r.data) == r.crc
}

// fields yields the fields of a protobuf message: varints as n, length-delimited ones as data.
func fields(b []byte, yield func(number protowire.Number, n uint64, data []byte)) bool {
	for len(b) > 0 {
		number, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return false
		}
		b = b[size:]
		switch kind {
		case protowire.VarintType:
			var n uint64
			if n, size = protowire.ConsumeVarint(b); size >= 0 {
				yield(number, n, nil)
			}
		case protowire.BytesType:
			var data []byte
			if data, size = protowire.ConsumeBytes(b); size >= 0 {
				yield(number, 0, data)
			}
		default:
			size = protowire.ConsumeFieldValue(number, kind, b)
		}
		if size < 0 {
			return false
		}
		b = b[size:]
	}
	return true
}

// numberOf returns a varint field of a message; 0 if it is absent.
func numberOf(b []byte, field protowire.Number) (n uint64, ok bool) {
	ok = fields(b, func(number protowire.Number, v uint64, _ []byte) {
		if number == field {
			n = v
		}
	})
	return n, ok
}

// entryIndex returns the index of a raft entry, stateCommit the commit index of a raft state.
func entryIndex(data []byte) (uint64, bool)  { return numberOf(data, 3) }
func stateCommit(data []byte) (uint64, bool) { return numberOf(data, 3) }

// snapshotIndex returns the index of the last entry that a snapshot includes.
func snapshotIndex(data []byte) (uint64, bool) { return numberOf(data, 1) }

// frameAt parses the frame at the beginning of b, and returns its record and its length.
func frameAt(b []byte) (r record, size int, ok bool) {
	if len(b) < frameHead {
		return r, 0, false
	}
	length, padding := frameSize(binary.LittleEndian.Uint64(b))
	if length == 0 || length+padding > int64(len(b)-frameHead) || (length+padding)%8 != 0 {
		return r, 0, false
	}
	r, ok = parseRecord(b[frameHead : frameHead+length])
	return r, frameHead + int(length+padding), ok
}
