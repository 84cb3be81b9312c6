//go:build long

package node_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/weirnet/weir/openflow"
)

// attackSeed is the seed of TestHostileTenantsLong.
var attackSeed = flag.Uint64("attackseed", 1, "seed of the attack of hostile tenants")

// TestHostileTenantsLong is TestHostileTenants with 100,000 messages of each attacker, of both versions of OpenFlow over
// switches of both, in both roles of the instance.
func TestHostileTenantsLong(t *testing.T) {
	for _, physical := range []openflow.Version{openflow.V13, openflow.V10} {
		for _, speaks := range []map[string]openflow.Version{{red: openflow.V13, green: openflow.V10},
			{red: openflow.V10, green: openflow.V13}} {
			role := "controller"
			if physical == speaks[red] {
				role = "hypervisor"
			}
			t.Run(fmt.Sprintf("switches %s, red %s, %s", physical, speaks[red], role), func(t *testing.T) {
				newAttack(t, attackForm{version: physical, speaks: speaks, role: role, messages: 100_000, seed: *attackSeed,
					reactive: physical == openflow.V10}).run()
			})
		}
	}
}
