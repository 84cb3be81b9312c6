package node_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/internal/rogue"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/tenant"
)

// victimCookie is that of the victim's entries.
const victimCookie = 0x626c7565636f6f6b

// victim is the controller of the tenant that does no harm. Its entries lead from every host to every other one.
type victim struct {
	a      *attack
	ln     net.Listener
	server *session.Server

	mu       sync.Mutex // guards what follows
	sessions map[uint64]*session.Session
	ended    int
	foreign  map[string]int // packet-ins of others' frames
	own      int
	changes  int // of ports
}

func newVictim(a *attack) *victim {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		a.t.Fatal(err)
	}
	v := &victim{a: a, ln: ln, sessions: make(map[uint64]*session.Session), foreign: make(map[string]int)}
	v.server = session.NewServer(session.Config{}, v)
	done := make(chan error)
	go func() { done <- v.server.Serve(ln) }()
	a.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_ = v.server.Close(ctx)
		<-done
	})
	return v
}

func (v *victim) at() []tenant.Controller {
	return []tenant.Controller{{Address: v.ln.Addr().String()}}
}

func (v *victim) Connected(s *session.Session) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.sessions[s.Features().Datapath] = s
}

func (v *victim) PacketIn(_ *session.Session, _ openflow.Header, pin *openflow.PacketIn) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if owner := markOf(pin.Data); owner != blue && owner != "" {
		v.foreign[owner]++
	} else {
		v.own++
	}
}

func (v *victim) BatchEnd(*session.Session) {}

// Message counts changes of ports.
func (v *victim) Message(_ *session.Session, _ openflow.Header, m openflow.Message) {
	if _, is := m.(*openflow.PortStatus); is {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.changes++
	}
}

// portChanges is how often ports have come or gone.
func (v *victim) portChanges() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.changes
}

func (v *victim) Disconnected(*session.Session, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.ended++
}

// session returns that of a switch; nil: there is none yet.
func (v *victim) session(dpid uint64) *session.Session {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.sessions[dpid]
}

// install gives the switches their entries: at each, one for each of the tenant's hosts.
func (v *victim) install() {
	a := v.a
	for i, sw := range a.net.Switches() {
		a.weir.await("the victim's session", func() bool { return v.session(sw.DatapathID()) != nil })
		s := v.session(sw.DatapathID())
		for _, h := range a.hosts(blue) {
			at := a.net.Hosts()[h].Spec()
			to := at.At.Port
			if at.At.Switch != i {
				to = a.toward(i, at.At.Switch)
			}
			m := openflow.Match{}
			m.Set(openflow.FieldEthDst, at.MAC[:], nil)
			if _, err := s.Send(&openflow.FlowMod{Cookie: victimCookie, Priority: 100, Match: m, Buffer: openflow.NoBuffer,
				OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
				Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(to))}}); err != nil {
				a.t.Fatal(err)
			}
		}
		if _, err := s.RequestContext(a.t.Context(), &openflow.BarrierRequest{}); err != nil {
			a.t.Fatal(err)
		}
	}
}

// portsOf are a tenant's ports at a switch, by its index.
func (a *attack) portsOf(name string, sw int) (list []uint32) {
	for _, port := range a.net.Switches()[sw].Ports() {
		if host := port <= uint32(len(hostOwners)); host && hostOwners[port-1] == name || !host && name != green {
			list = append(list, port)
		}
	}
	return list
}

// toward is the port of a switch of the line that leads to another one.
func (a *attack) toward(from, to int) uint32 {
	for _, l := range a.net.Topology().Links {
		switch {
		case l.A.Switch == from && (l.B.Switch > from) == (to > from):
			return l.A.Port
		case l.B.Switch == from && (l.A.Switch > from) == (to > from):
			return l.B.Port
		}
	}
	a.t.Fatalf("no link of switch %d leads to %d", from, to)
	return 0
}

