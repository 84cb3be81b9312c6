package attach

// Limits of a batch and of the queue.
const (
	// maxBatch is how many frames are read at a time.
	maxBatch = 64
	// maxFrame is the longest frame, in bytes: that of the highest MTU that Linux gives a TAP
	// device, with a VLAN tag.
	maxFrame = 65535 + 18
	// maxQueued and maxQueuedBytes are what waits to be written, at most.
	maxQueued      = 4096
	maxQueuedBytes = 8 << 20
)

// Batch is room for the frames that are read at a time. Its memory is touched as far as frames are
// long.
type Batch struct {
	frames [][]byte
	room   []byte
}

// NewBatch makes one.
func NewBatch() *Batch {
	return &Batch{frames: make([][]byte, 0, maxBatch), room: make([]byte, maxBatch*maxFrame)}
}

// full reports whether there is no room for one more frame.
func (b *Batch) full() bool { return len(b.frames) == maxBatch }

// next is the room for one more frame.
func (b *Batch) next() []byte {
	i := len(b.frames) * maxFrame
	return b.room[i : i+maxFrame : i+maxFrame]
}

// add adds the frame of some bytes that the next room has.
func (b *Batch) add(size int) { b.frames = append(b.frames, b.next()[:size]) }
