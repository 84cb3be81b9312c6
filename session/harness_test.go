package session

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session/pipe"
)

// notebook is what handlers of tests write down.
type notebook struct {
	mu       sync.Mutex
	log      []string
	sessions []*Session
}

func (c *notebook) note(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.log = append(c.log, fmt.Sprintf(format, args...))
}

// notes are what was written down since the last call.
func (c *notebook) notes() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	log := c.log
	c.log = nil
	return log
}

func (c *notebook) add(s *Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sessions = append(c.sessions, s)
}

// last is the session that was connected last, or nil.
func (c *notebook) last() *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.sessions) == 0 {
		return nil
	}
	return c.sessions[len(c.sessions)-1]
}

// controller is a Handler that writes down what it is told, unless it is told to do something else.
type controller struct {
	notebook
	connected func(s *Session)
	packetIn  func(s *Session, h openflow.Header, pin *openflow.PacketIn)
}

func (c *controller) Connected(s *Session) {
	c.note("connected %#x %s", s.Features().Datapath, s.Version())
	c.add(s)
	if c.connected != nil {
		c.connected(s)
	}
}

func (c *controller) PacketIn(s *Session, h openflow.Header, pin *openflow.PacketIn) {
	if c.packetIn != nil {
		c.packetIn(s, h, pin)
		return
	}
	c.note("packet_in %d", pin.Buffer)
}

func (c *controller) Message(_ *Session, h openflow.Header, m openflow.Message) {
	c.note("%s", openflow.Text(h, m))
}

func (c *controller) BatchEnd(*Session) {}

func (c *controller) Disconnected(_ *Session, err error) { c.note("disconnected: %v", err) }

// datapath is a SwitchHandler that writes down what it is told and answers multipart requests.
type datapath struct {
	notebook
	id      uint64
	flowMod func(s *Session, h openflow.Header, fm *openflow.FlowMod)
}

var onePort = []openflow.Port{{Number: 1, Name: "p1"}}

func (d *datapath) Connected(s *Session) {
	d.note("connected %s", s.Version())
	d.add(s)
}

func (d *datapath) Features(*Session) openflow.FeaturesReply {
	return openflow.FeaturesReply{DatapathID: d.id, Buffers: 256, Tables: 2, Ports: onePort}
}

func (d *datapath) FlowMod(s *Session, h openflow.Header, fm *openflow.FlowMod) {
	if d.flowMod != nil {
		d.flowMod(s, h, fm)
		return
	}
	d.note("flow_mod %#x", fm.Cookie)
}

func (d *datapath) PacketOut(_ *Session, _ openflow.Header, po *openflow.PacketOut) {
	d.note("packet_out %d", po.Buffer)
}

func (d *datapath) Message(s *Session, h openflow.Header, m openflow.Message) {
	r, ok := m.(*openflow.MultipartRequest)
	if !ok {
		d.note("%s", openflow.Text(h, m))
		return
	}
	switch r.Body.(type) {
	case *openflow.DescRequest:
		s.Reply(h.XID, &openflow.MultipartReply{Body: &openflow.Desc{Manufacturer: "weir", Datapath: fmt.Sprint(d.id)}})
	case *openflow.PortDescRequest:
		s.Reply(h.XID, &openflow.MultipartReply{Body: &openflow.PortDescList{Ports: onePort}})
	default:
		d.note("%s", openflow.Text(h, m))
	}
}

func (d *datapath) BatchEnd(*Session) {}

func (d *datapath) Disconnected(_ *Session, err error) { d.note("disconnected: %v", err) }

// pair is a server and a dialer in memory.
type pair struct {
	t       *testing.T
	server  *Server
	dialer  *Dialer
	handler *controller
	options pipe.Options
}

func newPair(t *testing.T, cfg Config, o pipe.Options) *pair {
	p := &pair{t: t, handler: &controller{}, options: o}
	p.server = NewServer(cfg, p.handler)
	p.dialer = NewDialer(cfg)
	return p
}

// connect connects a switch and returns its session, the controller's, and the switch's end of the
// connection.
func (p *pair) connect(d *datapath) (sw, ctl *Session, conn *pipe.Conn) {
	p.t.Helper()
	a, b := pipe.New(p.options)
	if _, err := p.server.ServeConn(a); err != nil {
		p.t.Fatal(err)
	}
	sw, err := p.dialer.ServeConn(b, &Roles{}, d)
	if err != nil {
		p.t.Fatal(err)
	}
	time.Sleep(10*p.options.Delay + time.Millisecond)
	synctest.Wait()
	return sw, p.handler.last(), b
}

// close ends both sides; synctest then fails if a goroutine is left.
func (p *pair) close() {
	for _, end := range []interface{ Close(context.Context) error }{p.server, p.dialer} {
		if err := end.Close(context.Background()); err != nil {
			p.t.Error(err)
		}
	}
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
