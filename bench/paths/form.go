package paths

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/emu/topo"
)

// Form is how requests for paths are written.
type Form string

// The forms.
const (
	FormJSON     Form = "json"     // one request with all items, as a list
	FormNDJSON   Form = "ndjson"   // a line for each, answered by a line
	FormProtobuf Form = "protobuf" // a message for each, answered by a message
)

// AllForms are all of them.
var AllForms = []Form{FormJSON, FormNDJSON, FormProtobuf}

// Forms are their names.
func Forms() (names []string) {
	for _, f := range AllForms {
		names = append(names, string(f))
	}
	return names
}

// ContentType is that of requests and answers.
func (f Form) ContentType() string {
	switch f {
	case FormJSON:
		return "application/json"
	case FormNDJSON:
		return "application/x-ndjson"
	}
	return "application/x-protobuf"
}

// MaxBody is how long the body of a request or an answer may be, in bytes.
const MaxBody = 16 << 20

// The paths of the interface.
const (
	IntentsURL  = "/v1/intents"
	WithdrawURL = "/v1/intents/withdraw"
)

// AppendItem appends the intent of a path as JSON.
func (p *Path) AppendItem(b []byte, net *loadswitch.Network) []byte {
	b = append(b, `{"id":"p`...)
	b = strconv.AppendInt(b, int64(p.N), 10)
	b = append(b, `","kind":"point-to-point","src":`...)
	b = appendPoint(b, net, p.From)
	b = append(b, `,"dst":`...)
	b = appendPoint(b, net, p.To)
	b = append(b, `,"selector":{"ipv4_src":"`...)
	b = appendIPv4(b, p.Src)
	b = append(b, `","ipv4_dst":"`...)
	b = appendIPv4(b, p.Dst)
	return append(b, `"}}`...)
}

// Item is the intent of the n-th path, as JSON.
func (a *Set) Item(net *loadswitch.Network, n int) []byte {
	p := a.At(n)
	return p.AppendItem(nil, net)
}

func appendPoint(b []byte, net *loadswitch.Network, e topo.End) []byte {
	b = append(b, `{"dpid":"`...)
	b = append(b, client.FormatDPID(net.Switches[e.Switch].DatapathID())...)
	b = append(b, `","port":`...)
	b = strconv.AppendUint(b, uint64(e.Port), 10)
	return append(b, '}')
}

func appendIPv4(b []byte, a uint32) []byte {
	for i := 24; i >= 0; i -= 8 {
		b = strconv.AppendUint(b, uint64(a>>i&0xff), 10)
		if i > 0 {
			b = append(b, '.')
		}
	}
	return b
}

// AppendInstall appends the body of a request for paths from number n on.
func (f Form) AppendInstall(b []byte, a *Set, n, count int) []byte {
	if f == FormJSON {
		b = append(b, `{"items":[`...)
	}
	for i := range count {
		p := a.At(n + i)
		switch {
		case f == FormProtobuf:
			b = p.appendMessage(b, a.Net)
			continue
		case f == FormJSON && i > 0:
			b = append(b, ',')
		}
		b = p.AppendItem(b, a.Net)
		if f == FormNDJSON {
			b = append(b, '\n')
		}
	}
	if f == FormJSON {
		b = append(b, `]}`...)
	}
	return b
}

// AppendWithdraw appends the body of a request to withdraw paths from number n on; path is where it
// goes.
func (f Form) AppendWithdraw(b []byte, n, count int) (body []byte, path string, as Form) {
	if f == FormProtobuf {
		for i := range count {
			b = appendWithdrawal(b, n+i)
		}
		return b, IntentsURL, f
	}
	if f == FormNDJSON {
		for i := range count {
			b = append(b, `{"op":"withdraw","id":"p`...)
			b = strconv.AppendInt(b, int64(n+i), 10)
			b = append(b, "\"}\n"...)
		}
		return b, IntentsURL, f
	}
	b = append(b, `{"ids":[`...)
	for i := range count {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `"p`...)
		b = strconv.AppendInt(b, int64(n+i), 10)
		b = append(b, '"')
	}
	return append(b, `]}`...), WithdrawURL, FormJSON
}

// ErrRefused is of an answer that does not say of each path that it is durable.
var ErrRefused = errors.New("not all requests were accepted")

// Accepted wants an answer to tell of so many paths that they are durable.
func (f Form) Accepted(body []byte, count int) error {
	if f == FormProtobuf {
		return acceptedMessages(body, count)
	}
	if n := bytes.Count(body, []byte(`"status":"accepted"`)); n != count {
		return fmt.Errorf("%w: %d of %d: %s", ErrRefused, n, count, f.unexpectedItem(body))
	}
	return nil
}

// unexpectedItem is the first item of an answer that says anything else, or its beginning.
func (f Form) unexpectedItem(body []byte) []byte {
	for line := range bytes.SplitAfterSeq(body, []byte("}")) {
		if bytes.Contains(line, []byte(`"status"`)) && !bytes.Contains(line, []byte(`"status":"accepted"`)) {
			return line
		}
	}
	return body[:min(len(body), 300)]
}
