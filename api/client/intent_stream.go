package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/weirnet/weir/api/client/intentpb"
)

// NDJSON is the content type of lines of JSON.
const NDJSON = "application/x-ndjson"

// streamChunk is how many bytes of requests are gathered before they are sent.
const streamChunk = 32 << 10

// IntentStream sends requests about intents and reads the answers over one HTTP request: as lines
// of JSON, or in protobuf. One goroutine may send and another read; a caller that sends much and
// does not read is held up by the server.
type IntentStream struct {
	protobuf bool
	buf      []byte
	w        *io.PipeWriter
	body     io.Closer
	in       *bufio.Reader
	cancel   context.CancelFunc
	names    internedStrings
	json     *jsontext.Decoder
	line     bytes.Buffer
}

// internedStrings are strings that come again and again in answers.
type internedStrings struct{ revision string }

// StreamIntents begins a stream. It ends with Close, or with the context.
func (c *Client) StreamIntents(ctx context.Context, protobuf bool) (*IntentStream, error) {
	ctx, cancel := context.WithCancel(ctx)
	r, w := io.Pipe()
	// the transport waits for its reading of the body, whatever became of the server
	context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
	header := http.Header{"Content-Type": {NDJSON}}
	if protobuf {
		header.Set("Content-Type", intentpb.ContentType)
	}
	resp, err := c.send(endsWithConn(ctx, w), http.MethodPost, "/v1/intents", url.Values{}, header, r)
	if err != nil {
		cancel()
		w.Close()
		return nil, err
	}
	return &IntentStream{protobuf: protobuf, buf: make([]byte, 0, streamChunk+4096), w: w, body: resp.Body,
		in: bufio.NewReaderSize(resp.Body, 64<<10), cancel: cancel, json: jsontext.NewDecoder(new(bytes.Buffer))}, nil
}

// Send sends a request; it may wait in memory until Flush, or until enough have come together. The
// request may be used again at once. It blocks while the server does not read.
func (s *IntentStream) Send(r *IntentRequest) (err error) {
	if s.protobuf {
		s.buf, err = r.AppendMessage(s.buf)
	} else if s.buf, err = r.AppendJSON(s.buf); err == nil {
		s.buf = append(s.buf, '\n')
	}
	if err != nil || len(s.buf) < streamChunk {
		return err
	}
	return s.Flush()
}

// Flush sends what waits.
func (s *IntentStream) Flush() error {
	if len(s.buf) == 0 {
		return nil
	}
	_, err := s.w.Write(s.buf)
	s.buf = s.buf[:0]
	return err
}

// CloseSend says that no more requests come. The answers to those before are still to be read.
func (s *IntentStream) CloseSend() error { return errors.Join(s.Flush(), s.w.Close()) }

// Close ends the stream. Requests without an answer may have been done or not.
func (s *IntentStream) Close() error {
	s.w.Close()
	s.cancel()
	return s.body.Close()
}

// Receive reads the next answer into a: they come in the order of the requests. The error is io.EOF
// after the last. A server that ends the stream says why in a last answer with status failed.
func (s *IntentStream) Receive(a *IntentAnswer) error {
	if s.protobuf {
		return s.receiveMessage(a)
	}
	line, err := s.in.ReadSlice('\n')
	if err != nil {
		if errors.Is(err, io.EOF) && len(line) > 0 {
			return io.ErrUnexpectedEOF
		}
		return err
	}
	*a = IntentAnswer{}
	if err := s.parseLine(line, a); err != nil {
		return fmt.Errorf("%w: %v", ErrOther, err) // an io.EOF is not the end of the stream
	}
	return nil
}

