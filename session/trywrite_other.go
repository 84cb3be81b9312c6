//go:build !unix

package session

import "net"

// socketOf finds no way to write without waiting on this system.
func socketOf(net.Conn) tryWriter { return nil }
