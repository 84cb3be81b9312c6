package alarm

import (
	"slices"
	"strings"
	"time"

	"github.com/weirnet/weir/netview"
)

// Forget ends all alarms about a deleted switch, its ports and its links.
func (b *Board) Forget(dpid netview.DPID) {
	b.change(func(now time.Time) bool { return b.core.forget(dpid, now) })
}

func (c *core) forget(dpid netview.DPID, now time.Time) (ended bool) {
	var keys []netview.AlarmKey
	for key, r := range c.rows {
		if r.Active && about(key.Object, dpid.String()) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, netview.AlarmKey.Compare)
	for _, key := range keys {
		c.clear(key, now)
	}
	return len(keys) > 0
}

// about reports whether an alarm's object is a switch, a port of it (SWITCH/PORT), or a link with
// an end there (PORT<->PORT, PORT->PORT).
func about(object, dpid string) bool {
	for _, part := range strings.Split(strings.ReplaceAll(object, "<->", "->"), "->") {
		if sw, _, _ := strings.Cut(part, "/"); sw == dpid {
			return true
		}
	}
	return false
}
