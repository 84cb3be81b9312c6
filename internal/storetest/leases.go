package storetest

import (
	"time"

	"github.com/weirnet/weir/store"
)

func leases(s *subject) {
	id, err := s.st.Grant(s.ctx, time.Hour)
	if err != nil {
		s.Fatal(err)
	}
	other, err := s.st.Grant(s.ctx, time.Hour)
	if err != nil || other == id || id == 0 {
		s.Fatalf("%d, %d, %v", id, other, err)
	}
	with := func(key string, l store.LeaseID) store.Op {
		return store.Op{Kind: store.OpPut, Key: []byte(key), Value: []byte("v"), Lease: l}
	}
	s.do(store.Txn{Then: []store.Op{with("a", id), with("b", id), with("c", id), with("d", other)}})
	if p := s.get(store.Key("a"))[0]; p.Lease != id {
		s.Errorf("%+v, want lease %d", p, id)
	}
	s.put("b", "without") // a put without the lease takes the key from it
	if err := s.st.KeepAlive(s.ctx, id); err != nil {
		s.Error(err)
	}
	w := s.watch(store.Prefix(""), 0)
	if err := s.st.Revoke(s.ctx, id); err != nil {
		s.Fatal(err)
	}
	s.keys("revoked", s.get(store.Prefix("")), "b=without d=v ")
	if got := w.until(2); got != "-a -c " {
		s.Errorf("told %s", got)
	}
	if w.told[0].Pair.Mod != w.told[1].Pair.Mod {
		s.Error("the keys of a lease went in two revisions")
	}
	s.refused("revoked twice", s.st.Revoke(s.ctx, id), store.ErrNoLease)
	s.refused("kept alive after its end", s.st.KeepAlive(s.ctx, id), store.ErrNoLease)
	_, err = s.st.Grant(s.ctx, time.Millisecond)
	s.refused("a lease too short", err, store.ErrInvalid)
}

func leaseEnds(s *subject) {
	id, err := s.st.Grant(s.ctx, time.Second)
	if err != nil {
		s.Fatal(err)
	}
	w := s.watch(store.Key("k"), 0)
	s.do(store.Txn{Then: []store.Op{{Kind: store.OpPut, Key: []byte("k"), Lease: id}}})
	if got := w.until(2); got != "k= -k " {
		s.Errorf("told %s", got)
	}
	s.refused("kept alive after its end", s.st.KeepAlive(s.ctx, id), store.ErrNoLease)
}
