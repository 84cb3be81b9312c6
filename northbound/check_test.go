package northbound

import (
	"errors"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/flowsync"
)

// TestCheckAgrees: a comparison agrees only if all switches were reached and nothing differs.
func TestCheckAgrees(t *testing.T) {
	good := flowsync.Findings{DPID: 1, Desired: 3, Compared: 3}
	unreached := flowsync.Findings{DPID: 2, Err: errors.New("no answer")}
	differs := flowsync.Findings{DPID: 3, Differences: []flowsync.Difference{{Kind: flowsync.DifferenceMissing}}}
	for i, c := range []struct {
		list []flowsync.Findings
		want bool
	}{{nil, true}, {[]flowsync.Findings{good}, true}, {[]flowsync.Findings{good, unreached}, false},
		{[]flowsync.Findings{unreached, good}, false},
		{[]flowsync.Findings{differs, good}, false}} {
		var switches []client.SwitchCheck
		for k := range c.list {
			s := switchCheck(&c.list[k])
			if s.Reached != (c.list[k].Err == nil) || s.Reached != (s.Error == "") {
				t.Errorf("%d: switch %s is reached %t, error %q", i, s.DPID, s.Reached, s.Error)
			}
			switches = append(switches, s)
		}
		if got := checkOf(switches).Agrees; got != c.want {
			t.Errorf("%d: agrees %t, want %t", i, got, c.want)
		}
	}
}
