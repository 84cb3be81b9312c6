package node_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/etcd"
	journals "github.com/weirnet/weir/store/journal"
)

// member has an instance be the only member of a cluster, which stands by while another one is written to be the owner. Its
// store is what a function makes of it.
func member(t *testing.T, as func(*etcd.Store) store.Store) func(*node.Config) {
	return func(c *node.Config) {
		c.API.Listen, c.OpenFlow.Listen = freeAddress(t), freeAddress(t)
		dir := filepath.Join(c.DataDir, "store")
		c.OpenStore = func() (store.Store, error) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return nil, err
			}
			st, err := etcd.Start(context.Background(), etcd.Config{Name: "weir-1", Dir: dir,
				Peer: &etcd.Peer{Listener: l, Address: l.Addr().String()}})
			if err != nil {
				return nil, err
			}
			return as(st), nil
		}
	}
}

// TestTroubleOfAnEarlierReign holds that what kept a journal from committing when an instance of a cluster was replaced is not
// said any more once it owns the store again: it is ready, and has no alarm.
func TestTroubleOfAnEarlierReign(t *testing.T) {
	var st *etcd.Store
	i := start(t, usual, member(t, func(s *etcd.Store) store.Store { st = s; return s }))
	if _, err := i.api.CreateIntent(t.Context(), request(1), client.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	// Another instance takes the journal, this one is asked for something before it knows, and is replaced.
	if _, err := journals.Open(t.Context(), st, journals.Config{Prefix: "intents/"}); err != nil {
		t.Fatal(err)
	}
	if _, err := i.api.CreateIntent(t.Context(), request(2), client.CreateOptions{}); err == nil {
		t.Error("an intent is taken in a journal that is another's")
	}
	i.await("the trouble to be said", func() bool { return slices.Contains(i.alarmed("store"), "intents") })
	row := store.Put([]byte("instances/owner"), []byte(`{"name":"other","api":"192.0.2.1:8181","life":"x"}`))
	if _, err := st.Txn(t.Context(), store.Txn{Then: []store.Op{row}}); err != nil {
		t.Fatal(err)
	}
	ready := func() int {
		answer, err := http.Get("http://" + i.at.API + "/readyz")
		if err != nil {
			return 0
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	i.await("it to stand by", func() bool {
		page, err := i.api.Members(t.Context())
		return err == nil && len(page.Items) == 2 && page.Items[0].Owner // "other"
	})
	gone := store.Delete(store.Key("instances/owner"))
	if _, err := st.Txn(t.Context(), store.Txn{Then: []store.Op{gone}}); err != nil {
		t.Fatal(err)
	}
	i.await("it to take requests again", func() bool {
		_, err := i.api.CreateIntent(t.Context(), request(3), client.CreateOptions{})
		return err == nil
	})
	i.await("it to be ready as the owner", func() bool {
		page, err := i.api.Members(t.Context())
		return err == nil && page.Items[0].Owner && page.Items[0].State == "ready" && ready() == http.StatusOK
	})
	if slices.Contains(i.alarmed("store"), "intents") {
		t.Error("it has an alarm of when it was replaced")
	}
}

// onceUnread is the store of a cluster's member of which one question for what begins so fails, as those do that are under way
// when the store's leader changes.
type onceUnread struct {
	*etcd.Store
	prefix *atomic.Pointer[string] // nil: none fails
}

func (s onceUnread) Range(ctx context.Context, q store.Query) (store.Page, error) {
	if p := s.prefix.Load(); p != nil && strings.HasPrefix(string(q.Span.From), *p) && s.prefix.CompareAndSwap(p, nil) {
		return store.Page{}, fmt.Errorf("%w: its leader changed", store.ErrUnavailable)
	}
	return s.Store.Range(ctx, q)
}

// TestTakesOverThoughAReadFails holds that a member of a cluster that takes over, and finds that something cannot be read for a
// moment, does not end, nor leaves its store: it begins again, and is the owner soon.
func TestTakesOverThoughAReadFails(t *testing.T) {
	for _, p := range []string{"config/", "intents/", "tokens/"} {
		t.Run(p, func(t *testing.T) { takesOverWithout(t, p) })
	}
}

func takesOverWithout(t *testing.T, unread string) {
	var st *etcd.Store
	var opens, begun atomic.Int32
	prefix := new(atomic.Pointer[string])
	i := start(t, usual, func(c *node.Config) { c.Intents = func(*intent.Engine) { begun.Add(1) } },
		member(t, func(s *etcd.Store) store.Store { opens.Add(1); st = s; return onceUnread{s, prefix} }))
	txn := func(op store.Op) {
		if _, err := st.Txn(t.Context(), store.Txn{Then: []store.Op{op}}); err != nil {
			t.Fatal(err)
		}
	}
	txn(store.Put([]byte("instances/owner"), []byte(`{"name":"other","api":"192.0.2.1:8181","life":"x"}`)))
	i.await("it to stand by", func() bool {
		page, err := i.api.Members(t.Context())
		return err == nil && len(page.Items) == 2 && page.Items[0].Owner // "other"
	})
	before := begun.Load()
	prefix.Store(&unread)
	txn(store.Delete(store.Key("instances/owner")))
	i.await("it to be the owner", func() bool { return begun.Load() > before || len(i.ended) > 0 })
	if len(i.ended) > 0 {
		t.Fatal("it has ended")
	}
	if prefix.Load() != nil {
		t.Error("what fails was not read")
	}
	i.await("it to take requests", func() bool {
		_, err := i.api.CreateIntent(t.Context(), request(1), client.CreateOptions{})
		return err == nil
	})
	if n := opens.Load(); n != 1 {
		t.Errorf("the store was opened %d times", n)
	}
}
