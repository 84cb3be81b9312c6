package cli

import (
	"fmt"

	"github.com/weirnet/weir/emu/attach"
)

// attachUsage is the help of --attach.
const attachUsage = attach.Form + ": make a device of this machine at a port of a switch, the next free one if none is given; it goes at the end. Needs root"

// readAttached reads the values of --attach.
func readAttached(list []string) ([]attach.Spec, error) {
	var specs []attach.Spec
	for _, text := range list {
		s, err := attach.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("--attach=%s: %w", text, err)
		}
		specs = append(specs, s)
	}
	return specs, nil
}
