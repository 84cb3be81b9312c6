package up

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/emu"
)

// busyEngine is the share of its time above which an engine of the network has more to do than it can.
const busyEngine = 0.9

// late says in plain words that the machine does not keep up with the network: by how much, and why. It is empty while it does.
func late(f *emu.Fidelity) string {
	if f.Kept {
		return ""
	}
	why := "something else is running on it"
	for i := range f.Engines {
		if f.Engines[i].Busy > busyEngine {
			why = "the network is too much for it"
		}
	}
	text := "this machine does not keep up, as " + why + ": in the last " + seconds(f.Window) + " "
	if f.Promised() {
		text += fmt.Sprintf("links and switches were up to %s later than they should be", short(max(f.Max, f.Wait)))
	} else {
		text += fmt.Sprintf("packets waited up to %s for the processor inside the emulated network", short(f.Wait))
	}
	return text + "; round trips shown are longer by that"
}

// kept says at the end whether the machine has kept up; empty if there is nothing to say, because nothing was promised for a time.
func kept(f *emu.Fidelity) string {
	t := &f.Total
	switch {
	case !f.Promised() && f.Bad == 0:
		return ""
	case f.Bad == 0:
		return fmt.Sprintf("this machine has kept up: links and switches were never more than %s later than they should be, 99 times in 100 less than %s",
			short(t.Max), short(t.P99))
	case !f.Promised():
		return fmt.Sprintf("this machine did not keep up in %s: packets waited up to %s for the processor inside the emulated network", seconds(f.Bad), short(t.Wait))
	}
	return fmt.Sprintf("this machine did not keep up in %s: links and switches were up to %s later than they should be, 99 times in 100 less than %s",
		seconds(f.Bad), short(max(t.Max, t.Wait)), short(t.P99))
}

// seconds is a time in whole seconds, in words.
func seconds(d time.Duration) string { return Counted(int(d/time.Second), "second", "seconds") }
