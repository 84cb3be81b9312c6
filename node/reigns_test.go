package node_test

import (
	"context"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/etcd"
	journals "github.com/weirnet/weir/store/journal"
)

// TestTroubleOfAnEarlierReign holds that what kept a journal from committing when an instance of a cluster was replaced is not
// said any more once it owns the store again: it is ready, and has no alarm.
func TestTroubleOfAnEarlierReign(t *testing.T) {
	var st *etcd.Store
	i := start(t, usual, func(c *node.Config) {
		c.API.Listen, c.OpenFlow.Listen = freeAddress(t), freeAddress(t)
		dir := filepath.Join(c.DataDir, "store")
		c.OpenStore = func() (store.Store, error) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err == nil {
				st, err = etcd.Start(context.Background(), etcd.Config{Name: "weir-1", Dir: dir,
					Peer: &etcd.Peer{Listener: l, Address: l.Addr().String()}})
			}
			return st, err
		}
	})
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
