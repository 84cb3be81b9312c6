package bench

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/session/pipe"
)

// planner is the least instance that paths can be asked of, in virtual time: nothing takes any but
// what it is told to.
type planner struct {
	t        *testing.T
	delay    time.Duration // from a request, or a port that is down, to the first flow-mod
	spread   time.Duration // from one path's flow-mods to the next one's
	durable  time.Duration // from a request to its answer
	skip     func(path, hop int) bool
	double   bool             // each flow-mod is sent twice
	besides  int              // the path for which the first switch is given an entry that nobody asked for, if not 0
	end      uint32           // added to the port of the last hop
	status   string           // of all answers
	overload int              // answers of overload left
	late     [2]time.Duration // of the request that begins with path 3,000: to when it is taken, and then to its flow-mods
	early    int              // withdrawals of paths that no switch was told of

	mu       sync.Mutex
	sessions map[uint64]*session.Session // of the last switch of each id
	there    int                         // switches that are connected
	paths    map[string]*planned
	ways     *paths.Shortest
	sending  sync.WaitGroup
}

// planned is a path that was asked for.
type planned struct {
	paths.Path
	hops [][3]uint32 // the number of the switch, in, out
}

func (p *planner) Connected(s *session.Session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sessions[s.Features().Datapath] = s
	p.there++
}
func (*planner) PacketIn(*session.Session, openflow.Header, *openflow.PacketIn) {}
func (*planner) BatchEnd(*session.Session)                                      {}

func (p *planner) Disconnected(s *session.Session, _ error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.there--
}

// links is how many directions of links there are, when all switches are there.
func (p *planner) links(t *topo.Topology) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.there < len(t.Switches) {
		return 0
	}
	return 2 * len(t.Links)
}