// parseLine reads an answer in JSON.
func (s *IntentStream) parseLine(line []byte, a *IntentAnswer) error {
	s.line = *bytes.NewBuffer(line)
	d := s.json
	d.Reset(&s.line)
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadValue()
		if err != nil {
			return err
		}
		to := a.field(name[1 : len(name)-1])
		v, err := d.ReadValue()
		if err != nil {
			return err
		}
		switch to := to.(type) {
		case nil:
		case *string:
			*to = s.names.text(v[1:len(v)-1], to == &a.Revision)
			if bytes.IndexByte(v, '\\') >= 0 {
				err = json.Unmarshal(v, to)
			}
		default:
			err = json.Unmarshal(v, to)
		}
		if err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// field returns where the value of a field goes.
func (a *IntentAnswer) field(name []byte) any {
	switch string(name) {
	case "index":
		return &a.Index
	case "line":
		return &a.Line
	case "id":
		return &a.ID
	case "status":
		return &a.Status
	case "state":
		return &a.State
	case "detail":
		return &a.Detail
	case "etag":
		return &a.ETag
	case "revision":
		return &a.Revision
	}
	return nil
}

// text returns a string; it allocates none for what is known.
func (n *internedStrings) text(b []byte, revision bool) string {
	for _, list := range [][]string{intentpb.StatusNames, intentpb.StateNames} {
		for _, known := range list {
			if string(b) == known {
				return known
			}
		}
	}
	if !revision {
		return string(b)
	}
	if string(b) != n.revision {
		n.revision = string(b)
	}
	return n.revision
}

func (s *IntentStream) receiveMessage(a *IntentAnswer) error {
	length := 0
	for shift := 0; ; shift += 7 {
		c, err := s.in.ReadByte()
		if err == io.EOF && shift > 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		if length |= int(c&0x7f) << shift; c < 0x80 {
			break
		}
		if shift > 21 {
			return fmt.Errorf("%w: an answer of impossible length", ErrUnreachable)
		}
	}
	b, err := s.in.Peek(min(length, s.in.Size()))
	if err != nil || len(b) < length {
		return io.ErrUnexpectedEOF
	}
	*a = IntentAnswer{}
	if err := a.parse(b, &s.names); err != nil {
		return fmt.Errorf("%w: %v", ErrOther, err)
	}
	_, err = s.in.Discard(length)
	return err
}

// parse reads an IntentAnswer.
func (a *IntentAnswer) parse(b []byte, n *internedStrings) error {
	for len(b) > 0 {
		field, kind, tag := protowire.ConsumeTag(b)
		if tag < 0 {
			return protowire.ParseError(tag)
		}
		size := protowire.ConsumeFieldValue(field, kind, b[tag:])
		if size < 0 {
			return protowire.ParseError(size)
		}
		value := b[tag : tag+size]
		b = b[tag+size:]
		switch kind {
		case protowire.VarintType:
			v, _ := protowire.ConsumeVarint(value)
			a.setNumber(field, v)
		case protowire.BytesType:
			v, _ := protowire.ConsumeBytes(value)
			a.setText(field, v, n)
		}
	}
	return nil
}

func (a *IntentAnswer) setNumber(field protowire.Number, v uint64) {
	switch field {
	case intentpb.AnswerIndex:
		a.Index = int(v)
	case intentpb.AnswerStatus:
		if v < uint64(len(intentpb.StatusNames)) {
			a.Status = intentpb.StatusNames[v]
		}
	case intentpb.AnswerState:
		if v < uint64(len(intentpb.StateNames)) {
			a.State = intentpb.StateNames[v]
		}
	}
}

func (a *IntentAnswer) setText(field protowire.Number, v []byte, n *internedStrings) {
	switch field {
	case intentpb.AnswerID:
		a.ID = string(v)
	case intentpb.AnswerDetail:
		a.Detail = string(v)
	case intentpb.AnswerETag:
		a.ETag = string(v)
	case intentpb.AnswerRevision:
		a.Revision = n.text(v, true)
	}
}

// ParseMessage reads an IntentAnswer of intents.proto, without its length.
func (a *IntentAnswer) ParseMessage(b []byte) error { return a.parse(b, &internedStrings{}) }
