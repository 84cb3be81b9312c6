package load

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
)

// Submitter is a connection to an API over which whole requests are sent as bytes that were made
// before: when the first of them leaves is known. It is not safe for several goroutines.
type Submitter struct {
	conn  net.Conn
	r     *bufio.Reader
	host  string
	token string
	limit time.Duration // of an answer
	body  bytes.Buffer
	ended func() bool // has the context's end do nothing more
}

// NewSubmitter connects to the instance's API. The connection ends with the context.
func NewSubmitter(ctx context.Context, g *target.Testbed) (*Submitter, error) {
	api := g.Process.API
	if !strings.Contains(api, "://") {
		api = "http://" + api
	}
	u, err := url.Parse(api)
	if err != nil {
		return nil, err
	}
	dial := func(ctx context.Context, address string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", address)
	}
	switch {
	case g.Instance.Test != nil:
		dial = g.Instance.Test.API
	case u.Scheme == "https":
		dial = func(ctx context.Context, address string) (net.Conn, error) {
			return (&tls.Dialer{}).DialContext(ctx, "tcp", address)
		}
	}
	a := &Submitter{host: u.Host, token: g.Instance.Token, limit: g.Instance.Limit}
	if a.conn, err = dial(ctx, u.Host); err != nil {
		return nil, err
	}
	a.r = bufio.NewReaderSize(a.conn, 64<<10)
	a.ended = context.AfterFunc(ctx, func() { _ = a.conn.Close() })
	return a, nil
}

// OpenStream opens an event stream of the instance, and returns its connection when it is accepted.
func OpenStream(ctx context.Context, g *target.Testbed) (net.Conn, error) {
	a, err := NewSubmitter(ctx, g)
	if err != nil {
		return nil, err
	}
	request := "GET /v1/events HTTP/1.1\r\nHost: " + a.host + "\r\nAccept: text/event-stream\r\n"
	if a.token != "" {
		request += "Authorization: Bearer " + a.token + "\r\n"
	}
	if err := a.Send([]byte(request + "\r\n")); err != nil {
		return a.conn, err
	}
	resp, err := http.ReadResponse(a.r, nil)
	if err != nil {
		return a.conn, err
	}
	if resp.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
		return a.conn, fmt.Errorf("the API answers %s: %s", resp.Status, b)
	}
	return a.conn, a.conn.SetDeadline(time.Time{})
}

// AppendRequest appends a POST with a body to b.
func (a *Submitter) AppendRequest(b []byte, path string, form paths.Form, body []byte) []byte {
	return a.AppendMethod(b, "POST", path, form, body)
}

// AppendMethod appends a request with a body, of a method, to b.
func (a *Submitter) AppendMethod(b []byte, method, path string, form paths.Form, body []byte) []byte {
	contentType := form.ContentType()
	b = append(b, method...)
	b = append(b, ' ')
	b = append(b, path...)
	b = append(b, " HTTP/1.1\r\nHost: "...)
	b = append(b, a.host...)
	if a.token != "" {
		b = append(b, "\r\nAuthorization: Bearer "...)
		b = append(b, a.token...)
	}
	b = append(b, "\r\nContent-Type: "...)
	b = append(b, contentType...)
	b = append(b, "\r\nAccept: "...)
	b = append(b, contentType...)
	b = append(b, "\r\nContent-Length: "...)
	b = strconv.AppendInt(b, int64(len(body)), 10)
	b = append(b, "\r\n\r\n"...)
	return append(b, body...)
}

// Send sends a request.
func (a *Submitter) Send(request []byte) error {
	_ = a.conn.SetDeadline(time.Now().Add(a.limit))
	_, err := a.conn.Write(request)
	return err
}

// overloadError is an answer that asks to come again later.
type overloadError struct{ after time.Duration }

func (o *overloadError) Error() string {
	return fmt.Sprintf("overload: asked to come again after %v", o.after)
}

