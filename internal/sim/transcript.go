package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
)

// transcript is what is written down of a run: a hash of all that sessions were handed, with its
// time; what is told to who follows it; and what is wrong, the first of which ends it.
type transcript struct {
	clock *clock
	hash  hash.Hash
	words []byte // before they are hashed
	trace func(format string, args ...any)
	wrong []string
}

func newTranscript(c *clock, trace func(string, ...any)) transcript {
	return transcript{clock: c, hash: sha256.New(), trace: trace}
}

// outcome is what came of the run, so far.
func (t *transcript) outcome() Outcome {
	return Outcome{Hash: fmt.Sprintf("%x", t.hash.Sum(nil)[:8]), Wrong: t.wrong, Simulated: t.clock.elapsed()}
}

// note writes words into the hash, with the time.
func (t *transcript) note(kind byte, id int, b []byte) {
	t.words = append(t.words[:0], kind)
	t.words = binary.BigEndian.AppendUint64(t.words, uint64(t.clock.elapsed()))
	t.words = binary.BigEndian.AppendUint32(t.words, uint32(id))
	t.words = binary.BigEndian.AppendUint32(t.words, uint32(len(b)))
	t.hash.Write(t.words)
	t.hash.Write(b)
}

// fail notes that something is wrong, and ends the run.
func (t *transcript) fail(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	t.say("wrong: %s", text)
	t.wrong = append(t.wrong, text)
}

// say tells who follows the run.
func (t *transcript) say(format string, args ...any) {
	if t.trace != nil {
		t.trace("%9.3f %s", t.clock.elapsed().Seconds(), fmt.Sprintf(format, args...))
	}
}
