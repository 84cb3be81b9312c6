package api

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"testing"

	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/control"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/internal/golden"
)

// TestOpenAPI compares the served description with testdata/openapi.json: a change of the interface
// is a change of that file.
func TestOpenAPI(t *testing.T) {
	top, err := topo.Parse("linear:1", 1)
	if err != nil {
		t.Fatal(err)
	}
	n, err := emu.New(emu.Config{Topology: top, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := New(Config{Operator: control.New(control.Config{Network: n}),
		StackConfig: rest.StackConfig{Version: "1.2.3", Access: rest.Access{Open: true}}})
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/openapi.json", nil)
	r.Host = "localhost"
	s.ServeHTTP(w, r)
	var got bytes.Buffer
	if err := json.Indent(&got, w.Body.Bytes(), "", " "); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "testdata/openapi.json", got.Bytes())
}
