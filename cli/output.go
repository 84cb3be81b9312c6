package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
)

// format is an output format.
type format string

const (
	formatTable format = "table"
	formatWide  format = "wide" // a table with datapath ids in place of names
	formatJSON  format = "json"
	formatYAML  format = "yaml"
)

// formatFlag is --output.
func formatFlag(cmd *cobra.Command, f *format, usage string) {
	cmd.Flags().VarP(newEnumFlag(f, formatTable, formatWide, formatJSON, formatYAML), "output", "o", usage)
}

// table reports whether it is a table.
func (f format) table() bool { return f == formatTable || f == formatWide }

// write writes a value in a format; table writes it as a table.
func (f format) write(w io.Writer, v any, table func(io.Writer) error) error {
	if f.table() {
		return runtimeError(table(w))
	}
	return runtimeError(writeValue(w, f, v))
}

// writeValue writes a value as indented JSON or as YAML.
func writeValue(w io.Writer, f format, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if f == formatYAML {
		if b, err = yamlOf(b); err != nil {
			return err
		}
		_, err = w.Write(b)
		return err
	}
	var out bytes.Buffer
	json.Indent(&out, plainJSON(b), "", "  ")
	out.WriteByte('\n')
	_, err = w.Write(out.Bytes())
	return err
}

// yamlOf turns JSON, which is YAML, into block style, with the fields in the same order.
func yamlOf(b []byte) ([]byte, error) {
	var node yaml.Node
	if err := yaml.Unmarshal(plainYAML(b), &node); err != nil { // which refuses control characters
		return nil, err
	}
	unflow(&node)
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(&node); err != nil {
		return nil, err
	}
	if err := enc.Close(); err != nil {
		return nil, err
	}
	return plainYAML(out.Bytes()), nil
}

// unflow changes a node from flow style to block style.
func unflow(n *yaml.Node) {
	if len(n.Content) > 0 || n.Kind == yaml.ScalarNode {
		n.Style = 0
	}
	if strings.ContainsFunc(n.Value, hidden) {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, c := range n.Content {
		unflow(c)
	}
}

// table writes aligned columns. Their widths come from the rows given to fit; later rows are
// aligned unless they are wider.
type table struct {
	w      io.Writer
	widths []int
}

const columnGap = "  "

func (t *table) fit(rows ...[]string) {
	for _, row := range rows {
		for i, cell := range row {
			if i == len(t.widths) {
				t.widths = append(t.widths, 0)
			}
			t.widths[i] = max(t.widths[i], utf8.RuneCountInString(printable(cell)))
		}
	}
}

func (t *table) write(rows ...[]string) error {
	var b strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			if cell = printable(cell); cell == "" {
				cell = "-"
			}
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", max(0, t.widths[i]-utf8.RuneCountInString(cell))) + columnGap)
			}
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}

// printable replaces what would move the cursor or begin a row: many names and texts come from
// switches, hosts and other users.
func printable(cell string) string {
	return strings.Map(func(r rune) rune {
		if hidden(r) || r == '\n' || r == '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, cell)
}
