//go:build real

package openflow

import (
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/weirnet/weir/internal/need"
)

// keysOf reads a table of testdata/oracles: by "VERSION FIELD" what an oracle calls the field.
func keysOf(t *testing.T, oracle string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "oracles", oracle+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(words) != 3 {
			t.Fatalf("%s.txt: %q has not version, field and key", oracle, line)
		}
		keys[words[0]+" "+words[1]] = append(keys[words[0]+" "+words[1]], words[2])
	}
	return keys
}

// An exception exempts an oracle, or all ("any"), from reading some fields of some messages.
type exception struct {
	oracle, messages, fields string
	used                     bool
}

// exceptions reads the tables of docs/spec/oracles.md: rows of oracle, messages, fields (both
// patterns with * and several of them with spaces between) and the reason.
func exceptions(t *testing.T) []*exception {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(need.Repository(t), "docs", "spec", "oracles.md"))
	if err != nil {
		t.Fatal(err)
	}
	var out []*exception
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.ReplaceAll(strings.TrimSpace(line), "`", ""), "|")
		if len(cells) != 6 || strings.HasPrefix(cells[1], "-") || strings.TrimSpace(cells[1]) == "oracle" {
			continue
		}
		out = append(out, &exception{
			oracle: strings.TrimSpace(cells[1]), messages: strings.TrimSpace(cells[2]), fields: strings.TrimSpace(cells[3]),
		})
		if strings.TrimSpace(cells[4]) == "" {
			t.Errorf("docs/spec/oracles.md: an exception without a reason: %s", line)
		}
	}
	return out
}

// exempted reports whether an exception covers a field of a message, and notes that it was needed.
func exempted(list []*exception, oracle, message, field string) bool {
	found := false
	for _, e := range list {
		if e.oracle == oracle && matches(e.messages, message) && matches(e.fields, field) {
			e.used, found = true, true
		}
	}
	return found
}

func matches(patterns, name string) bool {
	for p := range strings.FieldsSeq(patterns) {
		quoted := strings.ReplaceAll(regexp.QuoteMeta(p), `\*`, ".*")
		if regexp.MustCompile("^" + quoted + "$").MatchString(name) {
			return true
		}
	}
	return false
}

var (
	flagsRule = regexp.MustCompile(`^(.*) flags\((.*)\)$`)
	enumRule  = regexp.MustCompile(`^(.*?) ?enum\((.*)\)$`)
	dumpLine  = regexp.MustCompile(`(?m)^[0-9a-f]{8}  ((?:[0-9a-f]{2}[ -]?)+)`)
)

// prints reports whether the text of Open vSwitch has what a row of its table demands for a value;
// not demanded is true.
func prints(v Version, text, row, value string) bool {
	if rest, ok := strings.CutPrefix(row, "?"); ok {
		skip, words, _ := strings.Cut(rest, " ")
		if skip == value {
			return true
		}
		row = words
	}
	if row == "%dump" {
		var octets strings.Builder
		for _, line := range dumpLine.FindAllStringSubmatch(text, -1) {
			octets.WriteString(strings.NewReplacer(" ", "", "-", "").Replace(line[1]))
		}
		return normal("0x"+octets.String()) == value
	}
	if m := flagsRule.FindStringSubmatch(row); m != nil {
		return printsFlags(text, m[1], m[2], value)
	}
	if m := enumRule.FindStringSubmatch(row); m != nil {
		for pair := range strings.SplitSeq(m[2], ",") {
			if n, name, _ := strings.Cut(pair, "="); n == value {
				return hasWord(text, regexp.QuoteMeta(m[1])+` ?`+regexp.QuoteMeta(name))
			}
		}
		return false
	}
	return hasWord(text, fill(v, row, value))
}

// hasWord reports whether text has what pattern matches, not inside a longer word or number.
func hasWord(text, pattern string) bool {
	before, after := `(^|[^0-9A-Za-z])`, `($|[^0-9A-Za-z])`
	if !strings.ContainsAny(pattern[:1], "( abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") {
		before = ""
	}
	if strings.HasSuffix(pattern, `\(`) || strings.HasSuffix(pattern, `\)`) {
		after = ""
	}
	return regexp.MustCompile(`(?m)` + before + `(?:` + pattern + `)` + after).MatchString(text)
}

// printsFlags wants the names of exactly the bits that are set on the line on which word stands.
func printsFlags(text, word, names, value string) bool {
	bits, _ := strconv.ParseUint(value, 10, 64)
	line := regexp.MustCompile(regexp.QuoteMeta(word) + `[^\n]*`).FindString(text)
	for pair := range strings.SplitSeq(names, ",") {
		n, name, _ := strings.Cut(pair, "=")
		bit, _ := strconv.ParseUint(n, 10, 64)
		found := regexp.MustCompile(`(^|[^0-9A-Za-z_-])` + regexp.QuoteMeta(name) + `($|[^0-9A-Za-z_-])`).MatchString(line)
		if found != (bits&bit != 0) {
			return false
		}
		bits &^= bit
	}
	return line != "" && bits == 0
}

var portNamesOVS = []string{"IN_PORT", "TABLE", "NORMAL", "FLOOD", "ALL", "CONTROLLER", "LOCAL", "ANY"}

// fill puts a value into a row. Where the row has no special characters of its own for a pattern, (
// and ) mean themselves.
func fill(v Version, row, value string) string {
	if !strings.ContainsAny(row, "[|") {
		row = strings.NewReplacer("(", `\(`, ")", `\)`).Replace(row)
	}
	i := strings.Index(row, "%")
	end := i + 1
	for row[end] >= '0' && row[end] <= '9' {
		end++
	}
	verb, width := row[end], row[i+1:end]
	n, _ := new(big.Int).SetString(value, 10)
	var s string
	switch verb {
	case 'd':
		s = value
	case 'x':
		s = fmt.Sprintf("%"+width+"x", n)
	case 'm':
		s = net.HardwareAddr(n.FillBytes(make([]byte, 6))).String()
	case 'a':
		a, _ := netip.AddrFromSlice(n.FillBytes(make([]byte, 4)))
		s = regexp.QuoteMeta(a.String())
	case 'f':
		s = fmt.Sprintf(`%d\.%d%%`, n.Uint64()/10, n.Uint64()%10)
	case 's':
		s = regexp.QuoteMeta(value)
	case 'p':
		first := uint64(PortInPort)
		if v == V10 {
			first &= 0xffff
		}
		if s = value; n.Uint64() >= first {
			s = portNamesOVS[n.Uint64()-first]
		}
	}
	return row[:i] + s + row[end+1:]
}
