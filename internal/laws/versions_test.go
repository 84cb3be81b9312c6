package laws

import (
	"go/ast"
	"strings"
	"testing"
)

// TestVersions: engines do not branch on a version of OpenFlow. What one version can do and the other
// cannot, openflow and plan answer by name. The handshake of session is about versions.
func TestVersions(t *testing.T) {
	seen := false
	for _, s := range sources() {
		switch {
		case s.test():
		case s.dir == "session":
			seen = seen || len(versionBranches(s.file)) > 0
		case engine(s.dir):
			for _, n := range versionBranches(s.file) {
				t.Errorf("%s: an engine branches on a version of OpenFlow: ask openflow or plan what it can do", s.at(n))
			}
		}
	}
	if !seen {
		t.Error("no branch on a version in session: is this law's eye blind?")
	}
}

// versionBranches finds comparisons with a version of OpenFlow, and cases of one.
func versionBranches(f *ast.File) (out []ast.Node) {
	version := func(list ...ast.Expr) bool {
		for _, e := range list {
			x, ok := e.(*ast.SelectorExpr)
			if !ok || !strings.HasPrefix(x.Sel.Name, "V1") {
				continue
			}
			if of, ok := x.X.(*ast.Ident); ok && of.Name == "openflow" {
				return true
			}
		}
		return false
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if version(n.X, n.Y) {
				out = append(out, n)
			}
		case *ast.CaseClause:
			if version(n.List...) {
				out = append(out, n)
			}
		}
		return true
	})
	return out
}

func TestVersionBranchesAreSeen(t *testing.T) {
	f := parse(t, "package p\nfunc f(v openflow.Version) { switch v { case openflow.V10: }\n"+
		"if v >= openflow.V13 || v.FixedMatch() { g(openflow.V13) } }\n")
	if n := len(versionBranches(f)); n != 2 {
		t.Errorf("%d branches seen, want 2", n)
	}
}
