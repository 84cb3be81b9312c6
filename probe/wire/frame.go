package wire

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Limits of messages, in bytes of JSON.
const (
	// Short is the longest message but an answer.
	Short = 64 << 10
	// Long is the longest answer: MaxPassages take less.
	Long = 48 << 20
)

// MaxPassages is how many an answer has at most.
const MaxPassages = 1 << 16

// ErrMessage is the error of what is no message of this protocol.
var ErrMessage = errors.New("not a message of weir probe")

// Write writes a message, all at once.
func Write(w io.Writer, message any) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	if len(text) > Long {
		return fmt.Errorf("a message of %d bytes, want %d at most", len(text), Long)
	}
	_, err = w.Write(append(binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(text)), uint32(len(text))), text...))
	return err
}

// Read reads a message of at most limit bytes. The error is the reader's, or wraps ErrMessage.
func Read(r io.Reader, limit int, message any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	n := int64(binary.BigEndian.Uint32(head[:]))
	if n > int64(limit) {
		return fmt.Errorf("%w: a length of %d bytes given, want %d at most", ErrMessage, n, limit)
	}
	text, err := io.ReadAll(io.LimitReader(r, n)) // grows with what comes, not with what is said
	if err != nil {
		return err
	}
	if int64(len(text)) < n {
		return io.ErrUnexpectedEOF
	}
	if err := json.Unmarshal(text, message); err != nil {
		return fmt.Errorf("%w: %w", ErrMessage, err)
	}
	return nil
}
