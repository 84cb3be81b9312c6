package schema_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/weirnet/weir/intent/schema"
	"github.com/weirnet/weir/internal/golden"
)

// TestProtoFile: message IntentRequest of intents.proto is written from the table.
func TestProtoFile(t *testing.T) {
	writtenBetween(t, "../../api/client/intentpb/intents.proto", "message IntentRequest {\n", "}\n", protoFields())
}

// TestPage: the table of fields in docs/intents.md is written from the table.
func TestPage(t *testing.T) {
	writtenBetween(t, "../../docs/intents.md", "| field | is | says | `weir intent add`, `replace` |\n|---|---|---|---|\n", "\n",
		pageRows())
}

// writtenBetween compares what stands in a file between two texts with what it has to be, or
// rewrites it.
func writtenBetween(t *testing.T, path, begin, end, want string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := bytes.Cut(text, []byte(begin))
	at := bytes.Index(append([]byte("\n"), rest...), []byte("\n"+end))
	if !found || at < 0 {
		t.Fatalf("%s has no %q with %q after it", path, begin, end)
	}
	golden.Compare(t, path, slices.Concat(before, []byte(begin+want), rest[at:]))
}

// protoTypes are the types of fields in protobuf; of a form with two, the second's too.
var protoTypes = map[schema.Form][2]string{schema.Text: {"string"}, schema.Number: {"optional uint32"}, schema.Flag: {"bool"},
	schema.Ends: {"repeated Point", "Host"}, schema.HopList: {"repeated Hop"}, schema.Match: {"repeated Field", "bytes"}}

func protoFields() string {
	var fields [32][2]string // declaration and comment, by number
	width := 0
	for i := range schema.Rows {
		row := &schema.Rows[i]
		kinds := protoTypes[row.Form]
		if row.Form == schema.Enum {
			kinds[0] = strings.ToUpper(row.Name[:1]) + row.Name[1:]
		}
		for j, n := range []int{row.Number, row.AlsoNumber} {
			if n == 0 {
				continue
			}
			comment := [2]string{row.Comment, row.AlsoComment}[j]
			fields[n] = [2]string{fmt.Sprintf("  %s %s = %d;", kinds[j], row.NameOf(n), n), comment}
			width = max(width, len(fields[n][0]))
		}
	}
	var b strings.Builder
	for _, f := range fields {
		switch {
		case f[0] == "":
		case f[1] == "":
			b.WriteString(f[0] + "\n")
		default:
			fmt.Fprintf(&b, "%-*s  // %s\n", width, f[0], f[1])
		}
	}
	return b.String()
}

// formTexts say what a value is, for people.
var formTexts = map[schema.Form]string{schema.Text: "text", schema.Number: "a number from 0 to %d",
	schema.Flag: "`true` or `false`", schema.Ends: "a host's id, or connect points", schema.HopList: "a list",
	schema.Match: "match fields", schema.Object: "`{}`"}

func pageRows() string {
	var b strings.Builder
	for i := range schema.Rows {
		row := &schema.Rows[i]
		form := formTexts[row.Form]
		switch {
		case row.Form == schema.Enum:
			form = "`" + strings.Join(row.Names(), "`, `") + "`"
		case row.Form == schema.Number:
			form = fmt.Sprintf(form, row.Max)
		case row.MaxLength > 0:
			form += fmt.Sprintf(", at most %d bytes", row.MaxLength)
		}
		says := row.Doc
		if row.Unserved != "" {
			says = "Nothing yet: " + row.Unserved + "."
		}
		var flags []string
		for _, f := range row.Flags {
			flags = append(flags, "`--"+f.Name+"`")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", row.Name, form, says, strings.Join(flags, ", "))
	}
	return b.String()
}
