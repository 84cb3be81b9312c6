package target

import (
	"strings"
	"sync"
)

// tail keeps the end of what a process says.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// tailLen is how much is kept, in bytes.
const tailLen = 2048

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if n := len(t.text) - tailLen; n > 0 {
		t.text = append(t.text[:0], t.text[n:]...)
	}
	return len(p), nil
}

// last is the last line.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := strings.TrimSpace(string(t.text))
	return s[strings.LastIndexByte(s, '\n')+1:]
}
