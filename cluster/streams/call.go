package streams

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// maxRefusal is how much of a refusal is read.
const maxRefusal = 1024

// failed notes why a call did not succeed.
func (c *caller) failed(err error) {
	c.s.mu.Lock()
	p := c.s.peers[c.id]
	fresh := p != nil && p.troubled(err, c.s.cfg.Log)
	c.s.mu.Unlock()
	if fresh {
		c.s.changed()
	}
}

// call calls the peer, and takes the connection into use.
func (c *caller) call(ctx context.Context, p Peer, l lane) (*conn, error) {
	limited, cancel := context.WithTimeout(ctx, c.s.cfg.ConnectTimeout)
	wire, err := c.s.cfg.Dial(limited, p.Addr)
	cancel()
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { wire.Close() })
	nc, err := c.greet(wire, p, l)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		if nc != nil {
			nc.stop()
		}
		wire.Close()
		return nil, err
	}
	return nc, c.s.attach(nc)
}

// greet does the handshake of a call.
func (c *caller) greet(wire net.Conn, p Peer, l lane) (*conn, error) {
	if err := wire.SetDeadline(time.Now().Add(c.s.cfg.HandshakeTimeout)); err != nil {
		return nil, err
	}
	if c.s.cfg.TLS != nil {
		cfg, err := c.s.cfg.TLS.Client(p.host())
		if err != nil {
			return nil, err
		}
		secure := tls.Client(wire, cfg)
		if err := secure.Handshake(); err != nil {
			return nil, fmt.Errorf("TLS with %s: %w", p.Addr, err)
		}
		wire = secure
	}
	r := bufio.NewReaderSize(wire, 4096)
	h, err := c.ask(wire, r, p, l)
	if err != nil {
		return nil, err
	}
	if err := wire.SetDeadline(time.Time{}); err != nil {
		return nil, err
	}
	return newConn(c.s, p.ID, h.life, l, wire, l.reader(r)), nil
}

// reader is what frames of a lane are read from: of bulk in larger pieces.
func (l lane) reader(r *bufio.Reader) *bufio.Reader {
	if l == bulk {
		return bufio.NewReaderSize(r, pieceLength)
	}
	return r
}

// ask sends the request for an upgrade, and checks the answer.
func (c *caller) ask(wire net.Conn, r *bufio.Reader, p Peer, l lane) (*hello, error) {
	req, err := http.NewRequest(http.MethodGet, "http://"+p.Addr+Path, nil)
	if err != nil {
		return nil, err
	}
	own := &c.s.own
	said := hello{own.cluster, own.life, own.name, own.speaks, l, p.ID}
	said.fill(req.Header)
	if err := req.Write(wire); err != nil {
		return nil, err
	}
	answer, err := http.ReadResponse(r, req)
	if err != nil {
		return nil, fmt.Errorf("no answer at %s: %w", p.Addr, err)
	}
	if answer.StatusCode != http.StatusSwitchingProtocols {
		text, _ := io.ReadAll(io.LimitReader(answer.Body, maxRefusal))
		return nil, fmt.Errorf("refused at %s: %s: %s", p.Addr, answer.Status, printable(string(text)))
	}
	h, err := parseHello(answer.Header)
	if err == nil {
		_, err = c.s.judge(&h)
	}
	if err == nil && h.life.ID != p.ID {
		err = fmt.Errorf("%s answers at %s, where %s is to be: addresses of members are mixed up", instance(h.name, h.life.ID), p.Addr, p)
	}
	if err != nil {
		return nil, err
	}
	return &h, nil
}
