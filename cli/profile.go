package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/profile"
)

// profileUsage is that of the flag --profile.
var profileUsage = "how the switches behave: " + strings.Join(profile.Names(), ", ") + ", or a YAML file (docs/profiles.md); ideal if none is given"

// readProfile reads what --profile names.
func readProfile(arg string) (profile.Profile, error) {
	if arg == "" {
		return profile.Profile{}, nil
	}
	p, err := profile.Find(arg)
	if err != nil {
		return p, fileProblems(err)
	}
	return p, nil
}

// profileLines say which profiles switches have, and what of them is a guess.
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

// fidelityEvery is how often it is said that a network is late, while it is.
const fidelityEvery = 10 * time.Second

// fidelityWatch says when a network does not keep the times that it promises, and when it does again.
type fidelityWatch struct {
	looked, said time.Time
	say          func(format string, args ...any)
}

// look looks at a network once a second.
func (w *fidelityWatch) look(n *emu.Network, now time.Time) {
	if now.Sub(w.looked) < time.Second {
		return
	}
	w.looked = now
	f := n.Fidelity()
	switch {
	case !f.Kept && now.Sub(w.said) >= fidelityEvery:
		w.say("%s", f.String())
		w.said = now
	case f.Kept && !w.said.IsZero():
		w.say("%s", f.Again())
		w.said = time.Time{}
	}
}
