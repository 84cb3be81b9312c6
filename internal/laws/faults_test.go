package laws

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

const faultsPage = "docs/what-happens-when.md"

var (
	testName  = regexp.MustCompile("`(Test[A-Za-z0-9_]*)`")
	quoted    = regexp.MustCompile("`([a-z]+(?:-[a-z]+)*)`")
	alarmKind = regexp.MustCompile(`AlarmKind = "([a-z-]+)"`)
)

// faults are the rows of the page's tables, by line: the fault, what happens, what is seen, the
// tests.
func faults(text string) map[int][]string {
	rows := map[int][]string{}
	lines(text, func(n int, line string) {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "|---") && !strings.HasPrefix(line, "| fault ") {
			rows[n] = cells
		}
	})
	return rows
}

// TestFaultsNameTheirTests holds docs/what-happens-when.md to tests that exist and to alarms that
// there are.
func TestFaultsNameTheirTests(t *testing.T) {
	tests := map[string]bool{}
	for _, s := range sources() {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.test() && f.Recv == nil {
				tests[f.Name.Name] = true
			}
		}
	}
	kinds := map[string]bool{}
	for _, m := range alarmKind.FindAllStringSubmatch(read(t, "netview/alarm.go"), -1) {
		kinds[m[1]] = true
	}
	rows := faults(read(t, faultsPage))
	if len(rows) < 20 || len(kinds) < 10 {
		t.Fatalf("%d faults and %d kinds of alarms found: the scan is broken", len(rows), len(kinds))
	}
	for n, cells := range rows {
		if len(cells) != 4 {
			t.Errorf("%s:%d: %d columns, want 4", faultsPage, n, len(cells))
			continue
		}
		named := testName.FindAllStringSubmatch(cells[3], -1)
		if len(named) == 0 {
			t.Errorf("%s:%d: no test is named", faultsPage, n)
		}
		for _, m := range named {
			if !tests[m[1]] {
				t.Errorf("%s:%d: there is no test %s", faultsPage, n, m[1])
			}
		}
		for clause := range strings.SplitSeq(cells[2], ";") {
			if !strings.Contains(strings.ToLower(clause), "alarm") {
				continue
			}
			for _, m := range quoted.FindAllStringSubmatch(clause, -1) {
				if !kinds[m[1]] {
					t.Errorf("%s:%d: there is no alarm %s", faultsPage, n, m[1])
				}
			}
		}
	}
}
