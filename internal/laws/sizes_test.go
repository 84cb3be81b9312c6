package laws

import (
	"go/ast"
	"maps"
	"slices"
	"testing"
)

// What one reader can hold at once: files of a package and methods of a type, tests apart.
const (
	filesMax   = 45
	methodsMax = 25
)

// exceptionsMax is how many packages and types may be above that.
const exceptionsMax = 6

// stays are those that may, as large as they are, and why.
var stays = map[string]struct {
	size int
	why  string
}{
	"openflow":          {84, "a file for each message, which is how one is found"},
	"api/client.Client": {53, "a method for each call of the REST interface"},
	"flowtable.Switch":  {84, "a method for each request of OpenFlow to one switch, whose state they share"},
}

// receiver is the type of which a function is a method; empty for one of none.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	t := f.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// measured counts the files of a folder, and the methods of its types: what is written once for each system is
// one.
func measured(dir string, list []*ast.File) map[string]int {
	sizes, seen := map[string]int{dir: len(list)}, map[string]bool{}
	for _, file := range list {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil {
				continue
			}
			of := dir + "." + receiver(f)
			if method := of + "." + f.Name.Name; !seen[method] {
				seen[method] = true
				sizes[of]++
			}
		}
	}
	return sizes
}

// TestSizes: no package and no type is larger than the limits, but those that are listed.
func TestSizes(t *testing.T) {
	if len(stays) > exceptionsMax {
		t.Errorf("%d exceptions that stay, at most %d may", len(stays), exceptionsMax)
	}
	sizes := map[string]int{}
	for dir, list := range packages() {
		var files []*ast.File
		for _, s := range list {
			files = append(files, s.file)
		}
		of := measured(dir, files)
		for name, n := range of {
			limit, what := methodsMax, "methods"
			if name == dir {
				limit, what = filesMax, "files"
			}
			if n > limit {
				sizes[name] = n
				if stays[name].size == 0 {
					t.Errorf("%s: %d %s, at most %d: cut it by what belongs together", name, n, what, limit)
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(stays)) {
		if n := sizes[name]; n == 0 || n > stays[name].size || stays[name].why == "" {
			t.Errorf("%s: %d, excepted with %d because %q", name, n, stays[name].size, stays[name].why)
		}
	}
}

func TestSizesAreSeen(t *testing.T) {
	f := parse(t, "package p\nfunc (T) a() {}\nfunc (t *T) b() {}\nfunc (l *L[K, V]) c() {}\nfunc (l L[K]) d() {}\nfunc e() {}\n")
	want := map[string]int{"p": 2, "p.T": 2, "p.L": 2} // of two systems
	if got := measured("p", []*ast.File{f, f}); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
