package up

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/emu"
)

// busyEngine is the share of its time above which an engine of the network has more to do than it
// can.
const busyEngine = 0.9

// lagging tells by how much, and why, the machine does not keep up with the network; empty while it
// does.
func lagging(f *emu.Fidelity) string {
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
		text += fmt.Sprintf("links and switches were up to %s later than they should be", duration(max(f.Max, f.Wait)))
	} else {
		text += fmt.Sprintf("packets waited up to %s for the processor inside the emulated network", duration(f.Wait))
	}
	return text + "; round trips shown are longer by that"
}

// fidelitySummary tells at the end whether the machine has kept up; empty if no delay was promised.
func fidelitySummary(f *emu.Fidelity) string {
	t := &f.Total
	switch {
	case !f.Promised() && f.Bad == 0:
		return ""
	case f.Bad == 0:
		return fmt.Sprintf("this machine has kept up: links and switches were at most %s later than they should be (p99 %s)",
			duration(t.Max), duration(t.P99))
	case !f.Promised():
		return fmt.Sprintf("this machine did not keep up in %s: packets waited up to %s for the processor inside the emulated network", seconds(f.Bad), duration(t.Wait))
	}
	return fmt.Sprintf("this machine did not keep up in %s: links and switches were up to %s later than they should be (p99 %s)",
		seconds(f.Bad), duration(max(t.Max, t.Wait)), duration(t.P99))
}

// seconds formats whole seconds: "3 seconds".
func seconds(d time.Duration) string { return Counted(int(d/time.Second), "second", "seconds") }