// check wants the sessions that there were, with all entries, and nothing of others'.
func (v *victim) check() {
	t := v.a.t
	v.mu.Lock()
	if v.ended > 0 || len(v.foreign) > 0 {
		t.Errorf("%d sessions of the victim's have ended; it was shown packets of others: %v", v.ended, v.foreign)
	}
	v.mu.Unlock()
	for dpid, s := range v.sessions {
		all := openflow.FlowFilter{Table: openflow.TableAll, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
		reply, err := s.RequestContext(t.Context(), &openflow.MultipartRequest{Body: &openflow.FlowRequest{FlowFilter: all}})
		if err != nil {
			t.Errorf("switch %d: %v", dpid, err)
			continue
		}
		flows := reply.(*openflow.MultipartReply).Body.(*openflow.FlowStatsList).Flows
		for i := range flows {
			if flows[i].Cookie != victimCookie {
				t.Errorf("the victim is shown an entry of cookie %#x", flows[i].Cookie)
			}
		}
		if len(flows) != len(v.a.hosts(blue)) {
			t.Errorf("the victim has %d entries at switch %d, want %d", len(flows), dpid, len(v.a.hosts(blue)))
		}
	}
}

// attacker is a hostile tenant's controllers: one that sends, over two connections from each switch, and one that neither
// reads nor answers.
type attacker struct {
	a         *attack
	name      string
	form      attackForm
	samples   [][]byte
	listeners []net.Listener
	running   sync.WaitGroup
	left      atomic.Int64 // messages to send
	began     chan struct{}
	sent      chan struct{} // closed when all is sent
	once      sync.Once
	flooding  sync.WaitGroup // connections that send, and the loops that accept them
	over      chan struct{}  // closed when they have ended

	mu      sync.Mutex // guards what follows
	conns   map[net.Conn]bool
	made    int
	foreign map[string]int // what it was shown of others
	got     map[openflow.Type]int
	refused map[openflow.ErrorCode]int
	frames  int
}

func newAttacker(a *attack, name string, form attackForm) *attacker {
	x := &attacker{a: a, name: name, form: form, began: make(chan struct{}), sent: make(chan struct{}),
		over:  make(chan struct{}),
		conns: make(map[net.Conn]bool), foreign: make(map[string]int), got: make(map[openflow.Type]int),
		refused: make(map[openflow.ErrorCode]int)}
	for _, s := range need.Samples(a.t, form.speaks[name].String()) {
		x.samples = append(x.samples, s.Frame)
	}
	x.left.Store(int64(form.messages))
	for i := range 3 {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			a.t.Fatal(err)
		}
		x.listeners = append(x.listeners, ln)
		stalls := i == 2
		if !stalls {
			x.flooding.Add(1)
		}
		x.running.Go(func() {
			x.serve(ln, stalls)
			if !stalls {
				x.flooding.Done()
			}
		})
	}
	a.t.Cleanup(x.close)
	return x
}

func (x *attacker) at() (list []tenant.Controller) {
	for _, ln := range x.listeners {
		list = append(list, tenant.Controller{Address: ln.Addr().String()})
	}
	return list
}

// begin begins to send; end returns when all is sent, and has been read: the connections end in the middle of a message.
func (x *attacker) begin() { close(x.began) }

func (x *attacker) end() {
	<-x.sent
	for _, ln := range x.listeners {
		ln.Close()
	}
	x.flooding.Wait()
	close(x.over)
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.foreign) > 0 {
		x.a.t.Errorf("%s was shown what is others': %v", x.name, x.foreign)
	}
	if x.got[openflow.TypeMultipartReply] == 0 || x.got[openflow.TypeError] == 0 || x.frames == 0 {
		x.a.t.Errorf("%s got %v, and its hosts sent %d frames: nothing was tested", x.name, x.got, x.frames)
	}
}

// close ends all of it.
func (x *attacker) close() {
	for _, ln := range x.listeners {
		ln.Close()
	}
	x.mu.Lock()
	for c := range x.conns {
		c.Close()
	}
	x.mu.Unlock()
	x.running.Wait()
}

func (x *attacker) String() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return fmt.Sprintf("OpenFlow %s, %d connections, its hosts sent %d frames; it got %v, errors of %d kinds",
		x.form.speaks[x.name], x.made, x.frames, x.got, len(x.refused))
}

// serve takes connections; of one that stalls nothing is read.
func (x *attacker) serve(ln net.Listener, stalls bool) {
	for n := uint64(0); ; n++ {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		x.mu.Lock()
		x.conns[c] = true
		x.made++
		seed := x.form.seed<<16 | uint64(x.made)
		x.mu.Unlock()
		if !stalls {
			x.flooding.Add(1)
		}
		x.running.Go(func() {
			x.connection(c, stalls, seed)
			if !stalls {
				x.flooding.Done()
			}
			c.Close()
			x.mu.Lock()
			defer x.mu.Unlock()
			delete(x.conns, c)
		})
	}
}

// connection is one, from its handshake to its end.
func (x *attacker) connection(c net.Conn, stalls bool, seed uint64) {
	v := x.form.speaks[x.name]
	features := make(chan uint64, 1)
	send := func(m openflow.Message) {
		b, err := openflow.Append(nil, v, 1, m)
		if err == nil {
			_, err = c.Write(b)
		}
		if err != nil {
			c.Close()
		}
	}
	send(&openflow.Hello{})
	send(&openflow.FeaturesRequest{})
	if stalls {
		<-x.over
		return
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(features)
		x.read(c, features)
	}()
	defer func() { <-read }() // what was sent is handled first
	defer func() { _ = c.(*net.TCPConn).CloseWrite() }()
	dpid, ok := <-features
	if !ok {
		return
	}
	send(&openflow.SetConfig{MissSendLen: openflow.ControllerNoCut})
	<-x.began
	var space []openflow.Match
	for _, r := range x.a.all.Get(x.name).Space {
		space = append(space, r.Match)
	}
	x.flood(c, int(dpid)-1, rogue.New(rogue.Config{Version: v, Seed: seed, Ports: 7, Own: x.a.portsOf(x.name, int(dpid)-1),
		Space: space, Mark: mark(x.name), Samples: x.samples}))
}

