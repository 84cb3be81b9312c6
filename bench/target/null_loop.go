package target

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"

	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

// Serve serves switches at one listener and requests at the other until the context ends. It closes
// both.
func (n *Null) Serve(ctx context.Context, switches, api net.Listener) error {
	return serve(ctx, n, switches, api)
}

// nullInstance is what the processes of null instances serve.
type nullInstance interface {
	begin(ctx context.Context) error // makes what is known beforehand
	control(conn net.Conn, _ uint64) // serves a switch
	requests(conn net.Conn, _ uint64)
}

func serve(ctx context.Context, n nullInstance, switches, api net.Listener) error {
	if err := n.begin(ctx); err != nil {
		return errors.Join(err, switches.Close(), api.Close())
	}
	var running sync.WaitGroup
	ctx, stop := context.WithCancelCause(ctx)
	running.Go(func() { stop(accept(ctx, switches, n.control)) })
	stop(accept(ctx, api, n.requests))
	running.Wait()
	return context.Cause(ctx)
}

// accept serves connections, which it numbers, until the context ends, which is the error then, or
// the listener fails. It closes the listener and, when they were served, the connections.
func accept(ctx context.Context, ln net.Listener, serve func(conn net.Conn, number uint64)) error {
	defer ln.Close()
	stop := context.AfterFunc(ctx, func() { ln.Close() })
	defer stop()
	for number := uint64(1); ; number++ {
		conn, err := ln.Accept()
		if ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			return err
		}
		go func() {
			defer conn.Close()
			defer context.AfterFunc(ctx, func() { conn.Close() })()
			serve(conn, number)
		}()
	}
}

// Where the reason, port and state stand in a port status of OpenFlow 1.3 (struct ofp_port_status).
const (
	statusPort  = 16
	statusState = 52
	statusLen   = 80
)

// control is the connection of a switch.
func (n *Null) control(conn net.Conn, _ uint64) {
	var hello []byte
	for _, m := range []openflow.Message{&openflow.Hello{}, &openflow.FeaturesRequest{}} {
		hello, _ = openflow.Append(hello, openflow.V13, 1, m)
	}
	if _, err := conn.Write(hello); err != nil {
		return
	}
	at := -1
	defer func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		if at >= 0 {
			n.switches[at].conn = nil
			n.connected--
		}
	}()
	messages(conn, func(m []byte) (err error) {
		switch openflow.Type(m[1]) {
		case openflow.TypeEchoRequest:
			echo := append([]byte(nil), m...)
			echo[1] = uint8(openflow.TypeEchoReply)
			n.mu.Lock() // switches are written to with it held
			_, err = conn.Write(echo)
			n.mu.Unlock()
		case openflow.TypeFeaturesReply:
			if len(m) < openflow.HeaderLen+8 {
				return io.ErrUnexpectedEOF
			}
			at = n.register(int(binary.BigEndian.Uint64(m[openflow.HeaderLen:]))-int(n.paths.Net.Switches[0].DatapathID()), conn)
		case openflow.TypePortStatus:
			if at >= 0 && len(m) >= statusLen {
				down := binary.BigEndian.Uint32(m[statusState:])&uint32(openflow.PortStateDown) != 0
				err = n.carrier(topo.End{Switch: at, Port: binary.BigEndian.Uint32(m[statusPort:])}, !down)
			}
		}
		return err
	})
}

// messages hands over the messages of a switch, each valid until f returns, until the connection
// ends or f fails.
func messages(conn net.Conn, f func(m []byte) error) {
	in := bufio.NewReaderSize(conn, respondBuffer)
	for {
		head, err := in.Peek(openflow.HeaderLen)
		if err != nil {
			return
		}
		size := int(binary.BigEndian.Uint16(head[2:]))
		m, err := in.Peek(size)
		if size < openflow.HeaderLen || err != nil || f(m) != nil {
			return
		}
		if _, err := in.Discard(size); err != nil {
			return
		}
	}
}

// register notes the connection of a switch; -1 if there is no such switch.
func (n *Null) register(at int, conn net.Conn) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	if at < 0 || at >= len(n.switches) || n.switches[at].conn != nil {
		return -1
	}
	n.switches[at].conn = conn
	n.connected++
	return at
}

// nullRequest is a request as far as the null instance reads it.
type nullRequest struct {
	method, path string // without a query
	protobuf     bool
	body         []byte
}

// requests is a connection to the API.
func (n *Null) requests(conn net.Conn, _ uint64) {
	answerRequests(conn, func(b []byte, r *nullRequest) (status string, body []byte, err error) {
		status = "202 Accepted"
		if r.method == "GET" {
			status = "200 OK"
		}
		body, err = n.handle(b, r)
		return status, body, err
	})
}

// answerRequests answers the requests of a connection, by a status and a body appended to b, until
// the connection ends or there is an error.
func answerRequests(conn net.Conn, answer func(b []byte, r *nullRequest) (status string, body []byte, err error)) {
	in := bufio.NewReaderSize(conn, 64<<10)
	var r nullRequest
	var out, body []byte
	for {
		if err := r.read(in); err != nil {
			return
		}
		var status string
		var err error
		if status, body, err = answer(body[:0], &r); err != nil {
			return
		}
		out = append(append(out[:0], "HTTP/1.1 "...), status...)
		out = append(out, "\r\nContent-Type: application/json\r\nContent-Length: "...)
		out = strconv.AppendInt(out, int64(len(body)), 10)
		out = append(append(out, "\r\n\r\n"...), body...)
		if _, err := conn.Write(out); err != nil {
			return
		}
	}
}

// read reads a request with its body, which is valid until the next.
func (r *nullRequest) read(in *bufio.Reader) error {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return err
	}
	method, rest, _ := strings.Cut(string(line), " ")
	path, _, _ := strings.Cut(rest, " ")
	path, _, _ = strings.Cut(path, "?")
	r.method, r.path, r.protobuf = method, path, false
	if len(path) <= len(paths.IntentsURL) && (method == "PUT" || method == "DELETE") {
		return errors.New("a request without an intent's id")
	}
	length := 0
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) <= 2 {
			break
		}
		name, value, _ := strings.Cut(strings.TrimSpace(string(line)), ": ")
		switch {
		case strings.EqualFold(name, "content-length"):
			if length, err = strconv.Atoi(value); err != nil || length < 0 || length > paths.MaxBody {
				return errors.New("a length that cannot be")
			}
		case strings.EqualFold(name, "content-type"):
			r.protobuf = value == paths.FormProtobuf.ContentType()
		}
	}
	if cap(r.body) < length {
		r.body = make([]byte, length)
	}
	r.body = r.body[:length]
	_, err = io.ReadFull(in, r.body)
	return err
}
