package laws

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"
	"testing"
)

// empty names say nothing about what a package holds.
var empty = map[string]bool{
	"util": true, "utils": true, "common": true, "helper": true, "helpers": true, "manager": true, "managers": true,
	"misc": true, "base": true, "pkg": true, "lib": true, "shared": true, "service": true, "services": true,
}

// suffixes that make a type's name say less.
var suffixes = []string{"Manager", "Service", "Impl", "Helper", "Helpers", "Util", "Utils", "Data", "Info"}

func parse(t *testing.T, text string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "x.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestPackageNames(t *testing.T) {
	for dir, list := range packages() {
		if name := list[0].file.Name.Name; empty[name] || empty[path.Base(dir)] {
			t.Errorf("%s: a package is named for what it holds, not %s", dir, name)
		}
	}
}

func TestTypeNames(t *testing.T) {
	for _, s := range sources() {
		ast.Inspect(s.file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			for _, suffix := range suffixes {
				if strings.HasSuffix(spec.Name.Name, suffix) {
					t.Errorf("%s: type %s: name it without %s", s.at(spec), spec.Name.Name, suffix)
				}
			}
			return true
		})
	}
}

func TestNoInit(t *testing.T) {
	for _, s := range sources() {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s: no init functions: the composition root calls constructors", s.at(f))
			}
		}
	}
}
