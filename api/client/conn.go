package client

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http/httptrace"
	"sync"
)

// errConnection is the error of a request body whose connection has ended.
var errConnection = errors.New("the connection has ended")

// notifyingConn is a connection that calls a function at its end. net/http closes it as soon as it
// finds that the server is gone, and then waits for its reading of the request's body.
type notifyingConn struct {
	net.Conn
	mu     sync.Mutex
	closed bool
	then   func() // of the last request; nil without one
}

// notifying wraps the connections of a dial function.
func notifying(dial func(context.Context, string, string) (net.Conn, error)) func(context.Context, string,
	string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &notifyingConn{Conn: conn}, nil
	}
}

// Close implements net.Conn.
func (c *notifyingConn) Close() error {
	err := c.Conn.Close()
	c.mu.Lock()
	then := c.then
	c.closed, c.then = true, nil
	c.mu.Unlock()
	if then != nil {
		then()
	}
	return err
}

// atEnd calls f when the connection is closed, at once if it is, unless it is called again before:
// HTTP/1.1 has one request at a time, and where there are several (HTTP/2) net/http itself ends
// their bodies.
func (c *notifyingConn) atEnd(f func()) {
	c.mu.Lock()
	closed := c.closed
	if !closed {
		c.then = f
	}
	c.mu.Unlock()
	if closed {
		f()
	}
}

// endsWithConn is a context for a request whose body ends with an error when its connection does.
func endsWithConn(ctx context.Context, body *io.PipeWriter) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) {
		conn := got.Conn
		if secure, ok := conn.(*tls.Conn); ok {
			conn = secure.NetConn()
		}
		if c, ok := conn.(*notifyingConn); ok {
			c.atEnd(func() { body.CloseWithError(errConnection) })
		}
	}})
}
