package session

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// errShutdown ends the sessions of a Server or Dialer that is closed.
var errShutdown = errors.New("shut down here")

// acceptPause is how long a server waits after a connection could not be accepted.
const acceptPause = 50 * time.Millisecond

// Server is the controller's end: it holds the sessions of switches that connect.
type Server struct {
	cfg     Config
	handler Handler
	group   *group

	mu         sync.Mutex
	listeners  []net.Listener
	closed     bool
	registered map[uint64]*Session // by datapath id, from the features reply on
	past       Stats               // of sessions that were connected and have ended
	refused    map[string]uint64   // connections, by reason
}

// NewServer makes a server that gives its sessions to a handler.
func NewServer(cfg Config, h Handler) *Server {
	return &Server{cfg: cfg.withDefaults(), handler: h, group: newGroup(cfg.Driver), registered: make(map[uint64]*Session),
		refused: make(map[string]uint64)}
}

// ServeConn starts a session on a connection, of which it becomes the owner. It returns at once,
// before the TLS handshake too: ErrTooMany or ErrClosed if the connection was refused, and closed.
func (v *Server) ServeConn(conn net.Conn) (*Session, error) {
	r := newSession(v.group, conn, &v.cfg, v.handler, nil, nil)
	r.s.server = v
	err := v.group.start(r, &v.cfg)
	if err == nil {
		return r.s, nil
	}
	conn.Close()
	v.refuse(Refusal{Remote: conn.RemoteAddr(), Err: err})
	return nil, err
}

// Close stops accepting, ends all sessions and waits until each Disconnected has returned. When ctx
// is done first, connections are cut, what was queued is lost, and the error is that of ctx; a
// handler may then still be running.
func (v *Server) Close(ctx context.Context) error {
	v.mu.Lock()
	v.closed = true
	for _, ln := range v.listeners {
		ln.Close()
	}
	v.listeners = nil
	v.mu.Unlock()
	return v.group.close(ctx)
}

// listen records a listener, unless the server is closed.
func (v *Server) listen(ln net.Listener) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.closed {
		v.listeners = append(v.listeners, ln)
	}
	return !v.closed
}

func (v *Server) isClosed() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.closed
}
