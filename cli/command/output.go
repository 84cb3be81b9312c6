package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
)

// Format is an output format.
type Format string

// The formats. FormatTable and FormatWide are for people.
const (
	FormatTable Format = "table"
	FormatWide  Format = "wide" // a table with datapath ids in place of names, and all columns
	FormatJSON  Format = "json"
	FormatYAML  Format = "yaml"
)

// FormatFlag is --output.
func FormatFlag(cmd *cobra.Command, f *Format, usage string) {
	cmd.Flags().VarP(Enum(f, FormatTable, FormatWide, FormatJSON, FormatYAML), "output", "o", usage)
}

// IsTable reports whether it is a table.
func (f Format) IsTable() bool { return f == FormatTable || f == FormatWide }

// Write writes a value in a format; table writes it as a table.
func (f Format) Write(w io.Writer, v any, table func(io.Writer) error) error {
	if f.IsTable() {
		return RuntimeError(table(w))
	}
	return RuntimeError(WriteValue(w, f, v))
}

// WriteValue writes a value as indented JSON or as YAML.
func WriteValue(w io.Writer, f Format, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if f == FormatYAML {
		if b, err = YAML(b); err != nil {
			return err
		}
		_, err = w.Write(b)
		return err
	}
	var out bytes.Buffer
	json.Indent(&out, PlainJSON(b), "", "  ")
	out.WriteByte('\n')
	_, err = w.Write(out.Bytes())
	return err
}

// YAML turns JSON, which is YAML, into block style, with the fields in the same order.
func YAML(b []byte) ([]byte, error) {
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

// Table writes aligned columns. Their widths come from the rows given to Fit; later rows are
// aligned unless they are wider.
type Table struct {
	W      io.Writer
	widths []int
}

const columnGap = "  "

// Fit widens the columns to the cells of rows.
func (t *Table) Fit(rows ...[]string) {
	for _, row := range rows {
		for i, cell := range row {
			if i == len(t.widths) {
				t.widths = append(t.widths, 0)
			}
			t.widths[i] = max(t.widths[i], utf8.RuneCountInString(Printable(cell)))
		}
	}
}

// Write writes rows. An empty cell is "-".
func (t *Table) Write(rows ...[]string) error {
	var b strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			if cell = Printable(cell); cell == "" {
				cell = "-"
			}
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", max(0, t.widths[i]-utf8.RuneCountInString(cell))) + columnGap)
			}
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(t.W, b.String())
	return err
}

// WriteTable writes rows as a table.
func WriteTable(w io.Writer, rows [][]string) error {
	t := &Table{W: w}
	t.Fit(rows...)
	return t.Write(rows...)
}

// Printable replaces what would move the cursor or begin a row: many names and texts come from
// switches, hosts and other users.
func Printable(cell string) string {
	return strings.Map(func(r rune) rune {
		if hidden(r) || r == '\n' || r == '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, cell)
}

// Notes tells what is being done, a line each on standard error.
func Notes(cmd *cobra.Command) func(format string, args ...any) {
	return func(format string, args ...any) { fmt.Fprintf(cmd.ErrOrStderr(), format+"\n", args...) }
}
