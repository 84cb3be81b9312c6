package session

// input is the reader's buffer. It starts small, grows while reads fill it, and shrinks when the
// session is idle.
type input struct {
	buf     []byte
	r, w    int // the bytes read and not yet handed over are buf[r:w]
	largest int // largest read since the last call of shrink
}

// room returns the free part of the buffer, at least one byte, for the next read.
func (in *input) room() []byte {
	if in.buf == nil {
		in.buf = make([]byte, minReadBuffer)
	}
	if in.r > 0 {
		in.w = copy(in.buf, in.buf[in.r:in.w])
		in.r = 0
	}
	if in.w == len(in.buf) {
		in.grow()
	}
	return in.buf[in.w:]
}

func (in *input) grow() {
	bigger := make([]byte, min(4*len(in.buf), maxReadBuffer))
	copy(bigger, in.buf[:in.w])
	in.buf = bigger
}

// filled records a read of n bytes.
func (in *input) filled(n int) {
	in.w += n
	in.largest = max(in.largest, n)
}

// next returns the next whole message, or false if it is not there yet. Of a message whose
// length is below that of a header, or that is not whole and makes no sense by its header, it hands
// over the header.
func (in *input) next(sense func(header []byte) bool) ([]byte, bool) {
	rest := in.buf[in.r:in.w]
	if len(rest) < 8 {
		return nil, false
	}
	n := max(int(rest[2])<<8|int(rest[3]), 8)
	if len(rest) < n && !sense(rest[:8]) {
		n = 8
	}
	if len(rest) < n {
		return nil, false
	}
	in.r += n
	return rest[:n:n], true
}

// adapt grows the buffer after a batch whose read filled it.
func (in *input) adapt() {
	if in.w == len(in.buf) && len(in.buf) < maxReadBuffer {
		in.grow()
	}
}

// large reports whether the buffer is larger than an idle session's.
func (in *input) large() bool { return len(in.buf) > minReadBuffer }

// shrink frees a large buffer if no read since the last call needed it.
func (in *input) shrink() {
	if in.r == in.w && in.large() && in.largest <= minReadBuffer {
		in.buf, in.r, in.w = nil, 0, 0
	}
	in.largest = 0
}
