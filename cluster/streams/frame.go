package streams

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// frameType is what a frame is for.
type frameType uint8

// The types of frames, and the lanes on which they go.
const (
	frameHeartbeat frameType = 1 // beats: a heartbeat
	frameMessage   frameType = 2 // messages
	frameRequest   frameType = 3 // messages: 4 bytes of milliseconds that the asker waits, and the request
	frameAnswer    frameType = 4 // messages
	frameRefusal   frameType = 5 // messages: instead of an answer, a text
	frameBegin     frameType = 6 // bulk: a stream begins
	frameData      frameType = 7 // bulk: a part of it
	frameEnd       frameType = 8 // bulk: the sender ends it; a text says why, none that it is complete
	frameStop      frameType = 9 // bulk: the receiver ends it; a text says why
)

// header is what stands before each payload, in big endian: the payload's length (4), the type (1), 0 (1), the kind (2),
// and a number (4): that of a request or of a bulk stream, chosen by the one who begins it, among those of the connection.
type header struct {
	length int
	typ    frameType
	kind   uint16
	number uint32
}

const headerLength = 12

// append appends a header's bytes.
func (h header) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(h.length))
	b = append(b, byte(h.typ), 0)
	b = binary.BigEndian.AppendUint16(b, h.kind)
	return binary.BigEndian.AppendUint32(b, h.number)
}

// parseHeader reads a header's bytes. Its payload may be as long as limit.
func parseHeader(b []byte, limit int) (header, error) {
	h := header{int(binary.BigEndian.Uint32(b)), frameType(b[4]), binary.BigEndian.Uint16(b[6:]), binary.BigEndian.Uint32(b[8:])}
	switch {
	case h.length > limit:
		return h, fmt.Errorf("frame of %d bytes, want at most %d", h.length, limit)
	case h.typ < frameHeartbeat || h.typ > frameStop || b[5] != 0:
		return h, fmt.Errorf("frame of type %d.%d, want 1 to %d", h.typ, b[5], frameStop)
	}
	return h, nil
}

// frameReader reads frames, each into the same buffer.
type frameReader struct {
	r     io.Reader
	limit int // of a payload
	head  [headerLength]byte
	buf   []byte
}

// next reads a frame. The payload is valid until the next call.
func (f *frameReader) next() (header, []byte, error) {
	if _, err := io.ReadFull(f.r, f.head[:]); err != nil {
		return header{}, nil, err
	}
	h, err := parseHeader(f.head[:], f.limit)
	if err != nil {
		return h, nil, err
	}
	if cap(f.buf) < h.length {
		f.buf = make([]byte, h.length)
	}
	b := f.buf[:h.length]
	if _, err = io.ReadFull(f.r, b); errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // the header has come
	}
	return h, b, err
}
