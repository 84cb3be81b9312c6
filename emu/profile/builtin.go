package profile

import (
	"embed"
	"fmt"
	"strings"

	"github.com/weirnet/weir/strictyaml"
)

// builtin are the profiles that come with Weir, but ideal.
//
//go:embed ovs.yaml aruba-3810m.yaml
var builtin embed.FS

// Names are those of the built-in profiles.
func Names() []string { return []string{"ideal", "ovs", "aruba-3810m"} }

// Named is a built-in profile; "ideal" is the zero Profile but for its name. The error lists the
// names.
func Named(name string) (Profile, error) {
	for _, known := range Names() {
		switch {
		case known != name:
		case name == "ideal":
			return Profile{Name: name, About: "everything at once, no limits"}, nil
		default:
			b, err := builtin.ReadFile(name + ".yaml")
			if err != nil {
				return Profile{}, err
			}
			return Parse(name, b)
		}
	}
	return Profile{}, fmt.Errorf("profile %s given, want %s", strictyaml.Quote(name), strings.Join(Names(), ", "))
}
