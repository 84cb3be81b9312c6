//go:build real

package session

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/openflow"
)

// realController is the address of the controller, ours or not, within a test's namespace.
const realController = "127.0.0.1:6653"

var realVersions = []openflow.Version{openflow.V10, openflow.V13}

// TestControllerAgainstOpenvSwitch is our controller's end against a real ovs-vswitchd: handshake,
// flow-mods confirmed by a barrier, an answer of several parts, an error that names its flow-mod,
// roles, packets, echo, and its end.
func TestControllerAgainstOpenvSwitch(t *testing.T) {
	for _, v := range realVersions {
		t.Run(v.String(), func(t *testing.T) {
			netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
				r := &realSwitch{t: t, l: l, v: v, events: make(chan string, 64), connected: make(chan *Session, 4)}
				r.run()
			})
		})
	}
}

// realSwitch is our side of a session with an Open vSwitch. Its events are what the handler is
// told.
type realSwitch struct {
	t         *testing.T
	l         *netlab.Lab
	o         *netlab.OVS
	v         openflow.Version
	s         *Session
	events    chan string
	connected chan *Session
}

func (r *realSwitch) Connected(s *Session) { r.connected <- s }
func (r *realSwitch) PacketIn(_ *Session, _ openflow.Header, pin *openflow.PacketIn) {
	r.events <- fmt.Sprintf("packet_in %d bytes, reason %d", len(pin.Data), pin.Reason)
}
func (r *realSwitch) BatchEnd(*Session) {}
func (r *realSwitch) Message(_ *Session, h openflow.Header, m openflow.Message) {
	switch m := m.(type) {
	case *openflow.ErrorMsg:
		r.events <- fmt.Sprintf("error %s of %d", m.Code, h.XID)
	case *openflow.PortStatus:
		if m.Port.Number < openflow.PortMax {
			r.events <- fmt.Sprintf("port %d reason %d", m.Port.Number, m.Reason)
		}
	case *openflow.FlowRemoved:
		r.events <- fmt.Sprintf("removed %#x", m.Cookie)
	}
}
func (r *realSwitch) Disconnected(*Session, error) { r.events <- "disconnected" }

// await waits for an event; others before it are a failure unless they are port statuses, which
// Open vSwitch sends at will.
func (r *realSwitch) await(want string) {
	r.t.Helper()
	limit := time.After(10 * time.Second)
	for {
		select {
		case got := <-r.events:
			if got == want {
				return
			}
			if !strings.HasPrefix(got, "port ") {
				r.t.Fatalf("event %q, want %q", got, want)
			}
		case <-limit:
			r.t.Fatalf("no event %q", want)
		}
	}
}

func (r *realSwitch) run() {
	ln, err := net.Listen("tcp", realController)
	if err != nil {
		r.t.Fatal(err)
	}
	server := NewServer(Config{EchoInterval: 200 * time.Millisecond}, r)
	go server.Serve(ln)
	r.o = r.l.StartOVS()
	r.o.AddBridge("br0", 0x1234, r.v.String(), "tcp:"+realController)
	r.s = <-r.connected
	r.features()
	r.flows()
	r.refusedFlow()
	r.roles()
	r.packets()
	r.l.Eventually(5*time.Second, "a measured round trip", func() bool { return r.s.RoundTrip() > 0 })
	if st := r.s.Stats(); st.Refused != 0 || st.Unmatched != 0 {
		r.t.Errorf("messages of Open vSwitch that were refused or not understood: %+v", st)
	}
	r.o.Vsctl("del-controller", "br0")
	r.await("disconnected")
	if err := server.Close(context.Background()); err != nil {
		r.t.Error(err)
	}
}

func (r *realSwitch) features() {
	f := r.s.Features()
	if f.Datapath != 0x1234 || f.Version != r.v || !strings.HasPrefix(f.Desc.Manufacturer, "Nicira") ||
		f.Desc.Hardware != "Open vSwitch" {
		r.t.Errorf("features %+v", f)
	}
	if len(f.Ports) != 1 || f.Ports[0].Number != openflow.PortLocal || f.Ports[0].Name != "br0" {
		r.t.Errorf("ports %+v", f.Ports)
	}
	r.l.Run("ip", "link", "add", "p1", "type", "veth", "peer", "name", "p1x")
	r.o.AddPort("br0", "p1", 1)
	r.await("port 1 reason 0")
	m := r.ask(&openflow.GetConfigRequest{})
	if c, ok := m.(*openflow.GetConfigReply); !ok || c.MissSendLen != 0xffff {
		r.t.Errorf("configuration %+v", m)
	}
}

