package session

import "net"

// tryWriter is a connection that can be written without waiting: it takes what there is room for.
type tryWriter interface {
	TryWrite(p []byte) (int, error)
}

// tryWriterOf is how conn is written without waiting; nil if it can not be, and a writer then
// writes all.
func tryWriterOf(conn net.Conn) tryWriter {
	if t, ok := conn.(tryWriter); ok {
		return t
	}
	return socketOf(conn)
}

// TryWriterOf is how a connection is written without waiting: for those who wrap one, and then have
// a TryWrite of their own. It is nil if conn can not be.
func TryWriterOf(conn net.Conn) interface {
	TryWrite(p []byte) (int, error)
} {
	if t := tryWriterOf(conn); t != nil {
		return t
	}
	return nil
}
