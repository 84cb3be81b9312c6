package session

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session/pipe"
)

func TestHandshakePacketInAndBarrier(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		synctest.Test(t, func(t *testing.T) {
			p := newPair(t, Config{Versions: []openflow.Version{v}}, pipe.Options{})
			d := &datapath{id: 7}
			sw, ctl, _ := p.connect(d)
			f := ctl.Features()
			if f.Datapath != 7 || len(f.Ports) != 1 || f.Desc.Manufacturer != "weir" || f.Version != v {
				t.Errorf("features %+v", f)
			}
			if c := sw.SwitchConfig(); c.MissSendLen != 0xffff {
				t.Errorf("miss_send_len %d", c.MissSendLen)
			}
			frame := make([]byte, 60)
			sw.Send(&openflow.PacketIn{Buffer: 1, InPort: 1, Data: frame}, &openflow.PacketIn{Buffer: 2, InPort: 1, Data: frame})
			ctl.Send(&openflow.FlowMod{Cookie: 5}, &openflow.PacketOut{Buffer: 9})
			ctl.Barrier(func(err error) { p.handler.note("barrier %v", err) })
			synctest.Wait()
			expect(t, d.notes(), "connected "+v.String(), "flow_mod 0x5", "packet_out 9")
			p.close()
			expect(t, p.handler.notes(), "connected 0x7 "+v.String(), "packet_in 1", "packet_in 2", "barrier <nil>",
				"disconnected: session closed: shut down here")
		})
	}
}

func TestRequestContextOverTCP(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := newPair(t, Config{}, pipe.Options{})
	connected := make(chan *Session, 1)
	p.handler.connected = func(s *Session) { connected <- s }
	served := make(chan error, 1)
	go func() { served <- p.server.Serve(ln) }()
	if _, err := p.dialer.Dial(context.Background(), ln.Addr().String(), &Roles{}, &datapath{id: 3}); err != nil {
		t.Fatal(err)
	}
	s := <-connected
	m, err := s.RequestContext(context.Background(), &openflow.MultipartRequest{Body: &openflow.DescRequest{}})
	if err != nil || m.(*openflow.MultipartReply).Body.(*openflow.Desc).Datapath != "3" {
		t.Errorf("desc: %v, %v", m, err)
	}
	if _, err = s.RequestContext(context.Background(), &openflow.FlowMod{}); !errors.Is(err, ErrNoReply) {
		t.Errorf("request that has no reply: %v", err)
	}
	p.close()
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
	select {
	case <-s.Done():
	default:
		t.Error("Close returned before the session had ended")
	}
}
