package session

import "net"

// tryWriter is a connection that can be written without waiting: it takes what there is room for.
type tryWriter interface {
	TryWrite(p []byte) (int, error)
}

// tryWriterOf returns how conn is written without waiting; nil if it cannot be, and a writer then
// writes all.
func tryWriterOf(conn net.Conn) tryWriter {
	if t, ok := conn.(tryWriter); ok {
		return t
	}
	return socketOf(conn)
}

// TryWriterOf returns how a connection is written without waiting; nil if it cannot be. It is for
// wrappers of connections, which implement TryWrite with it.
func TryWriterOf(conn net.Conn) interface {
	TryWrite(p []byte) (int, error)
} {
	if t := tryWriterOf(conn); t != nil {
		return t
	}
	return nil
}
