package laws

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// forbidden words are written in two halves, so that this file does not hold them.
var forbidden = []struct{ word, why string }{
	{"proxy.golang" + ".org", "the repository names no package registry"},
	{"sum.golang" + ".org", "the repository names no package registry"},
	{"pypi" + ".org", "the repository names no package registry"},
	{"registry.npmjs" + ".org", "the repository names no package registry"},
	{"deb.debian" + ".org", "the repository names no package registry"},
	{"/wo" + "rk/", "no path of one machine"},
	{"/ro" + "ot/", "no path of one machine"},
	{"/ho" + "me/", "no path of one machine"},
	{"TO" + "DO", "what is not done is absent, or an issue"},
	{"FIX" + "ME", "what is not done is absent, or an issue"},
}

func TestForbiddenWords(t *testing.T) {
	for _, p := range files() {
		if p == "LICENSE" || strings.Contains(p, "testdata/fuzz/") {
			continue
		}
		text := read(t, filepath.FromSlash(p))
		if !utf8.ValidString(text) {
			continue
		}
		for _, f := range forbidden {
			if !strings.Contains(text, f.word) {
				continue
			}
			lines(text, func(n int, line string) {
				if strings.Contains(line, f.word) {
					t.Errorf("%s:%d: %q: %s", p, n, f.word, f.why)
				}
			})
		}
	}
}
