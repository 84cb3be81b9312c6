package bench

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/bench/paths"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// submitter is a connection to an API over which whole requests are sent as bytes that were made
// before: when the first of them leaves is known. It is not safe for several goroutines.
type submitter struct {
	conn  net.Conn
	r     *bufio.Reader
	host  string
	token string
	limit time.Duration // of an answer
	body  bytes.Buffer
	ended func() bool // has the context's end do nothing more
}

// newSubmitter connects to the instance's API. The connection ends with the context.
func (g *testbed) newSubmitter(ctx context.Context) (*submitter, error) {
	api := g.process.API
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
	case g.c.test != nil:
		dial = g.c.test.api
	case u.Scheme == "https":
		dial = func(ctx context.Context, address string) (net.Conn, error) {
			return (&tls.Dialer{}).DialContext(ctx, "tcp", address)
		}
	}
	a := &submitter{host: u.Host, token: g.c.Token, limit: g.c.Limit}
	if a.conn, err = dial(ctx, u.Host); err != nil {
		return nil, err
	}
	a.r = bufio.NewReaderSize(a.conn, 64<<10)
	a.ended = context.AfterFunc(ctx, func() { _ = a.conn.Close() })
	return a, nil
}

// appendRequest appends a POST with a body to b.
func (a *submitter) appendRequest(b []byte, path string, form paths.Form, body []byte) []byte {
	return a.appendMethod(b, "POST", path, form, body)
}

// appendMethod appends a request with a body, of a method, to b.
func (a *submitter) appendMethod(b []byte, method, path string, form paths.Form, body []byte) []byte {
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

// send sends a request.
func (a *submitter) send(request []byte) error {
	_ = a.conn.SetDeadline(time.Now().Add(a.limit))
	_, err := a.conn.Write(request)
	return err
}

// overloadError is an answer that asks to come again later.
type overloadError struct{ after time.Duration }

func (o *overloadError) Error() string {
	return fmt.Sprintf("overload: asked to come again after %v", o.after)
}

// answer reads the answer to a request. Its body is valid until the next one.
func (a *submitter) answer() ([]byte, error) {
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

// submit sends a request and reads its answer. An overload is waited for, and asked again: busy is
// how often.
func (a *submitter) submit(ctx context.Context, request []byte) (body []byte, busy int, err error) {
	for {
		if err := a.send(request); err != nil {
			return nil, busy, err
		}
		body, err := a.answer()
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
func (a *submitter) withdraw(ctx context.Context, n, count int) error {
	body, path, form := paths.FormJSON.AppendWithdraw(nil, n, count)
	_, _, err := a.submit(ctx, a.appendRequest(nil, path, form, body))
	return err
}

func (a *submitter) close() {
	a.ended()
	_ = a.conn.Close()
}
