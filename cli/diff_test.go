package cli

import (
	"strings"
	"testing"

	"github.com/weirnet/weir/api/client"
)

// TestDiffSaysWhatNeedsAdmin: who sees what a file would change sees too what another token is
// needed for.
func TestDiffSaysWhatNeedsAdmin(t *testing.T) {
	r := &client.ConfigResult{DryRun: true, Changes: []client.ConfigChange{
		{Path: "domain", Old: "1", New: "2", Holds: "restart", Needs: "admin"},
		{Path: "discovery.lldp_period", Old: "2s", New: "1s", Holds: "now", Needs: "operator"},
	}}
	var b strings.Builder
	if err := writeChanges(&b, r); err != nil ||
		!strings.HasSuffix(b.String(), "\napplying it needs a token of role admin, for domain\n") {
		t.Errorf("%v, %s", err, &b)
	}
	for _, r := range []*client.ConfigResult{{DryRun: true, Changes: r.Changes[1:]}, {Changes: r.Changes}} {
		b.Reset()
		if err := writeChanges(&b, r); err != nil || strings.Contains(b.String(), "needs a token") {
			t.Errorf("%v, %s", err, &b)
		}
	}
}
