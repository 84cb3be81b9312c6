package laws

import (
	"bufio"
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// ownPrograms come with the toolchain or are built by the tests themselves.
var ownPrograms = map[string]bool{"go": true, "gofmt": true, "weir": true}

// ofDemonstration are the programs that scripts/demo-mininet and scripts/mininet-network start.
var ofDemonstration = []string{
	"unshare", "nsenter", "mount", "ip", "ethtool", "ping", "bash", "python3", "mnexec",
	"ovsdb-tool", "ovsdb-server", "ovs-vsctl", "ovs-vswitchd",
}

// packaged reads scripts/packages-GROUP.txt: program → Debian package.
func packaged(t *testing.T, groups ...string) map[string]string {
	t.Helper()
	var lists []string
	for _, g := range groups {
		lists = append(lists, filepath.Join(root, "scripts", "packages-"+g+".txt"))
	}
	out := map[string]string{}
	for _, list := range lists {
		f, err := os.Open(list)
		if err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			fields := strings.Fields(lines.Text())
			if len(fields) == 0 || fields[0] == "#" {
				continue
			}
			if len(fields) == 1 {
				t.Errorf("%s: %s: no program named", path.Base(list), fields[0])
			}
			for _, p := range fields[1:] {
				out[path.Base(p)] = fields[0]
			}
		}
		f.Close()
	}
	return out
}

// starters are the functions that take a program, and which argument it is: those of os/exec and
// internal/need.
var starters = map[string]int{"Command": 0, "CommandContext": 1, "LookPath": 0, "Program": 1}

// programs finds the names of programs a file starts, where they are written as a literal.
func programs(f *ast.File) (out []string) {
	eachCall(f, func(call *ast.CallExpr, name string) bool {
		at, ok := starters[name]
		if !ok || len(call.Args) <= at {
			return true
		}
		if lit, ok := call.Args[at].(*ast.BasicLit); ok {
			if name, err := strconv.Unquote(lit.Value); err == nil {
				out = append(out, name)
			}
		}
		return true
	})
	return out
}

// eachCall calls visit with each call of a method, or of a package's function, and its name, before
// those inside of it, which are left out where visit returns false.
func eachCall(f *ast.File, visit func(call *ast.CallExpr, name string) bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
				return visit(call, sel.Sel.Name)
			}
		}
		return true
	})
}

func TestProgramsArePackaged(t *testing.T) {
	have := packaged(t, "build", "test")
	found := 0
	for _, s := range sources() {
		if s.dir == "internal/need" || s.base == "programs_test.go" {
			continue
		}
		for _, name := range programs(s.file) {
			found++
			if name = path.Base(name); have[name] == "" && !ownPrograms[name] {
				t.Errorf("%s: program %s is in neither scripts/packages-build.txt nor packages-test.txt", s.path, name)
			}
		}
	}
	if found == 0 {
		t.Error("no program found in any source: the scan is broken")
	}
}

func TestDemonstrationIsPackaged(t *testing.T) {
	have := packaged(t, "build", "demo")
	for _, name := range ofDemonstration {
		if have[name] == "" {
			t.Errorf("scripts/demo-mininet: program %s is in neither scripts/packages-build.txt nor packages-demo.txt", name)
		}
	}
}

func TestProgramsAreFound(t *testing.T) {
	f := parse(t, "package p\nfunc f() { exec.Command(\"a\", \"x\"); exec.CommandContext(c, \"b\"); need.Program(t, \"c\"); exec.Command(p, \"no\") }\n")
	if got := strings.Join(programs(f), " "); got != "a b c" {
		t.Fatalf("found %q", got)
	}
}
