package laws

import (
	"go/ast"
	"testing"
)

// skips finds calls of Skip, Skipf and SkipNow outside the function of a fuzz target, where Skip
// refuses an input.
func skips(f *ast.File) (out []*ast.CallExpr) {
	eachCall(f, func(call *ast.CallExpr, name string) bool {
		switch name {
		case "Fuzz":
			return false
		case "Skip", "Skipf", "SkipNow":
			out = append(out, call)
		}
		return true
	})
	return out
}

func TestNoSilentSkips(t *testing.T) {
	for _, s := range sources() {
		if s.dir == "internal/need" {
			continue
		}
		imports := false
		for _, imp := range s.file.Imports {
			imports = imports || imp.Path.Value == `"testing"`
		}
		if !imports {
			continue
		}
		for _, call := range skips(s.file) {
			t.Errorf("%s: a test skips only through internal/need, which fails under continuous integration", s.at(call))
		}
	}
}

func TestSkipsAreFound(t *testing.T) {
	f := parse(t, "package p\nfunc f(t T) { t.Skip(); t.Skipf(\"\"); f.Fuzz(func(t T) { t.Skip() }) }\n")
	if got := skips(f); len(got) != 2 {
		t.Fatalf("found %d skips, want 2", len(got))
	}
}
