package ethertypes_test

import (
	"context"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/app"
	"github.com/weirnet/weir/examples/apps/ethertypes"
	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/session/pipe"
)

// patience is how long a test waits for what must come: reached only by a test that fails.
const patience = 30 * time.Second

// start runs an instance with the application, and returns its address.
func start(t *testing.T, cfg node.Config) node.Addresses {
	t.Helper()
	ctx, end := context.WithCancel(context.Background())
	ready, ended := make(chan node.Addresses, 1), make(chan error, 1)
	cfg.Ready = func(at node.Addresses) { ready <- at }
	go func() { ended <- node.Run(ctx, cfg) }()
	t.Cleanup(func() {
		end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	select {
	case at := <-ready:
		return at
	case err := <-ended:
		ended <- nil
		t.Fatal(err)
	}
	return node.Addresses{}
}

// get answers a request of the API.
func get(t *testing.T, at node.Addresses, token, path string) (int, string) {
	t.Helper()
	return ask(t, at, token, http.MethodGet, path, "")
}

// ask answers a request of the API with a body.
func ask(t *testing.T, at node.Addresses, token, method, path, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+at.API+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/yaml")
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(b)
}

// listed says that the application is in the list of package catalog.
var listed = flag.Bool("listed", false, "every instance has the application")

// TestInAnInstance: an instance that lists the application gives it its settings, shows it the packets of
// its switches, answers for it to who has a token, and describes its route.
func TestInAnInstance(t *testing.T) {
	pipes := pipe.Listen("switches")
	cfg := node.Defaults()
	cfg.ConfigFile = filepath.Join(t.TempDir(), "weir.yaml")
	if err := os.WriteFile(cfg.ConfigFile, []byte("apps: {settings: {ethertypes: {most: 1}}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg.OpenFlow.Listen, cfg.API.Listen, cfg.DataDir, cfg.Store = "127.0.0.1:0", "127.0.0.1:0", t.TempDir(), "memory"
	if cfg.Pipes = pipes; !*listed {
		cfg.Extra = []app.Spec{ethertypes.Spec}
	}
	at := start(t, cfg)
	b, err := os.ReadFile(filepath.Join(cfg.DataDir, client.TokenFile))
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(string(b))

	dialer := session.NewDialer(session.Config{})
	defer dialer.Close(context.Background())
	conn, err := pipes.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := dialer.ServeConn(conn, new(session.Roles), hub.Switch(5))
	if err != nil {
		t.Fatal(err)
	}
	need.Await(t, "the handshake is done at the instance's end: packet-ins before are dropped", func() bool {
		_, body := get(t, at, token, "/v1/switches/5")
		return strings.Contains(body, `"connected":true`)
	})
	frame := append([]byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5}, make([]byte, 46)...)
	for i := range 5 {
		if i == 3 {
			frame = slices.Clone(frame)
			frame[13] = 0xb6
		}
		if _, err = s.Send(&openflow.PacketIn{Buffer: openflow.NoBuffer, InPort: 1, Data: frame}); err != nil {
			t.Fatal(err)
		}
	}
	var counts ethertypes.EtherTypeCounts
	for late := time.Now().Add(patience); counts.Packets["other"] != 2; time.Sleep(5 * time.Millisecond) {
		status, body := get(t, at, token, "/v1/apps/ethertypes")
		if err := json.Unmarshal([]byte(body), &counts); err != nil || status != http.StatusOK || time.Now().After(late) {
			t.Fatalf("%d %s, %v", status, body, err)
		}
	}
	if counts.Packets["0x88b5"] != 3 {
		t.Errorf("counted are %v", counts.Packets)
	}
	if status, _ := get(t, at, "", "/v1/apps/ethertypes"); status != http.StatusUnauthorized {
		t.Errorf("without a token: %d", status)
	}
	if _, apps := get(t, at, token, "/v1/apps"); !strings.Contains(apps, `"name":"ethertypes","enabled":true,"state":"running"`) ||
		!strings.Contains(apps, `"path":"apps.settings[ethertypes].most","values":"number, 1 to 65536","default":"64"`) {
		t.Errorf("applications are %s", apps)
	}
	if _, doc := get(t, at, token, "/openapi.json"); !strings.Contains(doc, `"/v1/apps/ethertypes"`) {
		t.Error("the route is not described")
	}
	if _, metrics := get(t, at, token, "/metrics"); !strings.Contains(metrics, `weir_app_ethertypes_total{kind="packet_ins"} 5`) {
		t.Error("what it was shown is not among the metrics")
	}
	wrong := "apps:\n  disable: [ethertype]\n  settings:\n    ethertypes: {most: 0}\n"
	_, answer := ask(t, at, token, http.MethodPost, "/v1/config", wrong)
	for _, want := range []string{`"line":2`, `\"ethertype\" given, want `, `"line":4`, "want a number from 1 to 65536"} {
		if !strings.Contains(answer, want) {
			t.Errorf("a wrong configuration is answered %s, want %s", answer, want)
		}
	}
}

// TestItIsShort: who begins with it reads a page.
func TestItIsShort(t *testing.T) {
	b, err := os.ReadFile("ethertypes.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(b), "\n"); n > 60 {
		t.Errorf("%d lines, want 60 at most", n)
	}
	page, err := os.ReadFile("../../../docs/applications.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), string(b)) {
		t.Error("docs/applications.md shows another one")
	}
}
