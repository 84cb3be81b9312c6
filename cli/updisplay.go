package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/up"
)

// upDisplay shows the states of weir up, as a page or as lines.
type upDisplay struct {
	out      io.Writer
	page     *screen // nil: lines
	usage    string
	link     string        // id of a link of the network; empty if it has none
	cutHint  string        // the command that cuts a link, for the page
	keys     string        // what may be typed, for the page; empty: nothing
	lastLine time.Duration // age of the state in the last line
	fidelity string        // how well the network has kept its delays
	survived string        // what was lost while instances were killed; empty: there is one only

	mu     sync.Mutex // guards what follows, and out
	begun  time.Time
	events []string // the latest, for the page
}

// pageEvents is the number of events on a page.
const pageEvents = 3

// event shows an event of the schedule.
func (s *upDisplay) event(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.page == nil {
		fmt.Fprintf(s.out, "event: %s\n", line)
		return
	}
	s.events = append(s.events, fmt.Sprintf("  event       %.1f s  %s\n", time.Since(s.begun).Seconds(), line))
	s.events = s.events[max(len(s.events)-pageEvents, 0):]
}

// ready shows how to use the instance.
func (s *upDisplay) ready(at node.Addresses, emulator, dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = time.Now()
	url, token := curlTarget(at.API, at.APITLS, at.Open, dir)
	s.usage = fmt.Sprintf("%s get links --api %s --data-dir %s", os.Args[0], url, dir)
	if emulator != "" && s.link != "" {
		s.cutHint = fmt.Sprintf("\n  cut a link  curl %s-X PATCH http://%s/v1/links/%s --json '{\"up\":false}'", token,
			emulator, s.link)
	}
	if s.page == nil {
		fmt.Fprintf(s.out, "weir %s: instance %s is ready\n  API       %s\n  call it   curl %s%s/v1/links\n            %s\n", command.Version, at.Name, url, token, url, s.usage)
		if emulator != "" {
			same := ", with the same token"
			if at.Open {
				same = ""
			}
			fmt.Fprintf(s.out, "  network   http://%s%s%s\n", emulator, same, s.cutHint)
		}
	}
}

// show shows a state; it is called once a second.
func (s *upDisplay) show(st *up.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fidelity, s.survived = st.Fidelity, st.Survived()
	switch {
	case s.page != nil:
		s.page.draw(st.Page(s.page.width()) + strings.Join(s.events, "") + "\n  try         " + s.usage + s.cutHint +
			s.keys + "\n  end it with Ctrl-C\n")
	case s.lastLine == 0 || st.Age-s.lastLine >= linePeriod:
		s.lastLine = st.Age
		fmt.Fprintln(s.out, st.Line())
	}
}

// complete shows that everything has answered.
func (s *upDisplay) complete(st *up.State) {
	if !s.line(st.Announcement()) {
		s.show(st)
	}
}

// installed shows that all intents are installed.
func (s *upDisplay) installed(st *up.State) {
	if text := st.IntentsAnnouncement(); !s.line(text) {
		s.event(text)
	}
}

// line prints a line, where there is no page.
func (s *upDisplay) line(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.page == nil {
		fmt.Fprintln(s.out, text)
	}
	return s.page == nil
}
