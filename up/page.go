package up

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Progress is how many of something there are, of how many there should be.
type Progress struct{ Now, All int }

// complete reports whether all are there.
func (s Progress) complete() bool { return s.Now >= s.All }

// String formats both numbers, or one if they are equal.
func (s Progress) String() string {
	if s.Now == s.All {
		return thousands(uint64(s.All))
	}
	return thousands(uint64(s.Now)) + " of " + thousands(uint64(s.All))
}

// State is what one page shows; rates and round trips are those since the page before.
type State struct {
	Topology string
	API      string // address
	Age      time.Duration

	Switches    Progress // connected to the instance
	Links       Progress // in the instance's view, both ways up
	Hosts       Progress // that have answered a ping
	Unreachable int      // further hosts that nobody can ping: alone in their part of the network or their VLAN
	Learned     int      // hosts in the instance's view
	Tenants     int      // whose hosts the instance neither knows nor connects

	Flows     int     // entries in all switches
	PacketIns float64 // a second
	FlowMods  float64 // a second
	Hops      float64 // packets through a switch, a second

	Pings    float64       // answered, a second
	Lost     uint64        // not answered in time, since the start
	P50      time.Duration // of round trips
	P99      time.Duration
	Alarms   int           // active
	Answered time.Duration // time until everything had answered; 0 before that
	Lagging  string        // how the machine does not keep up with the network; empty: it does
	Fidelity string        // whether it has kept up since the start; empty: no delay was promised

	Members []Member // of the cluster; nil: the instance is alone
	Kills   int      // of instances, since the start

	Intents      IntentStats   // zero if none are asked for
	IntentsAfter time.Duration // time from the request until all were installed; 0 before that
}

// barWidth is the width of a progress bar, in characters.
const barWidth = 24

// Page prints the state on lines of at most width characters; 0 is no limit.
func (s *State) Page(width int) string {
	var b strings.Builder
	line := func(format string, args ...any) {
		for _, part := range wrap(fmt.Sprintf(format, args...), width) {
			b.WriteString(part)
			b.WriteByte('\n')
		}
	}
	line("weir up %s   %s   %s", s.Topology, clock(s.Age), s.summary())
	line("")
	line("  switches    %s  %s connected", bar(s.Switches), s.Switches)
	line("  links       %s  %s found", bar(s.Links), s.Links)
	line("  hosts       %s  %s answered, %s known to the instance%s", bar(s.Hosts), s.Hosts, thousands(uint64(s.Learned)),
		s.unreachable(", %s")+s.ofTenants(", %s"))
	line("")
	line("  flows       %12s  entries in all tables   %12s flow-mods/s", thousands(uint64(s.Flows)), rate(s.FlowMods))
	line("  packets     %12s  hops/s                  %12s packet-ins/s", rate(s.Hops), rate(s.PacketIns))
	line("  pings       %12s  answered/s, %s lost     round trip p50 %s, p99 %s", rate(s.Pings),
		thousands(s.Lost), duration(s.P50), duration(s.P99))
	s.intentLines(line)
	line("")
	if len(s.Members) > 0 {
		line("  instances   %s", membersText(s.Members))
	}
	line("  alarms      %d active   API %s", s.Alarms, s.API)
	if s.Lagging != "" {
		line("  late        %s", s.Lagging)
	}
	return b.String()
}

// intentLines prints the intents, if any are asked for.
func (s *State) intentLines(line func(string, ...any)) {
	w := &s.Intents
	if w.All == 0 {
		return
	}
	line("")
	line("  intents     %s  %s installed%s", bar(s.installed()), s.installed(), w.otherStates())
	line("  re-routed   %12s  times away from links that failed   %s, %d now", thousands(uint64(w.Reroutes)),
		Counted(w.Cuts, "link cut", "links cut"), w.CutNow)
	line("  survived    %12s  packets over intents answered, %s lost of %s", thousands(w.Sent-w.Lost),
		thousands(w.Lost), thousands(w.Sent))
}

// installed counts the intents that are installed now.
func (s *State) installed() Progress {
	return Progress{s.Intents.States[stateInstalled], s.Intents.All}
}

// otherStates lists the states other than installed, each with its number of intents.
func (w *IntentStats) otherStates() (text string) {
	for _, state := range slices.Sorted(maps.Keys(w.States)) {
		if state != stateInstalled && w.States[state] > 0 {
			text += fmt.Sprintf(", %s %s", thousands(uint64(w.States[state])), state)
		}
	}
	return text
}

// IntentsAnnouncement tells how long it took until all intents were installed.
func (s *State) IntentsAnnouncement() string {
	return fmt.Sprintf("%s between hosts are installed %s after they were asked for",
		Counted(s.Intents.All, "intent", "intents"), duration(s.IntentsAfter))
}

