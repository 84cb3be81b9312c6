package up

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Share is how many of something there are, of how many there should be.
type Share struct{ Now, All int }

// whole says whether all are there.
func (s Share) whole() bool { return s.Now >= s.All }

// String is both numbers, or one if they are the same.
func (s Share) String() string {
	if s.Now == s.All {
		return group(uint64(s.All))
	}
	return group(uint64(s.Now)) + " of " + group(uint64(s.All))
}

// State is what the page shows: of one moment, its rates of the time since the page before.
type State struct {
	Topology string
	API      string // address
	Age      time.Duration

	Switches Share // connected to the instance
	Links    Share // in the instance's view, both ways up
	Hosts    Share // of which something was heard in answer
	Alone    int   // hosts besides, which nobody can ping: in a part of the network or a VLAN of their own
	Found    int   // hosts that the instance's view has

	Flows     int     // entries in all switches
	PacketIns float64 // a second
	FlowMods  float64 // a second
	Hops      float64 // packets through a switch, a second

	Pings    float64       // answered, a second
	Lost     uint64        // asked, and not answered in time, since the start
	Typical  time.Duration // round trip: half of those since the page before took no longer
	Slow     time.Duration // 99 in 100
	Alarms   int           // active
	Answered time.Duration // how long it took until all had answered; 0 before that
	Late     string        // that the machine does not keep up with the network; empty: it does
	Kept     string        // whether it has kept up since the start; empty: there is nothing to say

	Wanted      Wanted        // intents, if there are to be any
	WantedAfter time.Duration // how long it took until all were installed, from when they were asked for; 0 before that
}

// barWidth is how wide a bar is, in characters.
const barWidth = 24

// Page is the state on lines of at most width characters; 0 is no limit.
func (s *State) Page(width int) string {
	var b strings.Builder
	line := func(format string, args ...any) {
		for _, part := range wrap(fmt.Sprintf(format, args...), width) {
			b.WriteString(part)
			b.WriteByte('\n')
		}
	}
	line("weir up %s   %s   %s", s.Topology, clock(s.Age), s.verdict())
	line("")
	line("  switches    %s  %s connected", bar(s.Switches), s.Switches)
	line("  links       %s  %s found", bar(s.Links), s.Links)
	line("  hosts       %s  %s answered, %s known to the instance%s", bar(s.Hosts), s.Hosts, group(uint64(s.Found)), s.alone(", %s"))
	line("")
	line("  flows       %12s  entries in all tables   %12s flow-mods/s", group(uint64(s.Flows)), rate(s.FlowMods))
	line("  packets     %12s  hops/s                  %12s packet-ins/s", rate(s.Hops), rate(s.PacketIns))
	line("  pings       %12s  answered/s, %s lost     round trip %s half, %s 99 in 100", rate(s.Pings), group(s.Lost), short(s.Typical), short(s.Slow))
	s.wants(line)
	line("")
	line("  alarms      %d active   API %s", s.Alarms, s.API)
	if s.Late != "" {
		line("  late        %s", s.Late)
	}
	return b.String()
}

// wants are the lines about intents, if there are to be any.
func (s *State) wants(line func(string, ...any)) {
	w := &s.Wanted
	if w.All == 0 {
		return
	}
	line("")
	line("  intents     %s  %s installed%s", bar(s.installed()), s.installed(), w.others())
	line("  re-routed   %12s  times away from links that failed   %s, %d now", group(uint64(w.Reroutes)), Counted(w.Cuts, "link cut", "links cut"), w.Cut)
	line("  survived    %12s  packets over intents answered, %s lost of %s", group(w.Sent-w.Lost), group(w.Lost), group(w.Sent))
}

// installed is how many intents are installed now.
func (s *State) installed() Share { return Share{s.Wanted.States[stateInstalled], s.Wanted.All} }

// others are the states of intents that are not installed, each with how many.
func (w *Wanted) others() (text string) {
	for _, state := range slices.Sorted(maps.Keys(w.States)) {
		if state != stateInstalled && w.States[state] > 0 {
			text += fmt.Sprintf(", %s %s", group(uint64(w.States[state])), state)
		}
	}
	return text
}

