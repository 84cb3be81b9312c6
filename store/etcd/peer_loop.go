package etcd

import (
	"errors"
	"net"
	"net/http"
	"sync"

	"go.uber.org/zap"
)

// A goroutine for each member with a peer port serves that until the member is closed; net/http has one for each
// connection, and etcd's transport has some for each other member.

// openPort begins to serve the peer port, if there is to be one. It returns what ends that, and waits.
func (m *member) openPort() (closePort func(), err error) {
	if m.cfg.Peer == nil {
		return func() {}, nil
	}
	m.port, err = newPeerPort(m.cfg.Peer, zap.New(m.bridge))
	if err != nil {
		return nil, err
	}
	l := m.cfg.Peer.Listener
	if a, ok := l.Addr().(*net.TCPAddr); ok && a.IP.IsLoopback() && m.port.server.TLSConfig == nil {
		if tellsUsers(l) {
			l = &ownUsers{Listener: l, log: m.cfg.Log}
		} else {
			m.cfg.Log.Warn("every user of this machine is let in at the peer port: the kernel does not tell whose connections are " +
				"(inet_diag); --peer-tls-cert, -key and -ca keep others out")
		}
	}
	serve := m.port.server.Serve
	if m.port.server.TLSConfig != nil {
		serve = func(l net.Listener) error { return m.port.server.ServeTLS(l, "", "") }
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := serve(l); !errors.Is(err, http.ErrServerClosed) {
			m.cfg.Log.Error("the peer port is not served any more", "error", err)
		}
	})
	return func() {
		m.port.close()
		serving.Wait()
	}, nil
}
