package laws

import (
	"go/ast"
	"strings"
	"testing"
)

// engines are the packages in the shape of core and loop.
func engine(dir string) bool {
	return dir == "session" || dir == "discovery" || dir == "flowsync" || dir == "stats" || dir == "intent" ||
		dir == "emu/host" || strings.HasPrefix(dir, "app/")
}

func loopFile(base string) bool { return base == "loop.go" || strings.HasSuffix(base, "_loop.go") }

// clocks are the functions of package time that read the clock or wait for it.
var clocks = map[string]bool{
	"Now": true, "Since": true, "Until": true, "After": true, "AfterFunc": true, "Sleep": true,
	"Tick": true, "NewTimer": true, "NewTicker": true,
}

// TestLoops holds every package to start goroutines in loops only, and engines to leave the clock
// and select there too. An engine's loop is the file loop.go alone.
func TestLoops(t *testing.T) {
	for _, s := range sources() {
		if s.test() || strings.HasPrefix(s.dir, "internal/") {
			continue
		}
		strict := engine(s.dir)
		if s.base == "loop.go" || !strict && loopFile(s.base) {
			continue
		}
		for _, b := range loopOnly(s.file, strict) {
			t.Errorf("%s: %s belongs to %s/loop.go", s.at(b.node), b.what, s.dir)
		}
	}
}

// finding is a node that breaks a law.
type finding struct {
	node ast.Node
	what string
}

// loopOnly finds what only a loop may hold: go statements and, where strict, select and the clock.
func loopOnly(f *ast.File, strict bool) (out []finding) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			out = append(out, finding{n, "a go statement"})
		case *ast.CallExpr:
			// sync.WaitGroup's and errgroup's way of starting one.
			if x, ok := n.Fun.(*ast.SelectorExpr); ok && x.Sel.Name == "Go" {
				out = append(out, finding{n, "a goroutine"})
			}
		case *ast.SelectStmt:
			if strict {
				out = append(out, finding{n, "select"})
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && strict && x.Name == "time" && clocks[n.Sel.Name] {
				out = append(out, finding{n, "time." + n.Sel.Name})
			}
		}
		return true
	})
	return out
}

func TestLoopsAreFound(t *testing.T) {
	f := parse(t, "package p\nimport \"time\"\nfunc f() { go f(); w.Go(f); select {}; time.Now(); _ = time.Second }\n")
	if loose, strict := loopOnly(f, false), loopOnly(f, true); len(loose) != 2 || len(strict) != 4 {
		t.Fatalf("found %v and %v", loose, strict)
	}
}
