package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/intent/schema"
	"github.com/weirnet/weir/strictyaml"
)

// intentFileMax bounds a file of intents, in bytes: the API's limit of a request.
const intentFileMax = 16 << 20

// addFile adds the intents of a file.
func (w *intentArgs) addFile(cmd *cobra.Command, c *client.Client, f command.Format) error {
	for i := range schema.Rows {
		for _, flag := range schema.Rows[i].Flags {
			if schema.Rows[i].Part == schema.Content && w.given(flag.Name) {
				return fmt.Errorf("--%s given with -f, want it in the file", flag.Name)
			}
		}
	}
	text, err := readFile(w.file, cmd.InOrStdin(), intentFileMax)
	if err != nil {
		return fmt.Errorf("-f: %w", err)
	}
	if len(text) > intentFileMax {
		return fmt.Errorf("-f: %s is too long, want at most %d bytes: send it in parts, or as a stream (docs/intents.md)",
			w.file, intentFileMax)
	}
	body, err := w.body(cmd.Context(), c, text)
	if err != nil {
		return err
	}
	w.note(cmd.Context(), c, cmd.ErrOrStderr())
	a, err := c.PostIntents(cmd.Context(), body, w.options())
	if err != nil {
		return command.Explained(err)
	}
	return w.writeAnswers(cmd, c, f, a.Items)
}

// body turns a file into a body of {"items":[…]}. It keeps unknown fields: the API refuses them by
// name.
func (w *intentArgs) body(ctx context.Context, c *client.Client, text []byte) ([]byte, error) {
	root, err := strictyaml.Open(text, intentFileMax)
	if err != nil {
		return nil, strictyaml.InFile(w.file, err)
	}
	if strictyaml.IsNull(root) {
		return nil, fmt.Errorf("%s is empty, want an intent, or a list of them", w.file)
	}
	t := &fileTranslator{args: w, ctx: ctx, c: c}
	v, err := t.value("", root)
	if err != nil {
		return nil, err
	}
	whole := map[string]any{}
	list := root
	switch v := v.(type) {
	case []any:
		whole["items"] = v
	case map[string]any:
		whole["items"] = []any{v}
		list = &yaml.Node{Content: []*yaml.Node{list}}
		if _, several := v["items"]; several {
			whole, list = v, valueOf(root, "items")
		}
	default:
		return nil, fmt.Errorf("%s: %v given, want an intent, or a list of them", w.file, v)
	}
	if w.atomic {
		whole["atomic"] = true
	}
	return inLines(whole, list)
}

// valueOf returns the value of a key of a mapping.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return n
}

// inLines makes a JSON body in which each item is on the line that it has in the file, with its id
// first: the API's answers then have the file's line and the id, whatever else is wrong.
func inLines(whole map[string]any, list *yaml.Node) ([]byte, error) {
	items, ok := whole["items"].([]any)
	if !ok {
		return json.Marshal(whole)
	}
	delete(whole, "items")
	b, err := json.Marshal(whole)
	if err != nil {
		return nil, err
	}
	b = b[:len(b)-1] // without the brace
	if len(whole) > 0 {
		b = append(b, ',')
	}
	b = append(b, `"items":[`...)
	line := 1
	for i, v := range items {
		if i > 0 {
			b = append(b, ',')
		}
		for ; i < len(list.Content) && line < list.Content[i].Line; line++ {
			b = append(b, '\n')
		}
		if b, err = appendItem(b, v); err != nil {
			return nil, err
		}
	}
	return append(b, "]}"...), nil
}

// appendItem appends an item in JSON, with its id first.
func appendItem(b []byte, v any) ([]byte, error) {
	m, ok := v.(map[string]any)
	id, named := m["id"]
	if !ok || !named || len(m) == 1 {
		text, err := json.Marshal(v)
		return append(b, text...), err
	}
	delete(m, "id")
	rest, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	first, err := json.Marshal(id)
	b = append(append(b, `{"id":`...), first...)
	return append(append(b, ','), rest[1:]...), err
}

// fileTranslator turns YAML into the JSON of the API: ids, datapath ids and match fields stay text,
// names and addresses become ids, SWITCH/PORT becomes a connect point.
type fileTranslator struct {
	args *intentArgs
	ctx  context.Context
	c    *client.Client
}

func (t *fileTranslator) value(key string, n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			name, inner := n.Content[i].Value, n.Content[i].Value
			if key == "selector" {
				inner = "selector."
			}
			if _, twice := m[name]; twice {
				return nil, fmt.Errorf("%s:%d: field %s given twice, want it once", t.args.file, n.Content[i].Line, name)
			}
			v, err := t.value(inner, n.Content[i+1])
			if err != nil {
				return nil, err
			}
			m[name] = v
		}
		return m, nil
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, e := range n.Content {
			v, err := t.value(key, e)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case yaml.ScalarNode:
		v, err := t.scalar(key, n)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", t.args.file, n.Line, err)
		}
		return v, nil
	}
	return nil, fmt.Errorf("%s:%d: an anchor or alias given, want the value itself", t.args.file, n.Line)
}

func (t *fileTranslator) scalar(key string, n *yaml.Node) (any, error) {
	if row := schema.Named(key); row != nil {
		switch row.Form {
		case schema.Text, schema.Enum:
			return n.Value, nil
		case schema.Ends:
			return t.end(n.Value)
		}
	}
	switch key {
	case "selector.":
		return n.Value, nil
	case "dpid":
		if dpid, err := client.ParseDPID(n.Value); err == nil {
			t.args.byDPID = append(t.args.byDPID, givenPoint{text: n.Value, dpid: dpid})
			return n.Value, nil
		}
		sw, err := t.args.switchNamed(t.ctx, t.c, n.Value)
		if err != nil {
			return nil, err
		}
		return sw.DPID, nil
	}
	var v any
	if err := n.Decode(&v); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return v, nil
}

// end reads a host or a connect point: a MAC, with five colons, may have a VLAN after a slash.
func (t *fileTranslator) end(text string) (any, error) {
	if strings.Contains(text, "/") && strings.Count(text, ":") != 5 {
		return t.args.point(t.ctx, t.c, text)
	}
	return hostNamed(t.ctx, t.c, text)
}
