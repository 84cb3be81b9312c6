package laws

import (
	"regexp"
	"strings"
	"testing"

	"github.com/weirnet/weir/netview"
)

// TestAlarmsPage holds docs/alarms.md to the kinds of alarms that there are, their severities and
// how they end.
func TestAlarmsPage(t *testing.T) {
	const page = "docs/alarms.md"
	row := regexp.MustCompile("^\\| `([a-z-]+)` \\| ([a-z]+) \\|.*\\| ([a-z ]+) \\|$")
	seen := map[string]bool{}
	lines(read(t, page), func(n int, line string) {
		m := row.FindStringSubmatch(line)
		if m == nil {
			if strings.HasPrefix(line, "| `") {
				t.Errorf("%s:%d: not a row of a kind", page, n)
			}
			return
		}
		kind, ends := netview.AlarmKind(m[1]), "with the state"
		if kind.Transient() {
			ends = "after quiet"
		}
		if seen[m[1]] || m[2] != string(kind.Severity()) || m[3] != ends {
			t.Errorf("%s:%d: want one row for %s: %s, ends %s", page, n, kind, kind.Severity(), ends)
		}
		seen[m[1]] = true
	})
	kinds := alarmKind.FindAllStringSubmatch(read(t, "netview/alarm.go"), -1)
	for _, m := range kinds {
		if !seen[m[1]] {
			t.Errorf("%s: no row for %s", page, m[1])
		}
	}
	if len(seen) != len(kinds) {
		t.Errorf("%s: %d rows, but there are %d kinds", page, len(seen), len(kinds))
	}
}
