package config

import (
	"os"
	"strings"
	"testing"
)

const (
	docs        = "../docs/config.md"
	schemaBegin = "<!-- schema: go test ./config -rewrite -->\n"
	schemaEnd   = "<!-- end of schema -->\n"
)

// TestDocs: the tables of docs/config.md are those of the schema, and its examples are
// configurations.
func TestDocs(t *testing.T) {
	b, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), schemaBegin)
	_, after, ok2 := strings.Cut(rest, schemaEnd)
	if !ok || !ok2 {
		t.Fatalf("%s: no %q and %q", docs, schemaBegin, schemaEnd)
	}
	golden(t, docs, before+schemaBegin+"\n"+Markdown()+"\n"+schemaEnd+after)
	examples := strings.Split(string(b), "```yaml\n")[1:]
	if len(examples) == 0 {
		t.Error("no example")
	}
	for _, e := range examples {
		text, _, _ := strings.Cut(e, "```")
		if _, err := Parse([]byte(text)); err != nil {
			t.Errorf("%s: an example is refused: %v\n%s", docs, err, text)
		}
	}
}
