package rest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"github.com/weirnet/weir/crowd"
)

// reservedShare: a part in so many of Limits.Connections is for those that have shown no token
// (yet), such as probes of /healthz.
const reservedShare = 8

// connections are all connections of one server. Those that have not shown a valid token are
// anonymous: they are closed first when there are too many.
type connections struct {
	most, perSource int
	// limitReached is called with the path of a limit that is reached, and what was done; it may be
	// nil.
	limitReached func(field, text string)

	mu               sync.Mutex
	anonymous        crowd.Crowd[*connection]
	authenticated    int
	idle             crowd.Crowd[*connection] // of the authenticated those between two requests, longest idle first
	evictedForTotal  uint64                   // because there were too many
	evictedForSource uint64                   // because there were too many of one source
}

// connection is one of them. What is not its net.Conn belongs to the connections, under their lock.
type connection struct {
	net.Conn
	of            *connections
	source        netip.Prefix
	place         crowd.Place // in anonymous
	idle          crowd.Place // in idle
	authenticated bool
	gone          bool
}

func newConnections(lim Limits, reached func(field, text string)) *connections {
	return &connections{most: lim.Connections, perSource: lim.SourceConnections, limitReached: reached}
}

// add takes a new connection in. There is always room: another one goes, if there are too many.
func (a *connections) add(c net.Conn) *connection {
	n := &connection{Conn: c, of: a, source: crowd.SourceOf(c.RemoteAddr())}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.anonymous.Of(n.source) >= a.perSource {
		if old, ok := a.anonymous.OldestOf(n.source); ok {
			old.cut()
			a.evictedForSource++
			a.tell("limits.connections_per_source",
				fmt.Sprintf("%d connections to the API from %s have shown no token: the oldest are cut",
					a.perSource, n.source))
		}
	} else if a.authenticated+a.anonymous.Len() >= a.most {
		a.evict("of those that have shown no token the oldest are cut")
	}
	n.place = a.anonymous.Add(n.source, n)
	return n
}

// evict makes room: it closes the oldest anonymous connection, else the one that has been idle
// longest. It is false if all are busy. The lock is held.
func (a *connections) evict(how string) bool {
	old, ok := a.anonymous.Oldest()
	if !ok {
		return a.cutIdle()
	}
	old.cut()
	a.evictedForTotal++
	a.tell("limits.connections", fmt.Sprintf("%d connections to the API: %s", a.authenticated+a.anonymous.Len()+1, how))
	return true
}

// evictForFiles makes room because files ran out.
func (a *connections) evictForFiles() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.evict("files ran out, and of those that have shown no token the oldest are cut")
}

// cutIdle cuts the connection with a token that has been idle longest, if one is idle. The lock is
// held.
func (a *connections) cutIdle() bool {
	old, ok := a.idle.Oldest()
	if !ok {
		return false
	}
	a.tell("limits.connections", fmt.Sprintf("%d connections to the API with tokens: who has been idle longest is cut", a.authenticated))
	old.cut()
	a.evictedForTotal++
	return true
}

func (a *connections) tell(field, text string) {
	if a.limitReached != nil {
		a.limitReached(field, text)
	}
}

// admit notes that a connection has shown a valid token. It is false where so many with tokens are
// busy that there is no room for another one.
func (a *connections) admit(c *connection) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c.authenticated || c.gone {
		return true
	}
	if most := a.most - max(a.most/reservedShare, 1); a.authenticated >= most && !a.cutIdle() {
		a.evictedForTotal++
		a.tell("limits.connections", fmt.Sprintf("%d connections to the API with tokens are busy: others are refused", most))
		return false
	}
	a.anonymous.Remove(c.source, &c.place)
	c.authenticated = true
	a.authenticated++
	return true
}

// setIdle notes that a connection is between two requests, or is not any more.
func (a *connections) setIdle(c *connection, idle bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.idle.Remove(netip.Prefix{}, &c.idle)
	if idle && c.authenticated && !c.gone {
		c.idle = a.idle.Add(netip.Prefix{}, c)
	}
}

// count returns how many there are, with a token and without, and how many were cut for either
// limit.
func (a *connections) count() (authenticated, anonymous int, cutAll, cutSource uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.authenticated, a.anonymous.Len(), a.evictedForTotal, a.evictedForSource
}

// forget takes a connection out. The lock is held.
func (c *connection) forget() {
	if c.gone {
		return
	}
	c.gone = true
	c.of.anonymous.Remove(c.source, &c.place)
	c.of.idle.Remove(netip.Prefix{}, &c.idle)
	if c.authenticated {
		c.of.authenticated--
	}
}

// cut ends a connection at once, below TLS: nobody waits for its client. The lock is held.
func (c *connection) cut() {
	c.forget()
	c.Conn.Close()
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.of.mu.Lock()
	c.forget()
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// connectionOf returns the connection of ours that net/http wraps; nil where it is none of ours.
func connectionOf(c net.Conn) *connection {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	own, _ := c.(*connection)
	return own
}

// connectionKey is the key of a request's *connection in its context.
type connectionKey struct{}

// withConnection is the ConnContext of an http.Server: requests know their connection.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, connectionOf(c))
}

// TCPOf returns the TCP connection of a request; nil where it has none of ours.
func TCPOf(r *http.Request) *net.TCPConn {
	if c, ok := r.Context().Value(connectionKey{}).(*connection); ok && c != nil {
		tcp, _ := c.Conn.(*net.TCPConn)
		return tcp
	}
	return nil
}

// connState is the ConnState of an http.Server.
func (a *connections) connState(c net.Conn, state http.ConnState) {
	if own := connectionOf(c); own != nil && (state == http.StateIdle || state == http.StateActive) {
		a.setIdle(own, state == http.StateIdle)
	}
}

// noRoom refuses a request with a valid token whose connection is one too many; nil where there is
// room.
func (a *connections) noRoom(r *http.Request) *Refusal {
	c, _ := r.Context().Value(connectionKey{}).(*connection)
	if c == nil || a.admit(c) {
		return nil
	}
	return &Refusal{Status: http.StatusServiceUnavailable, RetryAfter: time.Second, close: true,
		Detail: fmt.Sprintf("%d connections are open and busy, and no more are allowed: close one, raise limits.connections, or try again later",
			a.most)}
}

// countedListener is a listener whose connections are counted.
type countedListener struct {
	net.Listener
	all *connections
}

// Accept implements net.Listener.
func (d countedListener) Accept() (net.Conn, error) {
	c, err := d.Listener.Accept()
	if err != nil {
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) { // net/http tries again soon
			d.all.evictForFiles()
		}
		return nil, err
	}
	return d.all.add(c), nil
}
