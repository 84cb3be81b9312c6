package controller

import (
	"crypto/tls"
	"fmt"
	"net"
	"sync"

	"github.com/weirnet/weir/session"
)

// door says who comes in: the switch of a datapath id, or the first one, and from then on no other. It knows the
// connections that it let in, as those that know when bytes came.
type door struct {
	refused func(error) // told of connections that were not taken; may be nil

	mu       sync.Mutex
	datapath uint64 // of the switch; 0 before the first has come
	conns    map[string]*conn
}

// open wraps a connection that was accepted.
func (d *door) open(accepted net.Conn) net.Conn {
	wrapped := newConn(accepted)
	inner, ok := wrapped.(*conn)
	if !ok {
		inner = wrapped.(directConn).conn
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.conns[accepted.RemoteAddr().String()] = inner
	return wrapped
}

// admit takes the first switch, and from then on that one only.
func (d *door) admit(datapath uint64, _ net.Addr, _ *tls.ConnectionState) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.datapath == 0 {
		d.datapath = datapath
	}
	if datapath != d.datapath {
		return fmt.Errorf("%w: datapath id %016x connected, want %016x", ErrOther, datapath, d.datapath)
	}
	return nil
}

// refuse notes a connection that was not taken.
func (d *door) refuse(r session.Refusal) {
	d.close(r.Remote)
	if d.refused != nil {
		d.refused(fmt.Errorf("connection from %v refused: %w", r.Remote, r.Err))
	}
}

// of is the connection from an address.
func (d *door) of(remote net.Addr) *conn {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.conns[remote.String()]
}

// close forgets the connection from an address.
func (d *door) close(remote net.Addr) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.conns, remote.String())
}
