package laws

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// underLock are the functions that may call what they were given while they hold a lock, and why.
var underLock = map[string]string{
	"internal/netlab.Impaired.take":      "what it asks decides by a frame's bytes alone",
	"probe/controller.Controller.decide": "what it asks decides by a packet's headers alone",
	"settings.Settings.finish":           "made by the package itself: the state, and what follows from it, change as one",
}

// TestCallbacks: nobody calls a function that another package may have given to him, in a field or as a
// parameter of an exported function, between Lock and Unlock in the same function: nobody knows there what it
// does, and if it comes back it waits for ever. Clocks do not come back.
func TestCallbacks(t *testing.T) {
	l := &typed{fset: token.NewFileSet(), packages: map[string]*types.Package{}, found: map[string][]underLockCall{}}
	dirs := packages()
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		if _, err := l.Import(path.Join(module, dir)); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.found)) {
		if underLock[name] != "" {
			continue
		}
		for _, c := range l.found[name] {
			t.Errorf("%s: %s calls %s, which was given to it, under %s: call it after Unlock", l.fset.Position(c.node.Pos()), name,
				c.what, c.lock)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(underLock)) {
		if len(l.found[name]) == 0 {
			t.Errorf("%s calls nothing under a lock that was given to it: take its line out", name)
		}
	}
}

// underLockCall is a call of what, while lock is held.
type underLockCall struct {
	node       ast.Node
	what, lock string
}

// typed has the types of our packages; those of others are unknown, which calls need not know.
type typed struct {
	fset     *token.FileSet
	packages map[string]*types.Package
	found    map[string][]underLockCall // by folder and function
}

// Import implements types.Importer: for our packages, of their own files.
func (l *typed) Import(name string) (*types.Package, error) {
	dir, ours := strings.CutPrefix(name, module+"/")
	if !ours {
		return nil, errors.New("not one of ours")
	}
	if p := l.packages[name]; p != nil {
		return p, nil
	}
	var files []*ast.File
	for _, s := range packages()[dir] {
		f, err := parser.ParseFile(l.fset, filepath.Join(root, s.path), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	p, calls := l.check(name, files)
	l.packages[name] = p
	for f, list := range calls {
		l.found[dir+"."+f] = list
	}
	return p, nil
}

// check finds the types of a package, and its calls under locks by the functions that they are in.
func (l *typed) check(name string, files []*ast.File) (*types.Package, map[string][]underLockCall) {
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}}
	c := types.Config{Importer: l, Error: func(error) {}, FakeImportC: true} // what others' packages have is unknown: errors
	p, _ := c.Check(name, l.fset, files, info)
	calls := map[string][]underLockCall{}
	for _, file := range files {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			of := f.Name.Name
			if f.Recv != nil {
				of = receiver(f) + "." + of
			}
			w := &lockWalk{info: info, exported: f.Name.IsExported()}
			w.function(f.Body)
			if len(w.calls) > 0 {
				calls[of] = append(calls[of], w.calls...)
			}
		}
	}
	return p, calls
}

// held are the locks that are held at a place, by their expressions.
type held []string

// lockWalk goes through a function in the order of its statements.
type lockWalk struct {
	info     *types.Info
	exported bool
	calls    []underLockCall
}

// function goes through the body of a function, which begins without a lock.
func (w *lockWalk) function(body *ast.BlockStmt) { w.list(body.List, nil) }

// list goes through statements, and returns what is held behind them, and whether they are left before.
func (w *lockWalk) list(list []ast.Stmt, h held) (after held, left bool) {
	for _, s := range list {
		if h, left = w.statement(s, h); left {
			return h, true
		}
	}
	return h, false
}

func (w *lockWalk) statement(s ast.Stmt, h held) (after held, left bool) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		if lock, on, ok := lockCall(s.X); ok {
			if on {
				return append(slices.Clone(h), lock), false
			}
			return slices.DeleteFunc(slices.Clone(h), func(x string) bool { return x == lock }), false
		}
		w.look(s, h)
		call, _ := s.X.(*ast.CallExpr)
		return h, call != nil && isPanic(call)
	case *ast.BlockStmt:
		return w.list(s.List, h)
	case *ast.LabeledStmt:
		return w.statement(s.Stmt, h)
	case *ast.ReturnStmt, *ast.BranchStmt:
		w.look(s, h)
		return h, true
	case *ast.DeferStmt:
		if _, _, ok := lockCall(s.Call); !ok {
			w.look(s.Call, nil) // later: after what is deferred behind it, which is not known here
		}
		return h, false
	case *ast.GoStmt:
		w.look(s.Call, nil)
		return h, false
	case *ast.IfStmt:
		w.optional(s.Init, h)
		w.look(s.Cond, h)
		then, thenLeft := w.list(s.Body.List, h)
		other, otherLeft := h, false
		if s.Else != nil {
			other, otherLeft = w.statement(s.Else, h)
		}
		return joined(then, thenLeft, other, otherLeft)
	case *ast.ForStmt:
		w.optional(s.Init, h)
		w.optional(s.Post, h)
		if s.Cond != nil {
			w.look(s.Cond, h)
		}
		w.list(s.Body.List, h)
		return h, false
	case *ast.RangeStmt:
		w.look(s.X, h)
		w.list(s.Body.List, h)
		return h, false
	case *ast.SwitchStmt:
		w.optional(s.Init, h)
		if s.Tag != nil {
			w.look(s.Tag, h)
		}
		return w.cases(s.Body, h)
	case *ast.TypeSwitchStmt:
		w.optional(s.Init, h)
		w.look(s.Assign, h)
		return w.cases(s.Body, h)
	case *ast.SelectStmt:
		return w.cases(s.Body, h)
	}
	w.look(s, h)
	return h, false
}

