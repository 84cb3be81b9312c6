package session

import (
	"context"
	"net"
)

// Dialer is the switch's end: it holds the sessions of any number of switches with their
// controllers.
type Dialer struct {
	cfg   Config
	group *group
}

// NewDialer makes a dialer.
func NewDialer(cfg Config) *Dialer {
	return &Dialer{cfg: cfg.withDefaults(), group: newGroup(cfg.Driver)}
}

// Dial connects a switch to a controller at a TCP address. It returns when the connection is there;
// the handshake follows. Roles are those of the switch, shared by all its sessions.
func (d *Dialer) Dial(ctx context.Context, address string, roles *Roles, h SwitchHandler) (*Session, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return d.ServeConn(conn, roles, h)
}

// ServeConn starts a session on a connection, of which it becomes the owner. It returns at once:
// ErrClosed if the dialer is closed.
func (d *Dialer) ServeConn(conn net.Conn, roles *Roles, h SwitchHandler) (*Session, error) {
	r := newSession(d.group, conn, &d.cfg, nil, h, roles)
	if err := d.group.start(r, nil); err != nil {
		conn.Close()
		return nil, err
	}
	return r.s, nil
}

// Close ends all sessions and waits until each Disconnected has returned. When ctx is done first,
// connections are cut, what was queued is lost, and the error is that of ctx; a handler may then
// still be running.
func (d *Dialer) Close(ctx context.Context) error { return d.group.close(ctx) }