// WantedAnnouncement says that all intents are installed, and after how long.
func (s *State) WantedAnnouncement() string {
	return fmt.Sprintf("%s between hosts are installed %s after they were asked for", Counted(s.Wanted.All, "intent", "intents"), short(s.WantedAfter))
}

// alone is what is said of hosts that nobody can ping, in a format; empty if there are none.
func (s *State) alone(format string) string {
	if s.Alone == 0 {
		return ""
	}
	return fmt.Sprintf(format, Counted(s.Alone, "host", "hosts")+" that nobody can ping")
}

// Line is the state on one line, for what is no terminal.
func (s *State) Line() string {
	text := fmt.Sprintf("%s: switches %s, links %s, hosts %s%s, flows %s, packet-ins/s %s, hops/s %s, pings/s %s, lost %s, round trip %s (p99 %s), alarms %d",
		clock(s.Age), s.Switches, s.Links, s.Hosts, s.alone(" (and %s)"), group(uint64(s.Flows)), rate(s.PacketIns), rate(s.Hops), rate(s.Pings), group(s.Lost),
		short(s.Typical), short(s.Slow), s.Alarms)
	if w := &s.Wanted; w.All > 0 {
		text += fmt.Sprintf(", intents installed %s%s, re-routed %s, links cut %s, packets over intents %s, lost %s", s.installed(), w.others(),
			group(uint64(w.Reroutes)), group(uint64(w.Cuts)), group(w.Sent), group(w.Lost))
	}
	if s.Late != "" {
		text += "; " + s.Late
	}
	return text
}

// Announcement says that all have answered, and after how long.
func (s *State) Announcement() string {
	all := ""
	if s.Switches.All > 1 {
		all = "all "
	}
	return fmt.Sprintf("%s%s, %s and %s have answered after %s%s", all, Counted(s.Switches.All, "switch", "switches"),
		Counted(s.Links.All, "link", "links"), Counted(s.Hosts.All, "host", "hosts"), short(s.Answered), s.alone("; besides: %s"))
}

// verdict is the state in a few words.
func (s *State) verdict() string {
	switch {
	case s.Answered == 0:
		return "starting"
	case s.Switches.whole() && s.Links.whole():
		return "all answered after " + short(s.Answered)
	case s.Wanted.Cut > 0 && s.Switches.whole() && s.Links.Now+s.Wanted.Cut >= s.Links.All:
		return Counted(s.Wanted.Cut, "link is", "links are") + " cut"
	}
	return "something is missing"
}

// Counted is a number of things: "1 switch", "1,000 switches".
func Counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return group(uint64(n)) + " " + several
}

// wrapped is how far the second and further parts of a line are indented: under what stands behind its name.
const wrapped = 14

// wrap breaks a line between words so that no part is longer than width, which has room for the indent and a word.
func wrap(line string, width int) (parts []string) {
	text, indent := []rune(line), 0
	for width > wrapped && indent+len(text) > width {
		at := width - indent
		for at > 0 && text[at] != ' ' {
			at--
		}
		if at == 0 { // one long word
			break
		}
		parts = append(parts, strings.Repeat(" ", indent)+strings.TrimRight(string(text[:at]), " "))
		text, indent = []rune(strings.TrimLeft(string(text[at:]), " ")), wrapped
	}
	return append(parts, strings.Repeat(" ", indent)+string(text))
}

// bar is a share drawn.
func bar(s Share) string {
	full := barWidth
	if s.All > 0 {
		full = min(barWidth*s.Now/s.All, barWidth)
	}
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", barWidth-full) + "]"
}

// clock is a time since the start: "1:02:03".
func clock(d time.Duration) string {
	s := int(d / time.Second)
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// group is a number with its digits in groups of three.
func group(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// rate is a number a second; small ones have a decimal.
func rate(r float64) string {
	if r > 0 && r < 10 {
		return strconv.FormatFloat(r, 'f', 1, 64)
	}
	return group(uint64(r + 0.5))
}

// short is a duration with three digits that count; "-" if there is none.
func short(d time.Duration) string {
	switch {
	case d <= 0:
		return "-"
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%.2f ms", d.Seconds()*1e3)
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 100*time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
	return clock(d)
}
