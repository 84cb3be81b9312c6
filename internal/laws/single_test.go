package laws

import (
	"go/ast"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// single are the packages of one goroutine, which `make test` runs without the race detector:
// Makefile's list.
func single(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(root + "/Makefile")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?m)^SINGLE := (.*)$`).FindSubmatch(text)
	if list == nil {
		t.Fatal("Makefile has no line SINGLE := …: make test runs its packages without the race detector")
	}
	return strings.Fields(string(list[1]))
}

// parallel are the methods, of whatever, that have others run beside the caller.
var parallel = map[string]bool{"Go": true, "Parallel": true, "RunParallel": true, "AfterFunc": true}

// beside finds what starts another goroutine.
func beside(f *ast.File) (out []ast.Node) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			out = append(out, n)
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && parallel[sel.Sel.Name] {
				out = append(out, n)
			}
		}
		return true
	})
	return out
}

// TestOneGoroutineNeedsNoRaceDetector holds the packages that run without the race detector to one
// goroutine, in tests too.
func TestOneGoroutineNeedsNoRaceDetector(t *testing.T) {
	list, found := single(t), map[string]bool{}
	for _, s := range sources() {
		if !slices.Contains(list, s.dir) {
			continue
		}
		found[s.dir] = true
		if s.test() && strings.Contains(s.base, "real") { // they start programs, and run without the race detector everywhere
			continue
		}
		for _, n := range beside(s.file) {
			t.Errorf("%s: something runs beside the caller: take %s out of SINGLE in the Makefile, so that the race detector sees it", s.at(n), s.dir)
		}
	}
	for _, dir := range list {
		if !found[dir] {
			t.Errorf("Makefile: SINGLE names %s, which has no Go file", dir)
		}
	}
}

func TestGoroutinesAreFound(t *testing.T) {
	f := parse(t, "package p\nfunc f(t T, g G) { go f(t, g); g.Go(f); t.Parallel(); f(t, g) }\n")
	if got := beside(f); len(got) != 3 {
		t.Fatalf("found %d, want 3", len(got))
	}
}
