package up

import (
	"testing"

	"github.com/weirnet/weir/node"
)

// Another network in the place of the one that the directory remembers, with the same datapath ids
// and fewer switches: its hosts are where links were, and all of them answer.
func TestAnotherNetworkInTheSameDirectory(t *testing.T) {
	cfg := Config{}
	cfg.Node.DataDir = t.TempDir()
	runUntil(t, cfg, "ring:5", func(node.Addresses, string, *State) {})
	runUntil(t, cfg, "linear:3", func(_ node.Addresses, _ string, s *State) {
		if s.Hosts != (Progress{3, 3}) || s.Links != (Progress{2, 2}) {
			t.Errorf("%+v", s)
		}
	})
}
