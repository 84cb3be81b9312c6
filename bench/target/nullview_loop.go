package target

import (
	"context"
	"net"

	"github.com/weirnet/weir/openflow"
)

// Serve serves switches at one listener and requests at the other until the context ends. It closes
// both.
func (n *NullView) Serve(ctx context.Context, switches, api net.Listener) error {
	return serve(ctx, n, switches, api)
}

// control is the connection of a switch.
func (n *NullView) control(conn net.Conn, _ uint64) {
	s := &nullViewSwitch{conn: conn, version: openflow.V13}
	if s.send(1, &openflow.Hello{}) != nil {
		return
	}
	defer n.leave(s)
	messages(conn, func(m []byte) error { return n.message(s, m) })
}

// requests is a connection to the API.
func (n *NullView) requests(conn net.Conn, _ uint64) {
	answerRequests(conn, func(b []byte, r *nullRequest) (string, []byte, error) {
		if r.path == "/v1/events" {
			return "", nil, n.stream(conn)
		}
		if b, ok := n.answer(b, r.path); ok {
			return "200 OK", b, nil
		}
		return "404 Not Found", b, nil
	})
}

// stream sends all events since the start until the end.
func (n *NullView) stream(conn net.Conn) error {
	if _, err := conn.Write(
		[]byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")); err != nil {
		return err
	}
	for sent := 0; ; {
		n.mu.Lock()
		more, changed := n.log[sent:len(n.log):len(n.log)], n.changed
		n.mu.Unlock()
		if len(more) > 0 {
			if _, err := conn.Write(more); err != nil {
				return err
			}
			sent += len(more)
			continue
		}
		select {
		case <-changed:
		case <-n.done:
			return net.ErrClosed
		}
	}
}
