package command

import (
	"strings"

	"github.com/weirnet/weir/emu/profile"
)

// ProfileUsage is the help of --profile.
var ProfileUsage = "how the switches behave: " + strings.Join(profile.Names(), ", ") +
	", or a YAML file (docs/profiles.md); ideal if none is given"

// ReadProfile reads the profile of --profile.
func ReadProfile(arg string) (profile.Profile, error) {
	if arg == "" {
		return profile.Profile{}, nil
	}
	return profile.Find(arg)
}
