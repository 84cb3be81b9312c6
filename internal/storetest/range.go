package storetest

import (
	"fmt"

	"github.com/weirnet/weir/store"
)

func keys(pairs []store.Pair) (out string) {
	for _, p := range pairs {
		out += fmt.Sprintf("%s=%s ", p.Key, p.Value)
	}
	return out
}

func (s *subject) keys(what string, pairs []store.Pair, want string) {
	s.Helper()
	if got := keys(pairs); got != want {
		s.Errorf("%s: %s, want %s", what, got, want)
	}
}

func pages(s *subject) {
	for i := 9; i >= 0; i-- {
		s.put(fmt.Sprintf("k%d", i), fmt.Sprint(i))
	}
	s.put("k\xff", "end")
	s.put("l", "other")
	s.keys("prefix", s.get(store.Prefix("k")), "k0=0 k1=1 k2=2 k3=3 k4=4 k5=5 k6=6 k7=7 k8=8 k9=9 k\xff=end ")
	s.keys("span", s.get(store.Span{From: []byte("k3"), To: []byte("k5")}), "k3=3 k4=4 ")
	s.keys("all", s.get(store.Prefix(""))[9:], "k9=9 k\xff=end l=other ")
	q := store.Query{Span: store.Prefix("k"), Limit: 4}
	var got []store.Pair
	for n := 1; ; n++ {
		page, err := s.st.Range(s.ctx, q)
		if err != nil {
			s.Fatal(err)
		}
		got = append(got, page.Pairs...)
		if q.Revision == 0 { // what comes meanwhile is not in the pages that follow
			q.Revision = page.Revision
			s.put("k55", "new")
		}
		if !page.More {
			if n != 3 {
				s.Errorf("%d pages", n)
			}
			break
		}
		q.Span.From = store.After(got[len(got)-1].Key)
	}
	s.keys("pages", got, "k0=0 k1=1 k2=2 k3=3 k4=4 k5=5 k6=6 k7=7 k8=8 k9=9 k\xff=end ")
	page, err := s.st.Range(s.ctx, store.Query{Span: store.Prefix("k"), Limit: 1, KeysOnly: true})
	if err != nil || len(page.Pairs) != 1 || len(page.Pairs[0].Value) != 0 || page.Pairs[0].Mod == 0 || !page.More {
		s.Errorf("keys only: %+v, %v", page, err)
	}
	page, err = s.st.Range(s.ctx, store.Query{Span: store.Key("l"), Local: true})
	if err != nil || keys(page.Pairs) != "l=other " {
		s.Errorf("local: %+v, %v", page, err)
	}
}

func pastRevisions(s *subject) {
	r1 := s.put("a", "1")
	r2 := s.put("b", "1")
	r3 := s.put("a", "2")
	r4 := s.delete(store.Key("a")).Revision
	s.keys("1", s.at(store.Prefix(""), r1), "a=1 ")
	s.keys("2", s.at(store.Prefix(""), r2), "a=1 b=1 ")
	s.keys("3", s.at(store.Prefix(""), r3), "a=2 b=1 ")
	s.keys("4", s.at(store.Prefix(""), r4), "b=1 ")
	_, err := s.st.Range(s.ctx, store.Query{Span: store.Prefix(""), Revision: r4 + 1})
	s.refused("a revision to come", err, store.ErrFuture)
}

func compaction(s *subject) {
	r1 := s.put("a", "1")
	r2 := s.put("a", "2")
	s.put("b", "1")
	r4 := s.delete(store.Key("b")).Revision
	if err := s.st.Compact(s.ctx, r2); err != nil {
		s.Fatal(err)
	}
	_, err := s.st.Range(s.ctx, store.Query{Span: store.Prefix(""), Revision: r1})
	s.refused("before it", err, store.ErrCompacted)
	s.keys("at it", s.at(store.Prefix(""), r2), "a=2 ")
	s.keys("behind it", s.at(store.Prefix(""), r4-1), "a=2 b=1 ")
	s.refused("again", s.st.Compact(s.ctx, r2), store.ErrCompacted)
	s.refused("before", s.st.Compact(s.ctx, r1), store.ErrCompacted)
	s.refused("to come", s.st.Compact(s.ctx, r4+1), store.ErrFuture)
	if err := s.st.Compact(s.ctx, r4); err != nil {
		s.Fatal(err)
	}
	s.keys("now", s.get(store.Prefix("")), "a=2 ")
	if p := s.get(store.Key("a"))[0]; p.Create != r1 || p.Mod != r2 || p.Version != 2 {
		s.Errorf("%+v", p)
	}
	if err := s.st.Defragment(s.ctx); err != nil {
		s.Fatal(err)
	}
	s.keys("defragmented", s.get(store.Prefix("")), "a=2 ")
	s.put("c", "1")
}