// flood sends messages as long as there are some to send.
func (x *attacker) flood(c net.Conn, sw int, from *rogue.Controller) {
	w := bufio.NewWriterSize(c, 1<<15)
	own := sw*len(hostOwners) + map[string]int{red: 0, green: 3}[x.name]
	for {
		s := from.Next()
		if s.Frame != nil {
			if x.name == red && x.a.frames.Owner(s.Frame) != numbers[red] {
				copy(s.Frame[6:], []byte{2, 0, 0, 0, 0, 1})
			}
			if x.name == green || x.a.frames.Owner(s.Frame) == numbers[red] {
				x.mu.Lock()
				x.frames++
				x.mu.Unlock()
				x.a.send(own, s.Frame)
			}
			continue
		}
		if x.left.Add(-1) < 0 {
			x.once.Do(func() { close(x.sent) })
			_, _ = w.Write(s.Message[:len(s.Message)/2])
			_ = w.Flush()
			return
		}
		if _, err := w.Write(s.Message); err != nil {
			return
		}
		if s.Ends {
			_ = w.Flush()
			return
		}
	}
}

// read looks at all that a switch says.
func (x *attacker) read(c net.Conn, features chan<- uint64) {
	r := bufio.NewReaderSize(c, 1<<16)
	var b []byte
	for {
		b = append(b[:0], make([]byte, openflow.HeaderLen)...)
		if _, err := io.ReadFull(r, b); err != nil {
			return
		}
		b = append(b, make([]byte, int(binary.BigEndian.Uint16(b[2:]))-openflow.HeaderLen)...)
		if _, err := io.ReadFull(r, b[openflow.HeaderLen:]); err != nil {
			return
		}
		h, m, err := openflow.Parse(b)
		if err != nil {
			x.note(fmt.Sprintf("a message that is none: %v", err))
			return
		}
		if f, is := m.(*openflow.FeaturesReply); is {
			select {
			case features <- f.DatapathID:
			default:
			}
		}
		x.look(h, m, b)
	}
}

// note notes what the attacker was shown and must not be.
func (x *attacker) note(what string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.foreign[what]++
}

// look looks at a message for what is others'.
func (x *attacker) look(h openflow.Header, m openflow.Message, b []byte) {
	x.mu.Lock()
	x.got[h.Type]++
	if e, is := m.(*openflow.ErrorMsg); is {
		x.refused[e.Code]++
	}
	x.mu.Unlock()
	if owner := markOf(b); owner != "" && owner != x.name {
		x.note("a mark of " + owner)
	}
	if bytes.Contains(b, binary.BigEndian.AppendUint64(nil, victimCookie)) {
		x.note("the victim's cookie")
	}
	port := func(number uint32, what string) {
		host := number <= uint32(len(hostOwners))
		if number <= openflow.PortMax && (host && hostOwners[number-1] != x.name || !host && x.name == green) {
			x.note(fmt.Sprintf("port %d in %s", number, what))
		}
	}
	outputs := func(list []openflow.Action, what string) {
		for i := range list {
			if list[i].Type == openflow.ActionOutput {
				port(list[i].Port, what)
			}
		}
	}
	switch m := m.(type) {
	case *openflow.FeaturesReply:
		for i := range m.Ports {
			port(m.Ports[i].Number, "features")
		}
	case *openflow.PortStatus:
		port(m.Port.Number, "a port status")
	case *openflow.PacketIn:
		port(m.InPort, "a packet-in")
	case *openflow.MultipartReply:
		switch list := m.Body.(type) {
		case *openflow.PortDescList:
			for i := range list.Ports {
				port(list.Ports[i].Number, "descriptions")
			}
		case *openflow.PortStatsList:
			for i := range list.Ports {
				port(list.Ports[i].Port, "statistics of ports")
			}
		case *openflow.GroupDescList:
			for i := range list.Groups {
				for k := range list.Groups[i].Buckets {
					outputs(list.Groups[i].Buckets[k].Actions, "a group")
				}
			}
		case *openflow.FlowStatsList:
			for i := range list.Flows {
				for k := range list.Flows[i].Instructions {
					outputs(list.Flows[i].Instructions[k].Actions, "an entry")
				}
			}
		}
	}
}
