package emu

import (
	"testing"

	"github.com/weirnet/weir/openflow"
)

// Hosts announce themselves when the controller has had a moment, so that the others hear it: once,
// and not where they are silent.
func TestHostsAnnounceThemselves(t *testing.T) {
	loud := joined(t, "linear:3", newLearner(t), openflow.V13, func(c *Config) { c.stack = nil })
	silent := joined(t, "linear:3", newLearner(t), openflow.V13, func(c *Config) { c.stack, c.Silent = nil, true })
	// Each of three hosts sends an ARP request and a neighbour advertisement, and the two others
	// take both.
	await(t, "announcements", func() bool { return loud.Totals().Delivered >= 12 })
	await(t, "the last frames", func() bool { return loud.Totals().Frames == 0 })
	if a, b := loud.Totals().Delivered, silent.Totals().Delivered; a != 12 || b != 0 {
		t.Errorf("%d frames came to hosts, want 12; %d to hosts of a silent network", a, b)
	}
}
