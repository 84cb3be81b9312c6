package cli

import (
	"strings"
	"testing"
)

// bodyOf is the request that a file of intents becomes, without an instance.
func bodyOf(t *testing.T, atomic bool, text string) (string, error) {
	t.Helper()
	w := intentArgs{file: "f.yaml", atomic: atomic}
	b, err := w.body(t.Context(), nil, []byte(text))
	return string(b), err
}

// TestFileKeepsLines: each item is on the line that it has in the file, with its id first, so that
// the instance's answers have the lines of the file.
func TestFileKeepsLines(t *testing.T) {
	for text, want := range map[string]string{
		"id: a\nkind: path\n": `{"items":[{"id":"a","kind":"path"}]}`,
		"# two\n- {kind: path, id: a}\n\n- {id: b, wide: true}":                  "{\"items\":[\n{\"id\":\"a\",\"kind\":\"path\"},\n\n{\"id\":\"b\",\"wide\":true}]}",
		"items:\n- {id: a}\n- 5\ntag: x\n":                                       "{\"tag\":\"x\",\"items\":[\n{\"id\":\"a\"},\n5]}",
		"[{id: 007, priority: 9, selector: {vlan_vid: 0x10, eth_type: 0x0800}}]": `{"items":[{"id":"007","priority":9,"selector":{"eth_type":"0x0800","vlan_vid":"0x10"}}]}`,
		"- {src: 1/1, dst: 00:00:00:00:00:02/7}":                                 `{"items":[{"dst":"00:00:00:00:00:02/7","src":{"dpid":"0000000000000001","port":1}}]}`,
		"- {src: [1/1, {dpid: a1, port: 2}]}":                                    `{"items":[{"src":[{"dpid":"0000000000000001","port":1},{"dpid":"a1","port":2}]}]}`,
	} {
		if got, err := bodyOf(t, false, text); got != want || err != nil {
			t.Errorf("%q\n got %q, %v\nwant %q", text, got, err, want)
		}
	}
	if got, err := bodyOf(t, true, "- {id: a}"); got != `{"atomic":true,"items":[{"id":"a"}]}` || err != nil {
		t.Errorf("atomic: %s, %v", got, err)
	}
}

// TestWrongFiles: errors have the file, the line, and what was given.
func TestWrongFiles(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "f.yaml is empty, want an intent",
		"{a: [}":                   "f.yaml: not YAML: ",
		"a: 1\n---\nb: 2\n":        "f.yaml:2: a second document: want one",
		"\xff":                     "f.yaml:1: bytes that are not UTF-8 given",
		"word":                     "f.yaml: word given, want an intent",
		"- {a: 1,\n   a: 2}":       "f.yaml:2: field a given twice, want it once",
		"- &x {a: 1}\n- *x\n":      "f.yaml:2: an anchor or alias given",
		"- {kind: x, at: !!int z}": "f.yaml:1: ",
	} {
		if _, err := bodyOf(t, false, text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q\n got %v\nwant %s", text, err, want)
		}
	}
}