// unreachable formats the number of hosts that nobody can ping; empty if there are none.
func (s *State) unreachable(format string) string {
	if s.Unreachable == 0 {
		return ""
	}
	return fmt.Sprintf(format, Counted(s.Unreachable, "host", "hosts")+" that nobody can ping")
}

// ofTenants says that some hosts are tenants'; empty if there are no tenants.
func (s *State) ofTenants(format string) string {
	if s.Tenants == 0 {
		return ""
	}
	return fmt.Sprintf(format, Counted(s.Tenants, "tenant has", "tenants have")+" hosts that Weir does not connect")
}

// Line prints the state on one line, for outputs that are no terminal.
func (s *State) Line() string {
	text := fmt.Sprintf("%s: switches %s, links %s, hosts %s%s, flows %s, packet-ins/s %s, hops/s %s, pings/s %s, lost %s, round trip p50 %s p99 %s, alarms %d",
		clock(s.Age), s.Switches, s.Links, s.Hosts, s.unreachable(" (and %s)")+s.ofTenants(" (%s)"),
		thousands(uint64(s.Flows)), rate(s.PacketIns),
		rate(s.Hops), rate(s.Pings), thousands(s.Lost),
		duration(s.P50), duration(s.P99), s.Alarms)
	if w := &s.Intents; w.All > 0 {
		text += fmt.Sprintf(
			", intents installed %s%s, re-routed %s, links cut %s, packets over intents %s, lost %s", s.installed(),
			w.otherStates(),
			thousands(uint64(w.Reroutes)), thousands(uint64(w.Cuts)), thousands(w.Sent), thousands(w.Lost))
	}
	if len(s.Members) > 0 {
		text += "; instances: " + membersText(s.Members)
	}
	if s.Lagging != "" {
		text += "; " + s.Lagging
	}
	return text
}

// Survived tells what was lost while instances of the cluster were killed; empty if the instance is alone.
func (s *State) Survived() string {
	if len(s.Members) == 0 {
		return ""
	}
	text := fmt.Sprintf("instances were killed %s; %s of all pings lost", Counted(s.Kills, "time", "times"), thousands(s.Lost))
	if w := &s.Intents; w.All > 0 {
		text += fmt.Sprintf(", and %s of %s over intents", Counted(int(w.Lost), "packet", "packets"), thousands(w.Sent))
	}
	return text
}

// Announcement tells how long it took until everything had answered.
func (s *State) Announcement() string {
	all := ""
	if s.Switches.All > 1 {
		all = "all "
	}
	return fmt.Sprintf("%s%s, %s and %s have answered after %s%s", all, Counted(s.Switches.All, "switch", "switches"),
		Counted(s.Links.All, "link", "links"), Counted(s.Hosts.All, "host", "hosts"), duration(s.Answered),
		s.unreachable("; besides: %s"))
}

// summary is the page's first line.
func (s *State) summary() string {
	switch {
	case s.Answered == 0:
		return "starting"
	case s.Switches.complete() && s.Links.complete():
		return "all answered after " + duration(s.Answered)
	case s.Intents.CutNow > 0 && s.Switches.complete() && s.Links.Now+s.Intents.CutNow >= s.Links.All:
		return Counted(s.Intents.CutNow, "link is", "links are") + " cut"
	}
	return "something is missing"
}

// Counted formats a number of things: "1 switch", "1,000 switches".
func Counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(uint64(n)) + " " + several
}

// wrapIndent is the indent of continuation lines: that of the values.
const wrapIndent = 14

// wrap breaks a line between words so that no part is longer than width, which has room for the
// indent and a word.
func wrap(line string, width int) (parts []string) {
	text, indent := []rune(line), 0
	for width > wrapIndent && indent+len(text) > width {
		at := width - indent
		for at > 0 && text[at] != ' ' {
			at--
		}
		if at == 0 { // one long word
			break
		}
		parts = append(parts, strings.Repeat(" ", indent)+strings.TrimRight(string(text[:at]), " "))
		text, indent = []rune(strings.TrimLeft(string(text[at:]), " ")), wrapIndent
	}
	return append(parts, strings.Repeat(" ", indent)+string(text))
}

// bar draws a progress bar.
func bar(s Progress) string {
	full := barWidth
	if s.All > 0 {
		full = min(barWidth*s.Now/s.All, barWidth)
	}
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", barWidth-full) + "]"
}

// clock formats the time since the start: "1:02:03".
func clock(d time.Duration) string {
	s := int(d / time.Second)
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// thousands formats a number with its digits in groups of three.
func thousands(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// rate formats a number a second; those below 10 have one decimal.
func rate(r float64) string {
	if r > 0 && r < 10 {
		return strconv.FormatFloat(r, 'f', 1, 64)
	}
	return thousands(uint64(r + 0.5))
}

// duration formats a duration with three significant digits; "-" if there is none.
func duration(d time.Duration) string {
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