func (r *realSwitch) ask(m openflow.Message) openflow.Message {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	answer, err := r.s.RequestContext(ctx, m)
	if err != nil {
		r.t.Fatalf("%s: %v", m.Type(), err)
	}
	return answer
}

// flowMod is a flow entry for one destination.
func flowMod(cookie uint64) *openflow.FlowMod {
	oxm := []byte{0x80, 0, 3 << 1, 6, 2, 0, 0, 0, byte(cookie >> 8), byte(cookie)}
	return &openflow.FlowMod{Cookie: cookie, Priority: 7, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny, Flags: openflow.FlagSendFlowRemoved, Match: openflow.Match{OXM: oxm},
		Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(1))}}
}

// flows installs so many entries that the switch reports them in several parts, and removes one.
func (r *realSwitch) flows() {
	const n = 2000
	for i := range uint64(n) {
		if _, err := r.s.Send(flowMod(i)); err != nil {
			r.t.Fatal(err)
		}
	}
	r.barrier()
	parts := r.s.Stats().In[openflow.TypeMultipartReply]
	all := openflow.FlowRequest{FlowFilter: openflow.FlowFilter{Table: openflow.TableAll, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny}}
	m := r.ask(&openflow.MultipartRequest{Body: &all})
	list, ok := m.(*openflow.MultipartReply).Body.(*openflow.FlowStatsList)
	if !ok || len(list.Flows) != n {
		r.t.Fatalf("flow statistics: %T", m.(*openflow.MultipartReply).Body)
	}
	seen := make(map[uint64]bool)
	for _, f := range list.Flows {
		seen[f.Cookie] = true
	}
	if len(seen) != n {
		r.t.Errorf("%d different flows, want %d", len(seen), n)
	}
	if parts = r.s.Stats().In[openflow.TypeMultipartReply] - parts; parts < 2 {
		r.t.Errorf("%d flows came in %d part", n, parts)
	}
	gone := flowMod(3)
	gone.Command = openflow.FlowDeleteStrict
	r.s.Send(gone)
	r.await("removed 0x3")
}

func (r *realSwitch) barrier() {
	r.t.Helper()
	done := make(chan error, 1)
	if err := r.s.Barrier(func(err error) { done <- err }); err != nil {
		r.t.Fatal(err)
	}
	if err := <-done; err != nil {
		r.t.Fatal(err)
	}
}

// refusedFlow sends three flow-mods of which the second is wrong: its error names it, and comes
// before the barrier's answer.
func (r *realSwitch) refusedFlow() {
	wrong := flowMod(1)
	wrong.Instructions = []openflow.Instruction{openflow.Apply(openflow.Output(openflow.PortAny))}
	first, err := r.s.Send(flowMod(1), wrong, flowMod(2))
	if err != nil {
		r.t.Fatal(err)
	}
	done := make(chan error, 1)
	r.s.Barrier(func(err error) { r.events <- "barrier"; done <- err })
	r.await(fmt.Sprintf("error %s of %d", openflow.BadActionBadOutPort, first+1))
	r.await("barrier")
	if err := <-done; err != nil {
		r.t.Error(err)
	}
}

// roles asks to be a slave, whose flow-mod is refused as such, and then to be master; on OpenFlow 1.3 an older generation is then
// refused.
func (r *realSwitch) roles() {
	r.ask(&openflow.RoleRequest{Role: openflow.RoleSlave, Generation: 9})
	xid, err := r.s.Send(flowMod(7))
	if err != nil {
		r.t.Fatal(err)
	}
	refused := openflow.BadRequestIsSlave
	if r.v == openflow.V10 {
		refused = openflow.BadRequestEPerm
	}
	r.await(fmt.Sprintf("error %s of %d", refused, xid))
	r.ask(&openflow.RoleRequest{Role: openflow.RoleMaster, Generation: 9})
	if role := r.s.Role(); role != openflow.RoleMaster {
		r.t.Errorf("role %s", role)
	}
	if r.v == openflow.V10 {
		return
	}
	_, err = r.s.RequestContext(context.Background(), &openflow.RoleRequest{Role: openflow.RoleMaster, Generation: 8})
	var stale *PeerError
	if !errors.As(err, &stale) || stale.Msg.Code != openflow.RoleRequestFailedStale {
		r.t.Errorf("an older generation: %v", err)
	}
}

// packets has the switch send a packet to us, and to nobody.
func (r *realSwitch) packets() {
	frame := make([]byte, 100)
	frame[12] = 8
	r.s.Send(&openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortController, Data: frame,
		Actions: []openflow.Action{openflow.OutputController(openflow.ControllerNoCut)}})
	r.await(fmt.Sprintf("packet_in 100 bytes, reason %d", openflow.ReasonAction))
}
