package laws

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

func itoa(n int) string { return strconv.Itoa(n) }

// row is a package's row in the import table of docs/ARCHITECTURE.md.
type row struct {
	may  []string
	pure bool
}

// importTable parses the table; names holds its folders from top to bottom.
func importTable(text string) (rows map[string]row, names []string) {
	rows = map[string]row{}
	var cells [][]string
	pure := map[string]bool{}
	inPure := false
	lines(text, func(_ int, line string) {
		c := strings.Split(line, "|")
		if len(c) != 5 {
			return
		}
		name := strings.TrimSpace(c[1])
		if strings.HasPrefix(name, "**") {
			inPure = strings.Contains(c[2], "pure")
		}
		if !strings.HasPrefix(name, "`") {
			return
		}
		name = strings.Trim(name, "`")
		pure[name] = inPure
		names = append(names, name)
		cells = append(cells, []string{name, strings.TrimSpace(c[3])})
	})
	for _, c := range cells {
		rows[c[0]] = row{may: allowed(c[1], names), pure: pure[c[0]]}
	}
	return rows, names
}

// allowed reads a cell: "–", "a, b" or "all but a, b" (all never means the test packages or a
// main).
func allowed(cell string, names []string) []string {
	if cell == "–" {
		return nil
	}
	if except, ok := strings.CutPrefix(cell, "all but "); ok {
		not := strings.Split(except, ", ")
		var out []string
		for _, n := range names {
			if !slices.Contains(not, n) && !strings.HasPrefix(n, "internal/") && !strings.HasPrefix(n, "cmd/") {
				out = append(out, n)
			}
		}
		return out
	}
	return strings.Split(cell, ", ")
}

func TestImportTableIsRead(t *testing.T) {
	rows, names := importTable(
		"| **bytes** | *pure* | |\n| `a` | x | – |\n| **state** | | |\n| `b` | x | a |\n| `c` | x | all but b |\n")
	if len(names) != 3 || !rows["a"].pure || rows["b"].pure || !slices.Equal(rows["b"].may, []string{"a"}) ||
		!slices.Equal(rows["c"].may, []string{"a", "c"}) {
		t.Fatalf("rows %v, names %v", rows, names)
	}
}

func TestImportTableIsAcyclic(t *testing.T) {
	rows, names := importTable(read(t, "docs/ARCHITECTURE.md"))
	if len(names) < 10 {
		t.Fatalf("only %d rows found in docs/ARCHITECTURE.md", len(names))
	}
	for i, name := range names {
		for _, m := range rows[name].may {
			at := slices.Index(names, m)
			if at < 0 {
				t.Errorf("docs/ARCHITECTURE.md: row %s names %s, which has no row", name, m)
			}
			if at > i {
				t.Errorf("docs/ARCHITECTURE.md: row %s names %s, which stands below it", name, m)
			}
		}
	}
}

func TestImports(t *testing.T) {
	rows, _ := importTable(read(t, "docs/ARCHITECTURE.md"))
	for dir, list := range packages() {
		r, ok := rows[dir]
		if !ok {
			t.Errorf("%s: no row in the import table of docs/ARCHITECTURE.md", dir)
			continue
		}
		for _, s := range list {
			for _, imp := range s.file.Imports {
				p, _ := strconv.Unquote(imp.Path.Value)
				ours, isOurs := strings.CutPrefix(p, module+"/")
				switch {
				case isOurs && !slices.Contains(r.may, ours):
					t.Errorf("%s: %s may not import %s (docs/ARCHITECTURE.md)", s.at(imp), dir, ours)
				case !isOurs && r.pure && strings.Contains(strings.Split(p, "/")[0], "."):
					t.Errorf("%s: %s is pure and may not import %s", s.at(imp), dir, p)
				}
			}
		}
	}
}
