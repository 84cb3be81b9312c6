package loadswitch

import (
	"fmt"
	"strings"

	"github.com/weirnet/weir/emu/topo"
)

// ParseTopology reads a word such as topo.Parse does, "wan:206", but without options: a loadswitch
// network has hosts of its own, and its links carry everything at once.
func ParseTopology(s string, seed uint64) (*topo.Topology, error) {
	if strings.Contains(s, "=") {
		return nil, fmt.Errorf("topology %q given, want one without options, such as wan:206", s)
	}
	t, err := topo.Parse(s, seed)
	if err == nil {
		t.Hosts = nil
	}
	return t, err
}
