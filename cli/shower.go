package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/up"
)

// shower shows states, as a page or as lines.
type shower struct {
	out   io.Writer
	page  *screen // nil: lines
	usage string
	link  string        // a link of the network; empty if it has none
	cut   string        // how a link is cut, a line of the page
	said  time.Duration // age of the last line
	kept  string        // how well the network has kept promised times

	mu     sync.Mutex // guards what follows, and out
	begun  time.Time
	events []string // the last of them, for the page
}

// pageEvents is how many events a page shows.
const pageEvents = 3

// event tells what an event of a schedule did.
func (s *shower) event(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.page == nil {
		fmt.Fprintf(s.out, "event: %s\n", line)
		return
	}
	s.events = append(s.events, fmt.Sprintf("  event       %.1f s  %s\n", time.Since(s.begun).Seconds(), line))
	s.events = s.events[max(len(s.events)-pageEvents, 0):]
}

// ready says how the instance is used.
func (s *shower) ready(at node.Addresses, emulator, dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = time.Now()
	scheme := "http"
	if at.APITLS {
		scheme = "https"
	}
	url := scheme + "://" + at.API
	s.usage = fmt.Sprintf("%s get links --api %s --data-dir %s", os.Args[0], url, dir)
	token := ""
	if !at.Open {
		token = fmt.Sprintf("-H \"Authorization: Bearer $(cat %s)\" ", filepath.Join(dir, client.TokenFile))
	}
	if emulator != "" && s.link != "" {
		s.cut = fmt.Sprintf("\n  cut a link  curl %s-X PATCH http://%s/v1/links/%s --json '{\"up\":false}'", token, emulator, s.link)
	}
	if s.page == nil {
		fmt.Fprintf(s.out, "weir %s: instance %s is ready\n  API       %s\n  call it   curl %s%s/v1/links\n            %s\n", Version, at.Name, url, token, url, s.usage)
		if emulator != "" {
			same := ", with the same token"
			if at.Open {
				same = ""
			}
			fmt.Fprintf(s.out, "  network   http://%s%s%s\n", emulator, same, s.cut)
		}
	}
}

// show is called once a second.
func (s *shower) show(st *up.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = st.Kept
	switch {
	case s.page != nil:
		s.page.draw(st.Page(s.page.width()) + strings.Join(s.events, "") + "\n  try         " + s.usage + s.cut + "\n  end it with Ctrl-C\n")
	case s.said == 0 || st.Age-s.said >= lineEvery:
		s.said = st.Age
		fmt.Fprintln(s.out, st.Line())
	}
}

// complete says that all have answered.
func (s *shower) complete(st *up.State) {
	if s.page == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		fmt.Fprintln(s.out, st.Announcement())
		return
	}
	s.show(st)
}

// wanted says that all intents are installed.
func (s *shower) wanted(st *up.State) {
	if s.page == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		fmt.Fprintln(s.out, st.WantedAnnouncement())
		return
	}
	s.event(st.WantedAnnouncement())
}
