package laws

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/weirnet/weir"

// root is the repository, seen from this package's folder.
const root = "../.."

// source is one Go file of the repository.
type source struct {
	path string // from the repository's root, with slashes
	dir  string
	base string
	file *ast.File
	fset *token.FileSet
}

func (s source) test() bool { return strings.HasSuffix(s.base, "_test.go") }

// at is "file:line" of a node.
func (s source) at(n ast.Node) string {
	return s.path + ":" + itoa(s.fset.Position(n.Pos()).Line)
}

// outside reports whether the folder is not part of the repository: made by tools, or ignored by git.
func outside(name string) bool {
	switch name {
	case ".git", ".cache", "bin", "weir-data", "node_modules":
		return true
	}
	return false
}

// files returns the paths of every regular file of the repository, sorted.
var files = sync.OnceValue(func() []string {
	var out []string
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && outside(d.Name()) {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() && d.Name() != ".git" { // a file in a linked work tree
			rel, _ := filepath.Rel(root, p)
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
	sort.Strings(out)
	return out
})

// sources returns every Go file, parsed with comments, whatever its build tags.
var sources = sync.OnceValue(func() []source {
	var out []source
	for _, p := range files() {
		if path.Ext(p) != ".go" || strings.Contains("/"+p, "/testdata/") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, filepath.Join(root, p), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			panic(err)
		}
		out = append(out, source{path: p, dir: path.Dir(p), base: path.Base(p), file: file, fset: fset})
	}
	return out
})

// packages returns the folders that hold Go files which are not tests, or the laws' own folder.
func packages() map[string][]source {
	out := map[string][]source{}
	for _, s := range sources() {
		if !s.test() {
			out[s.dir] = append(out[s.dir], s)
		}
	}
	return out
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// lines calls f with each line of a text and its number, from 1.
func lines(text string, f func(n int, line string)) {
	for i, line := range strings.Split(text, "\n") {
		f(i+1, line)
	}
}
