package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// screen is a terminal on which each page replaces the one before.
type screen struct {
	out   io.Writer
	fd    int
	drawn bool
}

// screenOf returns the screen of out; nil if it is no terminal.
func screenOf(out io.Writer) *screen {
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return &screen{out: out, fd: int(f.Fd())}
	}
	return nil
}

// width returns the columns of the terminal; 80 if they are not known.
func (s *screen) width() int {
	if w, _, err := term.GetSize(s.fd); err == nil && w > 0 {
		return w
	}
	return 80
}

// draw replaces the page: it moves the cursor home, clears each line to its end, and then the rest
// (ECMA-48: CUP, EL, ED).
func (s *screen) draw(page string) {
	var b strings.Builder
	if !s.drawn {
		b.WriteString("\x1b[2J")
		s.drawn = true
	}
	b.WriteString("\x1b[H")
	b.WriteString(strings.ReplaceAll(page, "\n", "\x1b[K\r\n"))
	b.WriteString("\x1b[J")
	fmt.Fprint(s.out, b.String())
}
