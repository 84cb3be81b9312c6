package emu

// buffers are an engine's frames that are not in use, by their room: a frame is copied into one at
// each link, and given back when the receiver has had it. What goes to another engine stays there.
type buffers struct {
	free [len(rooms)][][]byte
}

// rooms are the sizes of buffers; longer frames have buffers of their own, which are not kept.
var rooms = [...]int{128, 512, 2048}

// keepBuffers is how many of each size an engine keeps.
const keepBuffers = 2048

// copyOf is a copy of a frame.
func (p *buffers) copyOf(frame []byte) []byte {
	for i, room := range rooms {
		if len(frame) > room {
			continue
		}
		if last := len(p.free[i]) - 1; last >= 0 {
			b := p.free[i][last][:len(frame)]
			p.free[i] = p.free[i][:last]
			copy(b, frame)
			return b
		}
		break
	}
	return newCopy(frame)
}

// newCopy is a copy of a frame in a buffer that some engine may keep.
func newCopy(frame []byte) []byte {
	room := len(frame)
	for _, r := range rooms {
		if room <= r {
			room = r
			break
		}
	}
	b := make([]byte, len(frame), room)
	copy(b, frame)
	return b
}

// put gives a buffer back: nobody looks at it any more.
func (p *buffers) put(b []byte) {
	for i, room := range rooms {
		if cap(b) == room && len(p.free[i]) < keepBuffers {
			p.free[i] = append(p.free[i], b)
			return
		}
	}
}