func (w *lockWalk) optional(s ast.Stmt, h held) {
	if s != nil {
		w.look(s, h)
	}
}

// cases goes through the cases of a switch or select: behind it is held what every one of them holds.
func (w *lockWalk) cases(body *ast.BlockStmt, h held) (after held, left bool) {
	after = h
	for _, c := range body.List {
		var list []ast.Stmt
		switch c := c.(type) {
		case *ast.CaseClause:
			for _, e := range c.List {
				w.look(e, h)
			}
			list = c.Body
		case *ast.CommClause:
			list = c.Body
		}
		then, leaves := w.list(list, h)
		after, _ = joined(then, leaves, after, false)
	}
	return after, false
}

// joined is what is held where two ways meet.
func joined(a held, aLeft bool, b held, bLeft bool) (held, bool) {
	switch {
	case aLeft:
		return b, bLeft
	case bLeft:
		return a, false
	}
	return slices.DeleteFunc(slices.Clone(a), func(x string) bool { return !slices.Contains(b, x) }), false
}

// look notes the calls in a node. Functions that are made there are called later, without the lock as far as
// this law knows.
func (w *lockWalk) look(n ast.Node, h held) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			w.function(n.Body)
			return false
		case *ast.CallExpr:
			if what, ok := w.given(n.Fun); ok && len(h) > 0 {
				w.calls = append(w.calls, underLockCall{n, what, h[len(h)-1]})
			}
		}
		return true
	})
}

// given reports whether what is called is a function in a field, or a parameter of an exported function.
func (w *lockWalk) given(fun ast.Expr) (string, bool) {
	if _, ok := types.Unalias(typeOf(w.info, fun)).Underlying().(*types.Signature); !ok {
		return "", false
	}
	switch x := ast.Unparen(fun).(type) {
	case *ast.SelectorExpr:
		s := w.info.Selections[x]
		return types.ExprString(x), s != nil && s.Kind() == types.FieldVal && !strings.EqualFold(x.Sel.Name, "now")
	case *ast.Ident:
		v, ok := w.info.Uses[x].(*types.Var)
		return x.Name, ok && v.Kind() == types.ParamVar && w.exported
	}
	return "", false
}

func typeOf(info *types.Info, e ast.Expr) types.Type {
	if t := info.Types[e].Type; t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// lockCall reports whether an expression is a call of Lock or RLock (on), or of Unlock or RUnlock, and of which.
func lockCall(e ast.Expr) (lock string, on, ok bool) {
	call, isCall := e.(*ast.CallExpr)
	if !isCall || len(call.Args) > 0 {
		return "", false, false
	}
	x, isSel := call.Fun.(*ast.SelectorExpr)
	if !isSel {
		return "", false, false
	}
	switch x.Sel.Name {
	case "Lock", "RLock":
		return types.ExprString(x.X), true, true
	case "Unlock", "RUnlock":
		return types.ExprString(x.X), false, true
	}
	return "", false, false
}

func isPanic(call *ast.CallExpr) bool {
	id, ok := call.Fun.(*ast.Ident)
	return ok && id.Name == "panic"
}

func TestCallbacksAreSeen(t *testing.T) {
	const begin = `package p
type T struct { mu sync.Mutex; f, g func(); now func() int }
func (t *T) m() {}
`
	for _, c := range []struct {
		body string
		want string // the call that is seen; empty: none
	}{
		{"func (t *T) A() { t.mu.Lock(); t.f(); t.mu.Unlock() }", "t.f"},
		{"func (t *T) A() { t.mu.Lock(); t.mu.Unlock(); t.f() }", ""},
		{"func (t *T) A() { t.mu.RLock(); defer t.mu.RUnlock(); if x { t.g() } }", "t.g"},
		{"func (t *T) A() { t.mu.Lock(); if x { t.mu.Unlock(); t.f(); return }; t.mu.Unlock() }", ""},
		{"func (t *T) A() { t.mu.Lock(); if x { t.mu.Unlock(); return }; t.f(); t.mu.Unlock() }", "t.f"},
		{"func (t *T) A() { t.mu.Lock(); switch { case x: t.mu.Unlock(); default: t.mu.Unlock() }; t.f() }", ""},
		{"func (t *T) A() { t.mu.Lock(); for range 3 { if a := b(t.f); a { c(1, t.g) } else { t.g() } } }", "t.g"},
		{"func (t *T) A() { t.mu.Lock(); go t.f(); defer t.g(); h(func() { t.f() }); t.mu.Unlock() }", ""},
		{"func (t *T) A() { h(func() { t.mu.Lock(); t.f(); t.mu.Unlock() }) }", "t.f"},
		{"func (t *T) A() { t.mu.Lock(); t.m(); t.now(); t.mu.Unlock() }", ""},
		{"func (t *T) A(do func()) { t.mu.Lock(); do(); t.mu.Unlock() }", "do"},
		{"func (t *T) a(do func()) { t.mu.Lock(); do(); t.mu.Unlock() }", ""},
		{"func A(l *list[T], do func() bool) { select { case <-c: default: l.Lock(); if !do() { return } } }", "do"},
	} {
		l := &typed{fset: token.NewFileSet()}
		f, err := parser.ParseFile(l.fset, "p.go", begin+c.body, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, calls := l.check("p", []*ast.File{f})
		var seen []string
		for _, list := range calls {
			for _, call := range list {
				seen = append(seen, call.what)
			}
		}
		if got := strings.Join(seen, " "); got != c.want {
			t.Errorf("%s: seen %q, want %q", c.body, got, c.want)
		}
	}
}
