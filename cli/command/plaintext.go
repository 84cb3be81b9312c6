package command

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// hidden reports whether a character is invisible, or changes how the following ones are shown:
// controls, and formats such as the one that reverses the direction (U+202E). Many names and texts
// come from switches, hosts and other users.
func hidden(r rune) bool {
	return r != '\n' && r != '\t' && !unicode.IsGraphic(r)
}

// PlainJSON escapes hidden characters of JSON, which has them in strings only.
func PlainJSON(b []byte) []byte {
	return escaped(b, func(r rune) string {
		if high, low := utf16.EncodeRune(r); r > 0xffff {
			return fmt.Sprintf("\\u%04x\\u%04x", high, low)
		}
		return fmt.Sprintf("\\u%04x", r)
	})
}

// plainYAML escapes hidden characters of YAML whose strings with such characters are double-quoted.
func plainYAML(b []byte) []byte {
	return escaped(b, func(r rune) string { return fmt.Sprintf("\\U%08X", r) })
}

func escaped(b []byte, how func(rune) string) []byte {
	if !bytes.ContainsFunc(b, hidden) {
		return b
	}
	var out strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if hidden(r) {
			out.WriteString(how(r))
		} else {
			out.Write(b[:n])
		}
		b = b[n:]
	}
	return []byte(out.String())
}
