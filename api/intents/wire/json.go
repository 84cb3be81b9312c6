package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/intent/schema"
	"github.com/weirnet/weir/intent/spec"
)

// JSON reads requests in JSON, token by token: strings must be UTF-8, and no name may come twice.
// One reader at a time.
type JSON struct {
	// MaxItems is how many items a body may have; 0: as many as it holds.
	MaxItems int

	d    *jsontext.Decoder
	in   bytes.Buffer
	text string // what is read, as a string that ids are parts of
}

// NewJSON returns a reader.
func NewJSON() *JSON { return &JSON{d: jsontext.NewDecoder(new(bytes.Buffer))} }

func (p *JSON) begin(raw []byte, text string) {
	p.in = *bytes.NewBuffer(raw)
	p.text = text
	p.d.Reset(&p.in)
}

// Line reads one line of a stream into the batch. Text is raw as a string; the ids of the requests
// are parts of it.
func (p *JSON) Line(b *Batch, raw []byte, text string, line int) {
	p.begin(raw, text)
	var r intent.Request
	err := p.request(b, &r, schema.Request)
	if err == nil {
		err = p.end()
	}
	if err == nil {
		b.add(&r, line, nil)
		return
	}
	if syntax := syntaxOf(err); syntax != "" {
		b.Refuse("", line, syntax)
		return
	}
	b.add(&r, line, err)
}

// Document is a body in JSON.
type Document struct {
	Single bool // one intent, not {"items":[…]}
	Atomic bool // all or none
}

// ErrTooMany is wrapped where a body has more items than it may have: nothing of the rest was read.
var ErrTooMany = errors.New("too many items")

// Body reads one intent, or {"items":[…],"atomic":…}, into the batch. The error is of the body as a
// whole, with its line; what is wrong with single items is in their slots. Op is what the items ask
// for: they cannot say it themselves. Id is that of an intent which does not say its own.
func (p *JSON) Body(b *Batch, raw []byte, op intent.Op, id string) (Document, error) {
	p.begin(raw, string(raw))
	doc := Document{Single: true}
	r := intent.Request{Op: op, Spec: spec.Spec{ID: id}}
	r.Spec.SetDefaults()
	bare := true // no field of an intent was read
	seen := false
	err := p.object("", "an intent, or {\"items\":[…]}", func(name string) error {
		switch name {
		case "items":
			seen = true
			return p.items(b, op)
		case "atomic":
			doc.Single = false
			var err error
			doc.Atomic, err = p.boolean(name)
			return err
		}
		bare = false
		return p.field(b, &r, name, schema.Content)
	})
	if err != nil && syntaxOf(err) == "" && !seen && doc.Single { // of the one intent
		if drain := p.skipTo(0); drain != nil {
			err = drain
		} else {
			b.add(&r, 1, err)
			return doc, p.withLine(p.end())
		}
	}
	if err == nil {
		err = p.end()
	}
	if err != nil {
		return doc, p.withLine(err)
	}
	switch {
	case seen && !bare:
		return doc, errors.New("fields of an intent beside items: want one intent, or {\"items\":[…]} of them")
	case seen:
		doc.Single = false
	case !doc.Single:
		return doc, errors.New("atomic without items: want {\"items\":[…],\"atomic\":true}")
	default:
		b.add(&r, 1, nil)
	}
	return doc, nil
}

// items reads a list of intents.
func (p *JSON) items(b *Batch, op intent.Op) error {
	if err := p.open('[', "items", "a list of intents"); err != nil {
		return err
	}
	depth := p.d.StackDepth()
	line, counted := 1, 0 // of the text up to here
	for p.d.PeekKind() != ']' {
		if p.MaxItems > 0 && len(b.Slots) == p.MaxItems {
			return ErrTooMany
		}
		r := intent.Request{Op: op}
		at := p.nextOffset()
		line, counted = line+strings.Count(p.text[counted:at], "\n"), at
		err := p.request(b, &r, schema.Content)
		if err != nil {
			if syntaxOf(err) != "" {
				return err
			}
			if err := p.skipTo(depth); err != nil {
				return err
			}
		}
		b.add(&r, line, err)
	}
	_, err := p.d.ReadToken()
	return err
}

// nextOffset returns where the value begins that is read next: what was read ends before a comma and
// white space.
func (p *JSON) nextOffset() int {
	rest := p.text[p.d.InputOffset():]
	return len(p.text) - len(strings.TrimLeft(rest, ", \t\r\n"))
}

// skipTo reads on until no more than depth values are open.
func (p *JSON) skipTo(depth int) error {
	for p.d.StackDepth() > depth {
		if k := p.d.PeekKind(); k == '{' || k == '[' {
			if err := p.d.SkipValue(); err != nil {
				return err
			}
			continue
		}
		if _, err := p.d.ReadToken(); err != nil {
			return err
		}
	}
	return nil
}

// end refuses anything behind the value.
func (p *JSON) end() error {
	switch _, err := p.d.ReadToken(); {
	case err == io.EOF:
		return nil
	case err != nil:
		return err
	}
	return &spec.Error{Field: "body", Given: "a second value", Want: "one JSON value"}
}

// syntaxOf says what is wrong with the JSON itself; it is empty for other errors.
func syntaxOf(err error) string {
	var s *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "not JSON: it ends too early"
	case errors.As(err, &s):
		return "not JSON: " + s.Err.Error()
	}
	return ""
}

// withLine returns an error of the body, with its line.
func (p *JSON) withLine(err error) error {
	if err == nil {
		return nil
	}
	at := min(int(p.d.InputOffset()), len(p.text))
	var s *jsontext.SyntacticError
	if errors.As(err, &s) {
		at = min(int(s.ByteOffset), len(p.text))
	}
	line := 1 + strings.Count(p.text[:at], "\n")
	if syntax := syntaxOf(err); syntax != "" {
		return fmt.Errorf("line %d: %s", line, syntax)
	}
	return fmt.Errorf("line %d: %w", line, err)
}
