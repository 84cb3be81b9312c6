package up

import (
	"testing"
	"time"

	"github.com/weirnet/weir/emu"
)

const ms = time.Millisecond

// TestFidelityTexts: the page, and the last line, of a machine that does not keep up.
func TestFidelityTexts(t *testing.T) {
	idle, full := []emu.EngineFidelity{{Busy: .2}, {Busy: .1}}, []emu.EngineFidelity{{Busy: .2}, {Busy: .97}}
	waits := emu.Lateness{Wait: 12700 * time.Microsecond}
	promised := emu.Lateness{Promises: 500, Late: 20, P99: 2 * ms, Max: 9 * ms}
	for _, c := range []struct {
		name        string
		f           emu.Fidelity
		page, atEnd string
	}{
		{"nothing was promised, nothing waited", emu.Fidelity{Kept: true, Engines: idle}, "", ""},
		{"frames waited", emu.Fidelity{Window: 10 * time.Second, Lateness: waits, Total: waits, Bad: time.Second, Engines: idle},
			"this machine does not keep up, as something else is running on it: in the last 10 seconds packets waited up to 12.70 ms for the processor inside the emulated network; round trips shown are longer by that",
			"this machine did not keep up in 1 second: packets waited up to 12.70 ms for the processor inside the emulated network"},
		{"promises were not kept, of a full engine",
			emu.Fidelity{Window: 10 * time.Second, Lateness: promised, Total: promised, Bad: 3 * time.Second, Engines: full},
			"this machine does not keep up, as the network is too much for it: in the last 10 seconds links and switches were up to 9.00 ms later than they should be; round trips shown are longer by that",
			"this machine did not keep up in 3 seconds: links and switches were up to 9.00 ms later than they should be (p99 2.00 ms)"},
		{"all promises were kept", emu.Fidelity{Kept: true, Lateness: promised, Total: promised, Engines: full}, "",
			"this machine has kept up: links and switches were at most 9.00 ms later than they should be (p99 2.00 ms)"},
	} {
		if got := lagging(&c.f); got != c.page {
			t.Errorf("%s: the page says %q", c.name, got)
		}
		if got := fidelitySummary(&c.f); got != c.atEnd {
			t.Errorf("%s: the end says %q", c.name, got)
		}
	}
}
