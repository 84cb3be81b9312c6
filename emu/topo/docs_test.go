package topo

import (
	"os"
	"strings"
	"testing"
)

// TestDocs holds docs/emulator.md to what is read: its YAML is a network and a schedule, and all
// words are in it.
func TestDocs(t *testing.T) {
	b, err := os.ReadFile("../../docs/emulator.md")
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for i, part := range strings.Split(string(b), "```") {
		if text, ok := strings.CutPrefix(part, "yaml\n"); ok && i%2 == 1 {
			blocks = append(blocks, text)
		}
	}
	if len(blocks) != 2 {
		t.Fatalf("%d blocks of YAML, want 2", len(blocks))
	}
	if n, err := parseYAML([]byte(blocks[0]), 1, oneHost); err != nil || len(n.Hosts) != 3 {
		t.Error(err)
	}
	if events, err := ParseSchedule([]byte(blocks[1]), must(t, "full:4")); err != nil || len(events) != 5 {
		t.Error(err)
	}
	for _, form := range Forms() {
		if !strings.Contains(string(b), "`"+form+"`") {
			t.Errorf("%s is missing", form)
		}
	}
}

// TestExamples reads what docs and help name.
func TestExamples(t *testing.T) {
	n, err := Load("../../examples/two-sites.yaml", 1)
	if err != nil {
		t.Fatal(err)
	}
	if events, err := LoadSchedule("../../examples/events.yaml", n); err != nil || len(events) != 8 {
		t.Errorf("%d events: %v", len(events), err)
	}
	if _, err := Load("../../examples/backbone.graphml", 1); err != nil {
		t.Error(err)
	}
}
