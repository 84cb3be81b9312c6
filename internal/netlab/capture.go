package netlab

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
)

// capture is a growing pcap file, read as it grows.
type capture struct {
	file *os.File
	rest []byte // read, but not yet a whole record
	head bool   // the header of the file has been read
	buf  [1 << 16]byte
}

const (
	pcapHeader = 24 // bytes: magic, version, zone, accuracy, longest, link type
	pcapRecord = 16 // bytes: seconds, microseconds, captured, original length
)

func openCapture(t testing.TB, name string) *capture {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return &capture{file: file}
}

// read returns the frames that have been written since the last call. A record of which only the
// beginning is there comes with the next call.
func (c *capture) read() (frames [][]byte, err error) {
	for {
		n, err := c.file.Read(c.buf[:])
		c.rest = append(c.rest, c.buf[:n]...)
		if n == 0 || errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if !c.head {
		if len(c.rest) < pcapHeader {
			return nil, nil
		}
		if magic := binary.NativeEndian.Uint32(c.rest); magic != 0xa1b2c3d4 {
			return nil, fmt.Errorf("%s: magic %08x of another machine or format", c.file.Name(), magic)
		}
		c.rest, c.head = c.rest[pcapHeader:], true
	}
	for len(c.rest) >= pcapRecord {
		end := pcapRecord + int(binary.NativeEndian.Uint32(c.rest[8:]))
		if len(c.rest) < end {
			break
		}
		frames = append(frames, append([]byte{}, c.rest[pcapRecord:end]...))
		c.rest = c.rest[end:]
	}
	if len(c.rest) == 0 {
		c.rest = nil
	}
	return frames, nil
}
