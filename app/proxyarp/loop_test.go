package proxyarp

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// outs counts the packet-outs of a switch.
type outs struct{ ports []uint32 }

func (o *outs) PacketOut(m *openflow.PacketOut) error {
	o.ports = append(o.ports, m.Actions[0].Port)
	return nil
}

func pinOf(port uint32, frame []byte) *openflow.PacketIn {
	return &openflow.PacketIn{Buffer: openflow.NoBuffer, InPort: port, Data: frame, TotalLen: uint16(len(frame))}
}

// What hosts say reaches the table through the queue, though the view has its host only afterwards;
// then questions are answered at the asker's port.
func TestLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene()
		p := New(Config{}, s.view)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { p.Run(ctx); close(done) }()
		var r Port
		var out outs
		come := func(port uint32, k packet.Key) {
			p.Frame(&r, &out, 1, pinOf(port, packet.AppendARP(nil, &k)), &k, 42)
			synctest.Wait()
		}
		question := packet.NewARPRequest(asker, [4]byte{10, 0, 0, 1}, [4]byte{10, 0, 0, 2})
		come(2, packet.NewARPRequest(holder, [4]byte{10, 0, 0, 2}, [4]byte{10, 0, 0, 2}))
		come(1, question)
		if len(out.ports) != 0 {
			t.Error("answered for a host that the view does not have")
		}
		s.facts.Update(func(tx *netview.FactsTx) {
			tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: holder}, State: netview.HostConfirmed,
				At: netview.Point{DPID: 1, Port: 2}})
		})
		time.Sleep(time.Second)
		come(1, question)
		if len(out.ports) != 1 || out.ports[0] != 1 {
			t.Errorf("answers out of ports %v, want one out of 1", out.ports)
		}
		stop()
		<-done
	})
}
