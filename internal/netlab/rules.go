package netlab

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Rule is a flow entry as ovs-ofctl prints it, without what only counts.
type Rule struct {
	Text   string // table, priority, match, actions, cookie, time-outs, flags: equal for equal entries
	Cookie uint64
	Soft   bool          // it has an idle or hard time-out
	Age    time.Duration // since it was added, in milliseconds
}

// Ours reports whether the cookie is of Weir's domain 1, the default.
func (r Rule) Ours() bool { return r.Cookie>>52 == 1 }

var (
	counted = regexp.MustCompile(`(?:duration|n_packets|n_bytes|idle_age|hard_age)=[0-9.]+s?, ?`)
	age     = regexp.MustCompile(`duration=([0-9.]+)s`)
	cookie  = regexp.MustCompile(`cookie=(0x[0-9a-f]+)`)
)

// Ofctl runs ovs-ofctl on the bridge, in its version: a command, and what comes after the bridge's
// name.
func (s Switch) Ofctl(command string, args ...string) string {
	s.ovs.lab.t.Helper()
	return s.ovs.Ofctl(s.version, append([]string{command, s.Name}, args...)...)
}

// Rules lists a bridge's entries, all tables, in order of their text.
func (s Switch) Rules() (rules []Rule) {
	s.ovs.lab.t.Helper()
	for line := range strings.Lines(s.Ofctl("dump-flows")) {
		if !strings.Contains(line, "actions=") {
			continue
		}
		r := Rule{Text: strings.TrimSpace(counted.ReplaceAllString(line, ""))}
		if m := cookie.FindStringSubmatch(line); m != nil {
			r.Cookie, _ = strconv.ParseUint(m[1], 0, 64)
		}
		if m := age.FindStringSubmatch(line); m != nil {
			r.Age, _ = time.ParseDuration(m[1] + "s")
		}
		r.Soft = strings.Contains(line, "idle_timeout=") || strings.Contains(line, "hard_timeout=")
		rules = append(rules, r)
	}
	slices.SortFunc(rules, func(a, b Rule) int { return strings.Compare(a.Text, b.Text) })
	return rules
}

// Tables are the entries of every switch of a network, in the order of Network.Switches.
func (n *Network) Tables() (tables [][]Rule) {
	n.lab.t.Helper()
	for _, s := range n.Switches {
		tables = append(tables, s.Rules())
	}
	return tables
}

// CountRules is the number of entries in all tables that are ok.
func CountRules(tables [][]Rule, ok func(Rule) bool) (n int) {
	for _, rules := range tables {
		for _, r := range rules {
			if ok(r) {
				n++
			}
		}
	}
	return n
}

// Differ returns what changed between two readings, but for soft rules that ran out: entries that
// are new, and firm ones that are gone.
func Differ(before, after [][]Rule) (changes []string) {
	for i := range before {
		old, now := texts(before[i]), texts(after[i])
		for _, r := range before[i] {
			if !r.Soft && !now[r.Text] {
				changes = append(changes, fmt.Sprintf("switch %d lost %s", i+1, r.Text))
			}
		}
		for _, r := range after[i] {
			if !old[r.Text] {
				changes = append(changes, fmt.Sprintf("switch %d has got %s", i+1, r.Text))
			}
		}
	}
	return changes
}

func texts(rules []Rule) map[string]bool {
	all := make(map[string]bool, len(rules))
	for _, r := range rules {
		all[r.Text] = true
	}
	return all
}

// Younger counts the entries that were added within the last d: by the switch's own clock, what a
// controller has written. An ADD that replaces an equal entry makes it young again.
func Younger(tables [][]Rule, d time.Duration) int {
	return CountRules(tables, func(r Rule) bool { return r.Age < d })
}