// Message takes a port that went down: every path that takes its link goes another way.
func (p *planner) Message(s *session.Session, _ openflow.Header, m openflow.Message) {
	st, ok := m.(*openflow.PortStatus)
	if !ok {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at, up := topo.End{Switch: int(s.Features().Datapath) - 1, Port: st.Port.Number}, st.Port.State&openflow.PortStateDown == 0
	p.ways.Set(at, up)
	p.ways.Set(p.ways.Far[at], up)
	if up {
		return
	}
	p.sending.Go(func() {
		time.Sleep(p.delay)
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, x := range p.paths {
			old := x.hops
			for _, h := range old {
				if h[0] == uint32(at.Switch) && h[2] == at.Port {
					x.hops = p.route(x)
					p.write(x, openflow.FlowAdd, x.hops)
					p.write(x, openflow.FlowDeleteStrict, paths.Elsewhere(old, x.hops))
				}
			}
		}
	})
}

// write sends the flow-mods of a path.
func (p *planner) write(x *planned, command openflow.FlowModCommand, hops [][3]uint32) {
	for i, h := range hops {
		if p.skip != nil && p.skip(x.N, i) {
			continue
		}
		m := x.Mod(command, h)
		s := p.sessions[uint64(h[0])+1]
		_, _ = s.Send(m)
		if p.double {
			_, _ = s.Send(m)
		}
	}
}

// route is a shortest way, which leads elsewhere if it is to.
func (p *planner) route(x *planned) [][3]uint32 {
	return p.ways.Hops(x.From, topo.End{Switch: x.To.Switch, Port: x.To.Port + p.end})
}

// ServeHTTP takes requests in all forms.
func (p *planner) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	if p.overload > 0 {
		p.overload--
		p.mu.Unlock()
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	p.mu.Unlock()
	adds, removes := p.read(r.Header.Get("Content-Type"), r.URL.Path, body)
	lag := time.Duration(0)
	if len(adds) > 0 && adds[0].N == 3000 {
		time.Sleep(p.late[0])
		lag = p.late[1]
	}
	p.sending.Go(func() {
		time.Sleep(lag)
		p.send(adds, removes)
	})
	time.Sleep(p.durable)
	if r.URL.Query().Get("wait") != "" {
		time.Sleep(p.delay)
	}
	w.WriteHeader(http.StatusAccepted)
	for range len(adds) + len(removes) {
		if r.Header.Get("Content-Type") == paths.FormProtobuf.ContentType() {
			status := byte(1)
			if p.status != "accepted" {
				status = 4
			}
			_, _ = w.Write([]byte{4, 1 << 3, 0, paths.AnswerStatus << 3, status})
			continue
		}
		fmt.Fprintf(w, `{"status":%q}`+"\n", p.status)
	}
}

// send sends what was asked for, when it is time.
func (p *planner) send(adds []*planned, removes []string) {
	time.Sleep(p.delay)
	for i, x := range adds {
		if i > 0 {
			time.Sleep(p.spread)
		}
		p.mu.Lock()
		x.hops = p.route(x)
		p.paths[fmt.Sprintf("p%d", x.N)] = x
		p.write(x, openflow.FlowAdd, x.hops)
		if x.N > 0 && x.N == p.besides {
			other := *x
			other.Src ^= 1 << 31
			p.write(&other, openflow.FlowAdd, x.hops[:1])
		}
		p.mu.Unlock()
	}
	for _, id := range removes {
		p.mu.Lock()
		if x := p.paths[id]; x != nil {
			p.write(x, openflow.FlowDeleteStrict, x.hops)
			delete(p.paths, id)
		} else {
			p.early++
		}
		p.mu.Unlock()
	}
}

// read reads a body.
func (p *planner) read(contentType, path string, body []byte) (adds []*planned, removes []string) {
	switch {
	case path == paths.WithdrawURL:
		var list struct{ IDs []string }
		p.want(json.Unmarshal(body, &list))
		return nil, list.IDs
	case contentType == paths.FormProtobuf.ContentType():
		return p.messages(body)
	case contentType == paths.FormJSON.ContentType() && bytes.HasPrefix(body, []byte(`{"items"`)):
		var list struct{ Items []item }
		p.want(json.Unmarshal(body, &list))
		for _, x := range list.Items {
			adds = append(adds, x.planned(p))
		}
		return adds, nil
	}
	for line := range bytes.Lines(body) {
		var x item
		p.want(json.Unmarshal(line, &x))
		if x.Op == "withdraw" {
			removes = append(removes, x.ID)
			continue
		}
		adds = append(adds, x.planned(p))
	}
	return adds, removes
}

// item is an intent in JSON.
type item struct {
	Op, ID, Kind string
	Src, Dst     struct {
		DPID string
		Port uint32
	}
	Selector struct {
		Src string `json:"ipv4_src"`
		Dst string `json:"ipv4_dst"`
	}
}

func (x *item) planned(p *planner) *planned {
	out := &planned{}
	out.From.Port, out.To.Port = x.Src.Port, x.Dst.Port
	_, err := fmt.Sscanf(x.ID, "p%d", &out.N)
	p.want(err)
	_, err = fmt.Sscanf(x.Src.DPID+" "+x.Dst.DPID, "%x %x", &out.From.Switch, &out.To.Switch)
	p.want(err)
	out.From.Switch, out.To.Switch = out.From.Switch-1, out.To.Switch-1
	out.Src, out.Dst = binary.BigEndian.Uint32(net.ParseIP(x.Selector.Src).To4()),
		binary.BigEndian.Uint32(net.ParseIP(x.Selector.Dst).To4())
	if x.Kind != "point-to-point" {
		p.t.Errorf("kind %q", x.Kind)
	}
	return out
}

// messages reads delimited messages.
func (p *planner) messages(b []byte) (adds []*planned, removes []string) {
	for len(b) > 0 {
		n, m := binary.Uvarint(b)
		x, id, withdraw := p.message(b[m : m+int(n)])
		b = b[m+int(n):]
		if withdraw {
			removes = append(removes, id)
		} else {
			adds = append(adds, x)
		}
	}
	return adds, removes
}

func (p *planner) message(b []byte) (x *planned, id string, withdraw bool) {
	x = &planned{}
	fields(b, func(field int, v uint64, bytes []byte) {
		switch field {
		case paths.RequestOp:
			withdraw = v == paths.OpWithdraw
		case paths.RequestID:
			id = string(bytes)
			_, err := fmt.Sscanf(id, "p%d", &x.N)
			p.want(err)
		case paths.RequestSrc, paths.RequestDst:
			at := &x.From
			if field == paths.RequestDst {
				at = &x.To
			}
			fields(bytes, func(field int, v uint64, _ []byte) {
				if field == 1 {
					at.Switch = int(v) - 1
				} else {
					at.Port = uint32(v)
				}
			})
		case paths.RequestOXM:
			m := openflow.Match{OXM: bytes}
			p.want(m.Check())
			src, _ := m.Uint(openflow.FieldIPv4Src)
			dst, _ := m.Uint(openflow.FieldIPv4Dst)
			x.Src, x.Dst = uint32(src), uint32(dst)
		}
	})
	return x, id, withdraw
}

// fields reads the fields of a message.
func fields(b []byte, f func(field int, v uint64, bytes []byte)) {
	for len(b) > 0 {
		tag, m := binary.Uvarint(b)
		b = b[m:]
		switch tag & 7 {
		case paths.WireFixed64:
			f(int(tag>>3), binary.LittleEndian.Uint64(b), nil)
			b = b[8:]
		case paths.WireBytes:
			n, m := binary.Uvarint(b)
			f(int(tag>>3), 0, b[m:m+int(n)])
			b = b[m+int(n):]
		default:
			v, m := binary.Uvarint(b)
			f(int(tag>>3), v, nil)
			b = b[m:]
		}
	}
}

func (p *planner) want(err error) {
	if err != nil {
		p.t.Error(err)
	}
}

// planning measures with a planner, in virtual time.
func planning(t *testing.T, p *planner, c *Setup, measure func(ctx context.Context)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p.t, p.sessions, p.paths = t, map[uint64]*session.Session{}, map[string]*planned{}
		if p.status == "" {
			p.status = "accepted"
		}
		c.Topology, c.Hops, c.Seed, c.Controller, c.API = "wan:30", 4, 3, "planner:1", "planner:2"
		topology, err := loadswitch.ParseTopology(c.Topology, c.Seed)
		if err != nil {
			t.Fatal(err)
		}
		p.ways = paths.NewShortest(topology)
		of, api := pipe.Listen("test"), pipe.Listen("test")
		server := session.NewServer(session.Config{}, p)
		web := &http.Server{Handler: p}
		var running sync.WaitGroup
		running.Go(func() { _ = server.Serve(of) })
		running.Go(func() { _ = web.Serve(api) })
		c.Test = &target.InProcess{OpenFlow: func(ctx context.Context, _ string) (net.Conn, error) { return of.Dial(ctx) },
			API:   func(ctx context.Context, _ string) (net.Conn, error) { return api.Dial(ctx) },
			Links: func() int { return p.links(topology) }}
		measure(t.Context())
		p.sending.Wait()
		_ = server.Close(context.Background())
		_ = web.Close()
		running.Wait()
	})
}

// wantRefused wants valid results, or ones that are refused for a reason.
func wantRefused(t *testing.T, r *report.Report, err error, why string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range r.Results {
		if why == "" && x.Refused != "" || !strings.Contains(x.Refused, why) || why != "" && len(x.Measures) > 0 {
			t.Errorf("%s: refused %q, want %q", x.Subject, x.Refused, why)
		}
	}
}
