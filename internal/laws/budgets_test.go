package laws

import (
	"go/ast"
	"strings"
	"testing"
)

// norace reports whether a function calls need.NoRace.
func norace(f *ast.FuncDecl) (calls bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "NoRace" {
			of, named := sel.X.(*ast.Ident)
			calls = calls || named && of.Name == "need"
		}
		return true
	})
	return calls
}

// make test runs the tests that do without the race detector by a word in their names.
func TestBudgetsAreNamedSo(t *testing.T) {
	found := 0
	for _, s := range sources() {
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !norace(f) {
				continue
			}
			found++
			if !s.test() || !strings.HasPrefix(f.Name.Name, "Test") || !strings.Contains(f.Name.Name, "Budget") {
				t.Errorf("%s: %s calls need.NoRace: name it Test…Budget…, or make test does not run it", s.at(f), f.Name.Name)
			}
		}
	}
	if found == 0 {
		t.Error("no test calls need.NoRace: is this law's eye blind?")
	}
}
