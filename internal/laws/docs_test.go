package laws

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

func TestPackageDocs(t *testing.T) {
	for dir, list := range packages() {
		found := false
		for _, s := range list {
			if s.file.Doc == nil {
				continue
			}
			want, home := "Package "+s.file.Name.Name+" ", "doc.go"
			if s.file.Name.Name == "main" {
				want, home = "Command ", s.base
			}
			if s.base != home {
				t.Errorf("%s: the package comment belongs to doc.go", s.path)
			}
			if !strings.HasPrefix(s.file.Doc.Text(), want) {
				t.Errorf("%s: the package comment does not begin with %q", s.path, want)
			}
			found = true
		}
		if !found {
			t.Errorf("%s: no package comment: add doc.go", dir)
		}
	}
}

func TestExportedNamesAreDocumented(t *testing.T) {
	for _, s := range sources() {
		if s.test() || s.file.Name.Name == "main" {
			continue
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && receiverExported(d) && d.Doc == nil {
					t.Errorf("%s: %s has no comment", s.at(d), d.Name.Name)
				}
			case *ast.GenDecl:
				undocumented(s, d, func(n *ast.Ident) { t.Errorf("%s: %s has no comment", s.at(n), n.Name) })
			}
		}
	}
}

// receiverExported reports whether a function is no method, or one of an exported type.
func receiverExported(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	e := d.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}

// undocumented reports the exported names of a declaration without a comment of their own, of their
// line or, for constants and variables, of their group.
func undocumented(s source, d *ast.GenDecl, report func(*ast.Ident)) {
	if d.Tok == token.IMPORT {
		return
	}
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() && d.Doc == nil && spec.Doc == nil && spec.Comment == nil {
				report(spec.Name)
			}
		case *ast.ValueSpec:
			if d.Doc != nil || spec.Doc != nil || spec.Comment != nil {
				continue
			}
			for _, n := range spec.Names {
				if n.IsExported() {
					report(n)
				}
			}
		}
	}
}
