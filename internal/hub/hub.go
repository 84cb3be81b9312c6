package hub

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// Hub is a controller that runs until its test ends.
type Hub struct {
	Address   string // HOST:PORT
	connected atomic.Int64
}

// Start runs a hub.
func Start(t testing.TB) *Hub {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := &Hub{Address: l.Addr().String()}
	serve(t, l, h)
	return h
}

// serve runs a controller until the test ends.
func serve(t testing.TB, l net.Listener, h session.Handler) {
	server := session.NewServer(session.Config{}, h)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l)
	}()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = server.Close(ctx)
		<-done
	})
}

// Switches is how many are connected.
func (h *Hub) Switches() int { return int(h.connected.Load()) }

// Connected has the switch flood.
func (h *Hub) Connected(s *session.Session) {
	h.connected.Add(1)
	s.Send(&openflow.FlowMod{Command: openflow.FlowAdd, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup:     openflow.GroupAny,
		Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(openflow.PortFlood))}})
}

// PacketIn implements session.Handler.
func (h *Hub) PacketIn(*session.Session, openflow.Header, *openflow.PacketIn) {}

// BatchEnd implements session.Handler.
func (h *Hub) BatchEnd(*session.Session) {}

// Message implements session.Handler.
func (h *Hub) Message(*session.Session, openflow.Header, openflow.Message) {}

// Disconnected implements session.Handler.
func (h *Hub) Disconnected(*session.Session, error) { h.connected.Add(-1) }
