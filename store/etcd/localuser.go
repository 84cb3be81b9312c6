package etcd

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/vishvananda/netlink"
)

// ownUsers is a port on loopback without TLS, to which every process of the machine can connect: only those of this process's
// user and of root are let in.
type ownUsers struct {
	net.Listener
	log    *slog.Logger
	logged time.Time // when a refusal was logged last
}

// refusalEvery bounds how often a refusal is logged.
const refusalEvery = 10 * time.Second

// Accept implements net.Listener.
func (l *ownUsers) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		uid, err := userOf(c)
		if err != nil { // it has gone
			l.log.Debug("a connection to the peer port is refused: whose it is is not known", "from", c.RemoteAddr(), "error", err)
			c.Close()
			continue
		}
		if uid == 0 || uid == uint32(os.Geteuid()) {
			return c, nil
		}
		if time.Since(l.logged) >= refusalEvery {
			l.logged = time.Now()
			l.log.Warn("a connection to the peer port is refused: it comes from a process of another user, and without "+
				"--peer-tls-cert only this instance's user and root are let in", "from", c.RemoteAddr(), "uid", uid)
		}
		c.Close()
	}
}

// userOf is the user of the process at the other end of a connection within this machine.
func userOf(c net.Conn) (uid uint32, err error) {
	s, err := netlink.SocketGet(c.RemoteAddr(), c.LocalAddr())
	if err == nil && (s.INode == 0 || s.State != netlink.TCP_ESTABLISHED) {
		err = errGone // the kernel says of a socket that was closed that it is root's
	}
	if err != nil {
		return 0, fmt.Errorf("socket %v: %w", c.RemoteAddr(), err)
	}
	return s.UID, nil
}

// errGone says that no process has the other end of a connection any more.
var errGone = errors.New("it was closed")

// tellsUsers reports whether the kernel says whose the connections to a port on loopback are.
func tellsUsers(l net.Listener) bool {
	c, err := net.DialTimeout("tcp", l.Addr().String(), time.Second)
	if err != nil {
		return false
	}
	defer c.Close()
	_, err = netlink.SocketGet(c.LocalAddr(), c.RemoteAddr())
	return err == nil
}
