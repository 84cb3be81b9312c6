package api

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/weirnet/weir/internal/golden"
)

// TestOpenAPI compares the served description with testdata/openapi.json: a change of the interface
// is a change of that file.
func TestOpenAPI(t *testing.T) {
	var got bytes.Buffer
	if err := json.Indent(&got, newSmall(t, nil).get("/openapi.json").Body.Bytes(), "", " "); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "testdata/openapi.json", got.Bytes())
}
