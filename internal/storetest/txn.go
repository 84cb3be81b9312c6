package storetest

import (
	"bytes"

	"github.com/weirnet/weir/store"
)

func putAndGet(s *subject) {
	first := s.put("a", "1")
	second := s.put("a", "2")
	s.put("b", "")
	got := s.get(store.Key("a"))
	if len(got) != 1 {
		s.Fatalf("%d pairs", len(got))
	}
	p := got[0]
	if string(p.Key) != "a" || string(p.Value) != "2" || p.Create != first || p.Mod != second || p.Version != 2 || p.Lease != 0 {
		s.Errorf("%+v; put at %d and %d", p, first, second)
	}
	s.value("b", "")
	if n := s.delete(store.Key("a")).Results[0].Deleted; n != 1 {
		s.Errorf("%d deleted", n)
	}
	if got := s.get(store.Key("a")); len(got) != 0 {
		s.Errorf("after deleting: %v", got)
	}
	third := s.put("a", "3")
	if p := s.get(store.Key("a"))[0]; p.Create != third || p.Version != 1 {
		s.Errorf("made again: %+v, at %d", p, third)
	}
}

func conditions(s *subject) {
	s.put("k", "1")
	mod := s.put("k", "2")
	create := s.get(store.Key("k"))[0].Create
	for i, c := range []struct {
		on   store.Compare
		want bool
	}{
		{store.Unchanged([]byte("k"), mod), true},
		{store.Unchanged([]byte("k"), mod-1), false},
		{store.Absent([]byte("k")), false},
		{store.Absent([]byte("none")), true},
		{store.Unchanged([]byte("none"), 0), true},
		{store.Compare{Key: []byte("k"), Field: store.CreateRevision, Number: int64(create)}, true},
		{store.Compare{Key: []byte("k"), Field: store.CreateRevision, Relation: store.NotEqual, Number: int64(create)}, false},
		{store.Compare{Key: []byte("k"), Field: store.KeyVersion, Number: 2}, true},
		{store.Compare{Key: []byte("none"), Field: store.KeyVersion, Number: 0}, true},
		{store.Compare{Key: []byte("k"), Field: store.KeyVersion, Relation: store.Greater, Number: 1}, true},
		{store.Compare{Key: []byte("k"), Field: store.KeyVersion, Relation: store.Greater, Number: 2}, false},
		{store.Compare{Key: []byte("k"), Field: store.KeyVersion, Relation: store.Less, Number: 3}, true},
		{store.Compare{Key: []byte("k"), Field: store.KeyVersion, Relation: store.Less, Number: 2}, false},
		{store.Compare{Key: []byte("k"), Field: store.Value, Value: []byte("2")}, true},
		{store.Compare{Key: []byte("k"), Field: store.Value, Value: []byte("1")}, false},
		{store.Compare{Key: []byte("k"), Field: store.Value, Relation: store.NotEqual, Value: []byte("1")}, true},
		{store.Compare{Key: []byte("k"), Field: store.Value, Relation: store.Greater, Value: []byte("1")}, true},
		{store.Compare{Key: []byte("k"), Field: store.Value, Relation: store.Less, Value: []byte("1")}, false},
	} {
		if r := s.do(store.Txn{If: []store.Compare{c.on}}); r.Succeeded != c.want {
			s.Errorf("%d: %+v: held %v", i, c.on, r.Succeeded)
		}
	}
	both := []store.Compare{store.Unchanged([]byte("k"), mod), store.Absent([]byte("k"))}
	if r := s.do(store.Txn{If: both}); r.Succeeded {
		s.Error("one of two conditions is enough")
	}
}

func elseBranch(s *subject) {
	txn := store.Txn{
		If:   []store.Compare{store.Absent([]byte("k"))},
		Then: []store.Op{store.Put([]byte("k"), []byte("then"))},
		Else: []store.Op{store.Put([]byte("e"), []byte("else")), store.Get(store.Key("k"))},
	}
	if r := s.do(txn); !r.Succeeded || len(r.Results) != 1 {
		s.Errorf("first: %+v", r)
	}
	r := s.do(txn)
	if r.Succeeded || len(r.Results) != 2 || len(r.Results[1].Pairs) != 1 || string(r.Results[1].Pairs[0].Value) != "then" {
		s.Errorf("second: %+v", r)
	}
	s.value("e", "else")
}

