package cli

import (
	"bufio"
	"io"
	"os"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// typed gives what is typed: on a terminal each key at once, which is not shown, and elsewhere each line. Restore brings
// the terminal back; interrupts are signals all the while. The goroutine that reads ends with its input, or with the
// process.
func typed(in io.Reader) (keys <-chan string, restore func()) {
	out := make(chan string)
	restore = func() {}
	split := bufio.ScanLines
	if f, ok := in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if before, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS); err == nil {
			now := *before
			now.Lflag &^= unix.ICANON | unix.ECHO
			if unix.IoctlSetTermios(int(f.Fd()), unix.TCSETS, &now) == nil {
				split = bufio.ScanRunes
				restore = func() { _ = unix.IoctlSetTermios(int(f.Fd()), unix.TCSETS, before) }
			}
		}
	}
	go func() {
		defer close(out)
		s := bufio.NewScanner(in)
		s.Split(split)
		for s.Scan() {
			if text := s.Text(); text != "" && text != "\n" {
				out <- text
			}
		}
	}()
	return out, restore
}
