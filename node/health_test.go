package node_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/store"
)

// probe asks an instance that needs no token for it.
func probe(i *instance, path string) (int, string) {
	i.t.Helper()
	r, err := http.Get("http://" + i.at.API + path)
	if err != nil {
		i.t.Fatal(err)
	}
	defer r.Body.Close()
	b, _ := io.ReadAll(r.Body)
	return r.StatusCode, string(b)
}

// TestHungPart: a part that hangs is told by its name while it does.
func TestHungPart(t *testing.T) {
	var engine *intent.Engine
	i := start(t, usual, func(c *node.Config) {
		c.HangAfter = 2 * time.Second
		c.Intents = func(e *intent.Engine) { engine = e }
	})
	release := make(chan struct{})
	hanging := make(chan struct{})
	go engine.Query(func(*intent.Core) { close(hanging); <-release })
	<-hanging
	i.await("health to fail", func() bool {
		code, text := probe(i, "/healthz")
		return code == http.StatusServiceUnavailable && strings.Contains(text, "intents: it hangs")
	})
	close(release)
	i.await("health", func() bool { code, _ := probe(i, "/healthz"); return code == http.StatusOK })
}

// TestHealthAndReadiness: an instance lives and is ready, whatever its store is; it lives and is
// not ready while the store takes nothing, says why, and so does the list of members.
func TestHealthAndReadiness(t *testing.T) {
	i := start(t, usual)
	for _, path := range []string{"/healthz", "/readyz"} {
		if code, text := probe(i, path); code != 200 {
			t.Errorf("%s with an embedded store: %d %s", path, code, text)
		}
	}
	if err := i.stop(); err != nil {
		t.Fatal(err)
	}
	st := &silent{Store: store.NewMemory(nil)}
	i = start(t, usual, func(c *node.Config) {
		c.OpenStore = func() (store.Store, error) { return st, nil }
		c.Limits.StoreAnswer = 200 * time.Millisecond
	})
	if code, text := probe(i, "/readyz"); code != 200 {
		t.Errorf("before the store is silent: %d %s", code, text)
	}
	release := st.hold(false)
	defer release()
	i.api.WithdrawIntents(t.Context(), []string{"none"})
	wish(i, "a", "02:00:00:00:00:02")
	i.await("the instance not to be ready", func() bool {
		code, text := probe(i, "/readyz")
		return code == 503 && strings.Contains(text, "nothing is kept")
	})
	page, err := i.api.Members(t.Context())
	if err != nil || !strings.Contains(page.Items[0].State, "nothing is kept") {
		t.Errorf("members: %+v, %v", page, err)
	}
	if code, text := probe(i, "/healthz"); code != 200 {
		t.Errorf("it lives: %d %s", code, text)
	}
	release()
	i.await("the instance to be ready again", func() bool { code, _ := probe(i, "/readyz"); return code == 200 })
}
