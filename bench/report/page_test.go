package report

import (
	"strings"
	"testing"
)

// TestNamesWrapOnAPhone wants the names of a table's rows to wrap on a narrow screen: unbroken ones
// push the medians out of it.
func TestNamesWrapOnAPhone(t *testing.T) {
	_, narrow, found := strings.Cut(pageText, "@media (max-width: 36rem) {")
	narrow, _, _ = strings.Cut(narrow, "@media print")
	if !found || !strings.Contains(narrow, "td:first-child { white-space: normal;") {
		t.Errorf("the rules for a narrow screen are\n%s", narrow)
	}
}
