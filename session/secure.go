package session

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"
)

// secureConn is a connection with TLS. Reading is that of crypto/tls: a deadline that passes leaves
// what came of a record for the next read. Writing encrypts into memory, and what is there is
// written without waiting, or by one that waits: so it never waits inside of crypto/tls, whose
// locks the reader needs as well.
type secureConn struct {
	*tls.Conn
	wire      *wire
	encrypted int // bytes of the next call's argument that are encrypted in wire already
}

// withTLS is conn with TLS spoken on it, if cfg is not nil.
func withTLS(conn net.Conn, cfg *tls.Config, end End) net.Conn {
	if cfg == nil {
		return conn
	}
	w := &wire{Conn: conn, try: tryWriterOf(conn)}
	if end == ControllerEnd {
		return &secureConn{Conn: tls.Server(w, cfg), wire: w}
	}
	return &secureConn{Conn: tls.Client(w, cfg), wire: w}
}

// tlsHandshake does the TLS handshake, if there is one to do, within the time that the connection
// has.
func (r *reader) tlsHandshake(since time.Time) error {
	c, ok := r.s.conn.(*secureConn)
	if !ok {
		return nil
	}
	p := &r.s.prompts
	_ = c.SetDeadline(since.Add(r.s.cfg.HandshakeTimeout))
	if err := p.ending(); err != nil { // its wake-up came before our deadline
		return err
	}
	err := c.Handshake()
	if err := p.ending(); err != nil {
		return err
	}
	var late net.Error
	switch {
	case errors.As(err, &late) && late.Timeout():
		return ErrHandshake
	case err != nil:
		return fmt.Errorf("%w: %w", ErrTLS, err)
	}
	c.wire.gather()
	_ = c.SetDeadline(time.Time{})
	return p.ending() // we may have removed its deadline
}

// TryWrite encrypts a part of p, and reports it as written when its last byte has left. Until
// then it is called with the same bytes again, as Write is.
func (c *secureConn) TryWrite(p []byte) (int, error) {
	if err := c.encrypt(p); err != nil {
		return 0, err
	}
	if left, err := c.wire.flush(); left || err != nil {
		return 0, err
	}
	n := c.encrypted
	c.encrypted = 0
	return n, nil
}

// Write encrypts p, part by part, and waits until it has left.
func (c *secureConn) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		if err := c.encrypt(p[done:]); err != nil {
			return done, err
		}
		if err := c.wire.drain(); err != nil {
			return done, err
		}
		done += c.encrypted
		c.encrypted = 0
	}
	return done, nil
}

// encrypt puts the beginning of p into wire, unless it is there.
func (c *secureConn) encrypt(p []byte) error {
	if c.encrypted > 0 {
		return nil
	}
	n, err := c.Conn.Write(p[:min(len(p), writeChunk)])
	c.encrypted = n
	return err
}
