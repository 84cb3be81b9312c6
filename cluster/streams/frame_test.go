package streams

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// FuzzFrames: any bytes are frames, or an error; no frame is longer than the limit, and frames are written as they were
// read.
func FuzzFrames(f *testing.F) {
	b := header{5, frameData, 3, 7}.append(nil)
	b = append(b, "hello"...)
	f.Add(b)
	f.Add(header{0, frameBegin, 3, 8}.append(b))
	f.Add(header{1 << 30, frameData, 3, 7}.append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		const limit = 100
		r := frameReader{r: bytes.NewReader(b), limit: limit}
		var again []byte
		for {
			h, payload, err := r.next()
			if err != nil {
				if errors.Is(err, io.EOF) && !bytes.Equal(again, b) {
					t.Errorf("%x was read as %x", b, again)
				}
				return
			}
			if len(payload) != h.length || h.length > limit {
				t.Fatalf("%+v with %d bytes", h, len(payload))
			}
			again = append(h.append(again), payload...)
		}
	})
}
