package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/weirnet/weir/emu"
)

// profileLines lists the profiles of the switches, and which of their values are assumed.
func profileLines(n *emu.Network) (lines []string) {
	for _, p := range n.Profiles() {
		if p.Ideal() {
			continue
		}
		line := fmt.Sprintf("%s: %d switches", p.Name, p.Switches)
		if guessed := p.Guessed(); len(guessed) > 0 {
			line += "; assumed: " + strings.Join(guessed, ", ")
		}
		lines = append(lines, line)
	}
	return lines
}

// fidelityPeriod is the time between two reports of a network that is late.
const fidelityPeriod = 10 * time.Second

// fidelityReporter prints when a network does not keep its configured delays, and when it does
// again.
type fidelityReporter struct {
	checked, reported time.Time
	printf            func(format string, args ...any)
}

// check reads the fidelity of a network once a second.
func (w *fidelityReporter) check(n *emu.Network, now time.Time) {
	if now.Sub(w.checked) < time.Second {
		return
	}
	w.checked = now
	f := n.Fidelity()
	switch {
	case !f.Kept && now.Sub(w.reported) >= fidelityPeriod:
		w.printf("%s", f.String())
		w.reported = now
	case f.Kept && !w.reported.IsZero():
		w.printf("%s", f.Recovered())
		w.reported = time.Time{}
	}
}
