//go:build real

package node_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/weirnet/weir/api/client"
)

// writers ask for one intent after another, each a new one.
type writers struct {
	api    *client.Client
	next   atomic.Int64
	mu     sync.Mutex
	has    []string     // acknowledged, over all lives
	refuse map[int]bool // statuses of refusals; 0: there was no answer
}

// write asks for an intent, and notes what came of it.
func (w *writers) write(t *testing.T) error {
	n := w.next.Add(1)
	id := fmt.Sprintf("wish-%d", n)
	at := func(port uint32) client.IntentEnds {
		return client.PointEnds(client.Point{DPID: "0000000000000001", Port: port})
	}
	_, err := w.api.CreateIntent(t.Context(), &client.IntentRequest{
		ID: id, Kind: client.PointToPoint, Src: at(1), Dst: at(2),
		Selector: client.Selector{"eth_src": fmt.Sprintf("06:00:%02x:%02x:%02x:%02x", n>>24, n>>16&255, n>>8&255, n&255)},
	}, client.CreateOptions{})
	w.mu.Lock()
	defer w.mu.Unlock()
	var p *client.Problem
	switch {
	case err == nil:
		w.has = append(w.has, id)
	case errors.As(err, &p):
		w.refuse[p.Status] = true
	default:
		w.refuse[0] = true
	}
	return err
}

// TestDiskFilledAtOnce: somebody else takes what is left of the disk in one go, faster than the
// store looks, while requests come. The instance refuses (507), is not ready, and takes requests
// again when there is room; killed then, it has all that it acknowledged.
func TestDiskFilledAtOnce(t *testing.T) {
	c := &child{dir: t.TempDir(), openflow: freeAddress(t)}
	c.within, c.root = smallDisk(t, c.dir, 420)
	w := &writers{refuse: map[int]bool{}}
	filler := filepath.Join(c.root, c.dir, "filler")
	for round := range 2 {
		c.start(t)
		w.api = c.api
		before, all := len(w.has), sync.WaitGroup{}
		for range 4 {
			all.Go(func() {
				for w.write(t) == nil {
				}
			})
		}
		await(t, "some intents", func() bool { w.mu.Lock(); defer w.mu.Unlock(); return len(w.has) > before+50 }, c.log.String)
		if err := os.WriteFile(filler, make([]byte, 420<<20), 0o600); err == nil {
			t.Fatal("all fits")
		}
		all.Wait()
		resp, err := http.Get("http://" + c.lines.Text() + "/readyz")
		if err != nil {
			t.Fatalf("it has ended: %v\n%s", err, tail(c.log.String(), 20))
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusServiceUnavailable || w.refuse[0] {
			t.Errorf("ready is %s, requests were refused with %v", resp.Status, w.refuse)
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		await(t, "requests to be taken again", func() bool { return w.write(t) == nil }, c.log.String)
		c.kill()
		c.start(t)
		there := map[string]bool{}
		page, err := c.api.Intents(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range page.Items {
			there[page.Items[i].ID] = true
		}
		for _, id := range w.has {
			if !there[id] {
				t.Errorf("round %d: %s was acknowledged, and is gone", round, id)
			}
		}
		c.kill()
	}
}
