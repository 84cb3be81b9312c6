package ofcase

import (
	"os"
	"strings"
	"testing"
)

// TestMasksAreListed: what is not compared has its name in the specification.
func TestMasksAreListed(t *testing.T) {
	text, err := os.ReadFile("../../docs/spec/flowtable-oracle.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range OVSMasks {
		if !strings.Contains(string(text), "| `"+m.Name+"` |") {
			t.Errorf("mask %s is not in docs/spec/flowtable-oracle.md", m.Name)
		}
	}
}