func orderInTxn(s *subject) {
	s.put("a", "old")
	r := s.do(store.Txn{Then: []store.Op{
		store.Get(store.Prefix("")), store.Put([]byte("a"), []byte("new")), store.Put([]byte("b"), []byte("x")),
		store.Get(store.Prefix("")), store.Delete(store.Key("c")),
	}})
	before, after := r.Results[0].Pairs, r.Results[3].Pairs
	if len(before) != 1 || string(before[0].Value) != "old" || len(after) != 2 || string(after[0].Value) != "new" ||
		r.Results[4].Deleted != 0 {
		s.Errorf("%+v", r)
	}
	for _, p := range s.get(store.Prefix("")) {
		if p.Mod != r.Revision {
			s.Errorf("%s was changed at %d, in the transaction of %d", p.Key, p.Mod, r.Revision)
		}
	}
}

func refusals(s *subject) {
	rev := s.put("k", "v")
	try := func(what string, want error, ops ...store.Op) {
		s.Helper()
		_, err := s.st.Txn(s.ctx, store.Txn{Then: ops})
		s.refused(what, err, want)
	}
	x := []byte("x")
	try("a put without key", store.ErrInvalid, store.Put(nil, x))
	try("a delete without key", store.ErrInvalid, store.Delete(store.Span{}))
	try("a get without key", store.ErrInvalid, store.Get(store.Span{}))
	try("a span that ends before it begins", store.ErrInvalid, store.Delete(store.Span{From: []byte("b"), To: []byte("a")}))
	try("a key put twice", store.ErrInvalid, store.Put(x, x), store.Put(x, x))
	try("a key put and deleted", store.ErrInvalid, store.Put(x, x), store.Delete(store.Prefix("")))
	try("a key that is too long", store.ErrInvalid, store.Put(bytes.Repeat(x, store.MaxKey+1), x))
	try("too many bytes", store.ErrTooLarge, store.Put(x, make([]byte, store.MaxTxnBytes)))
	try("no such lease", store.ErrNoLease, store.Op{Kind: store.OpPut, Key: x, Lease: 4711})
	var many []store.Op
	for i := range store.MaxTxnOps + 1 {
		many = append(many, store.Put([]byte{'m', byte(i), byte(i >> 8)}, x))
	}
	try("too many operations", store.ErrTooLarge, many...)
	_, err := s.st.Range(s.ctx, store.Query{})
	s.refused("a range without key", err, store.ErrInvalid)
	_, err = s.st.Watch(s.ctx, store.Span{}, 0)
	s.refused("a watch without key", err, store.ErrInvalid)
	if got := s.get(store.Prefix("")); len(got) != 1 || got[0].Mod != rev {
		s.Errorf("something was done: %v", got)
	}
	s.do(store.Txn{Then: many[:store.MaxTxnOps]})
	s.put("large", string(make([]byte, store.MaxTxnBytes-len("large"))))
}

func revisions(s *subject) {
	first := s.put("a", "")
	if r := s.do(store.Txn{Then: []store.Op{store.Get(store.Key("a"))}}); r.Revision != first {
		s.Errorf("reading made revision %d of %d", r.Revision, first)
	}
	if r := s.delete(store.Key("none")); r.Revision != first {
		s.Errorf("deleting nothing made revision %d of %d", r.Revision, first)
	}
	two := s.do(store.Txn{Then: []store.Op{store.Put([]byte("b"), nil), store.Put([]byte("c"), nil)}}).Revision
	three := s.delete(store.Prefix("")).Revision
	if two != first+1 || three != first+2 {
		s.Errorf("revisions %d, %d, %d", first, two, three)
	}
}
