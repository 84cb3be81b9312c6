package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// screen is a terminal on which a page is drawn over the one before.
type screen struct {
	out   io.Writer
	fd    int
	drawn bool
}

// screenOf is the screen that out is; nil if it is none.
func screenOf(out io.Writer) *screen {
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return &screen{out: out, fd: int(f.Fd())}
	}
	return nil
}

// width is how many characters a line has; 80 if the terminal does not say.
func (s *screen) width() int {
	if w, _, err := term.GetSize(s.fd); err == nil && w > 0 {
		return w
	}
	return 80
}

// draw shows a page in the place of the last one: the cursor goes home, each line is cleared to its end, and then what is
// below (ECMA-48: CUP, EL, ED).
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