// Answer reads the answer to a request. Its body is valid until the next one.
func (a *Submitter) Answer() ([]byte, error) {
	resp, err := http.ReadResponse(a.r, nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	a.body.Reset()
	if _, err := a.body.ReadFrom(io.LimitReader(resp.Body, paths.MaxBody)); err != nil {
		return nil, err
	}
	switch {
	case resp.StatusCode == http.StatusTooManyRequests:
		seconds, _ := strconv.ParseFloat(resp.Header.Get("Retry-After"), 64)
		return nil, &overloadError{time.Duration(seconds * float64(time.Second))}
	case resp.StatusCode/100 != 2:
		text := a.body.String()
		return nil, fmt.Errorf("the API answers %s: %s", resp.Status, text[:min(len(text), 300)])
	}
	return a.body.Bytes(), nil
}

// Submit sends a request and reads its answer. An overload is waited for, and asked again: busy is
// how often.
func (a *Submitter) Submit(ctx context.Context, request []byte) (body []byte, busy int, err error) {
	for {
		if err := a.Send(request); err != nil {
			return nil, busy, err
		}
		body, err := a.Answer()
		var o *overloadError
		if !errors.As(err, &o) {
			return body, busy, err
		}
		busy++
		if err := pace.Wait(ctx, max(o.after, 10*time.Millisecond)); err != nil {
			return nil, busy, err
		}
	}
}

// withdraw withdraws paths from number n on.
func (a *Submitter) withdraw(ctx context.Context, n, count int) error {
	body, path, form := paths.FormJSON.AppendWithdraw(nil, n, count)
	_, _, err := a.Submit(ctx, a.AppendRequest(nil, path, form, body))
	return err
}

// WithdrawFrom withdraws the paths from number n on, and waits until they are gone.
func (a *Submitter) WithdrawFrom(ctx context.Context, g *target.Testbed, n int) error {
	count := g.Next - n
	want := g.Net.Tally().Removed + uint64(count*g.Paths.Hops)
	if err := a.withdraw(ctx, n, count); err != nil {
		return err
	}
	return g.AwaitEntries(ctx, fmt.Sprintf("%s paths withdrawn", report.Thousands(count)),
		func(t loadswitch.Tally) bool { return t.Removed >= want })
}

// WithdrawAll checks that the network holds the paths from number 0 on that it held before, and
// withdraws them from an instance that goes on.
func WithdrawAll(ctx context.Context, g *target.Testbed, exact bool, flows int) error {
	if err := g.Verify(exact, 0, flows); err != nil || g.Process.Owned() {
		return err
	}
	a, err := NewSubmitter(ctx, g)
	if err != nil {
		return err
	}
	defer a.Close()
	for n := 0; n < flows; n += BatchPaths {
		if err := a.withdraw(ctx, n, min(BatchPaths, flows-n)); err != nil {
			return err
		}
	}
	return nil
}

// Read reads an answer as plainly as can be: its status, and its body, which is appended to b.
func (a *Submitter) Read(b []byte) (status int, body []byte, err error) {
	length := 0
	for i := 0; ; i++ {
		line, err := a.r.ReadSlice('\n')
		if err != nil {
			return 0, b, err
		}
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case len(line) == 0:
			return readBody(a.r, status, b, length)
		case i == 0:
			if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
				return 0, b, fmt.Errorf("no answer of HTTP/1.1: %q", line)
			}
			if status, err = strconv.Atoi(string(line[9:12])); err != nil {
				return 0, b, err
			}
		case hasName(line, "transfer-encoding"), hasName(line, "connection"):
			return 0, b, fmt.Errorf("want an answer with a length on a connection that is kept, got %q", line)
		case hasName(line, "content-length"):
			length, err = strconv.Atoi(string(bytes.TrimSpace(line[len("content-length:"):])))
			if err != nil || length < 0 || length > paths.MaxBody {
				return 0, b, fmt.Errorf("want a length up to %d, got %q", paths.MaxBody, line)
			}
		}
	}
}

// hasName reports whether a line of a header has a name, which is given in lower case.
func hasName(line []byte, name string) bool {
	return len(line) > len(name) && line[len(name)] == ':' && bytes.EqualFold(line[:len(name)], []byte(name))
}

func readBody(r *bufio.Reader, status int, b []byte, length int) (int, []byte, error) {
	if status == 204 {
		return status, b, nil
	}
	at := len(b)
	b = append(b, make([]byte, length)...)
	_, err := io.ReadFull(r, b[at:])
	return status, b, err
}

// Close ends the connection.
func (a *Submitter) Close() {
	a.ended()
	_ = a.conn.Close()
}
