package session

import (
	"fmt"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session/pipe"
)

// bomber is a switch that answers the request for its ports with part after part, each of which
// says that there are more.
type bomber struct {
	t    *testing.T
	conn net.Conn
	id   uint64
	sent int
	// ports, if there are any, are what it answers: it comes to an end, and to a session.
	ports int
	done  chan struct{}
}

// bomb connects one, and has it send parts until it is cut off or has sent so many.
func (p *pair) bomb(id uint64, parts int) *bomber {
	_, far := p.from(net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: int(id)})
	b := &bomber{t: p.t, conn: far, id: id, done: make(chan struct{})}
	go b.run(parts)
	return b
}

func (b *bomber) send(xid uint32, m openflow.Message) bool {
	frame, err := openflow.Append(nil, openflow.V13, xid, m)
	if err != nil {
		b.t.Error(err)
	}
	_, err = b.conn.Write(frame)
	return err == nil
}

func (b *bomber) run(parts int) {
	defer close(b.done)
	b.send(1, &openflow.Hello{})
	ports := make([]openflow.Port, 1000)
	for i := range ports {
		ports[i].Number = uint32(i + 1)
	}
	for in := (&input{}); ; {
		n, err := b.conn.Read(in.room())
		if err != nil {
			return
		}
		in.filled(n)
		for {
			frame, ok := in.next(func([]byte) bool { return true })
			if !ok {
				break
			}
			h, m, err := openflow.Parse(frame)
			if err != nil {
				b.t.Error(err)
			}
			b.answer(h.XID, m, parts, ports)
		}
	}
}

func (b *bomber) answer(xid uint32, m openflow.Message, parts int, ports []openflow.Port) {
	switch m := m.(type) {
	case *openflow.EchoRequest:
		b.send(xid, &openflow.EchoReply{Data: m.Data})
	case *openflow.FeaturesRequest:
		b.send(xid, &openflow.FeaturesReply{DatapathID: b.id})
	case *openflow.MultipartRequest:
		switch _, ofPorts := m.Body.(*openflow.PortDescRequest); {
		case b.ports > 0 && !ofPorts:
			b.send(xid, &openflow.MultipartReply{Body: &openflow.Desc{}})
			return
		case b.ports > 0:
			b.all(xid, ports)
			return
		case !ofPorts:
			return
		}
		more := &openflow.MultipartReply{Flags: openflow.MultipartMore, Body: &openflow.PortDescList{Ports: ports}}
		for b.sent < parts && b.send(xid, more) {
			b.sent++
		}
	}
}

// all says all its ports, in parts.
func (b *bomber) all(xid uint32, ports []openflow.Port) {
	for left := b.ports; left > 0; left -= 500 {
		m := &openflow.MultipartReply{Body: &openflow.PortDescList{Ports: ports[:min(left, 500)]}}
		if left > 500 {
			m.Flags = openflow.MultipartMore
		}
		b.send(xid, m)
	}
}

// TestHandshakesAreBoundedTogether: peers that answer the request for their ports with very many,
// and do not come to an end, cost what Config.MaxHeld says, all together. A switch with more ports
// than it may have is refused; a real one comes in beside them.
func TestHandshakesAreBoundedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, refused := refusals()
		cfg.MaxHeld, cfg.MaxPorts = 1<<20, 5000
		p := newPair(t, cfg, pipe.Options{})
		var all []*bomber
		for id := range uint64(20) {
			all = append(all, p.bomb(id+100, 4)) // 4,000 ports each: half a megabyte
			synctest.Wait()
			if held := p.server.Held(); held > cfg.MaxHeld {
				t.Fatalf("%d bytes are held after %d bombers, at most %d wanted", held, id+1, cfg.MaxHeld)
			}
		}
		if n := countOf(refused); n["held"] < 17 || len(n) != 1 {
			t.Errorf("refused: %v", n)
		}
		_, real, _ := p.connect(&datapath{id: 1})
		if real == nil || real.Features().Datapath != 1 {
			t.Fatal("a real switch did not come in")
		}
		endless := p.bomb(99, 1<<20)
		synctest.Wait()
		if n := countOf(refused); n["ports"]+n["held"] == 0 || endless.sent > 50 {
			t.Errorf("refused: %v, after %d parts", n, endless.sent)
		}
		for _, b := range append(all, endless) {
			b.conn.Close()
			<-b.done
		}
		p.close()
		if held := p.server.Held(); held != 0 {
			t.Errorf("%d bytes are held of nobody", held)
		}
	})
}

// TestWhoHoldsMostIsEnded: where too much is held of all together, it is not the one that holds
// little who goes.
func TestWhoHoldsMostIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, refused := refusals()
		cfg.MaxHeld = 1 << 20
		p := newPair(t, cfg, pipe.Options{})
		modest := p.bomb(1, 1)
		synctest.Wait()
		if p.server.Held() == 0 {
			t.Fatal("nothing is held of the one that has sent a part")
		}
		for range 3 { // whether it came before or after
			greedy := p.bomb(2, 20)
			synctest.Wait()
			if len(refused) != 1 {
				t.Fatalf("%d are refused, want the greedy one", len(refused))
			}
			if r := <-refused; Reason(r.Err) != "held" || r.Remote.(*net.TCPAddr).Port != 2 {
				t.Errorf("%v is refused: %v", r.Remote, r.Err)
			}
			<-greedy.done
		}
		modest.conn.Close()
		<-modest.done
		p.close()
	})
}

// TestMessagesOfAHandshakeAreHeldToo: a peer may say what it likes before it is connected; it
// counts as all else.
func TestMessagesOfAHandshakeAreHeldToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, refused := refusals()
		cfg.MaxHeld = 1 << 20
		p := newPair(t, cfg, pipe.Options{})
		for id := range 9 {
			near, far := pipe.New(p.options)
			p.server.ServeConn(&from{near, net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: id + 1}})
			defer far.Close()
			b := &bomber{t: t, conn: far}
			b.send(1, &openflow.Hello{})
			go io.Copy(io.Discard, far)
			for range 8 {
				b.send(2, &openflow.PacketIn{Buffer: openflow.NoBuffer, Data: make([]byte, 60000)})
			}
			synctest.Wait()
			if held := p.server.Held(); held > cfg.MaxHeld {
				t.Fatalf("%d bytes are held of %d peers", held, id+1)
			}
		}
		if n := countOf(refused); n["held"] == 0 {
			t.Errorf("refused: %v", n)
		}
		p.close()
	})
}

// TestConnectionsOfASourceAreBounded: half-open ones of the source go first, then new ones are
// refused; others come in.
func TestConnectionsOfASourceAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, refused := refusals()
		cfg.MaxSource = 5
		p := newPair(t, cfg, pipe.Options{})
		for range 9 {
			_, far := p.silent(net.IPv4(192, 0, 2, 1))
			defer far.Close()
		}
		synctest.Wait()
		if n := countOf(refused); fmt.Sprint(n) != "map[shed:4]" {
			t.Errorf("refused: %v", n)
		}
		if n := len(p.server.group.sources); n != 1 {
			t.Errorf("%d sources", n)
		}
		p.close()
		if n := len(p.server.group.sources); n != 0 {
			t.Errorf("%d sources after the end", n)
		}
	})
}

// many connects a switch of many ports that says all of them, and lives.
func (p *pair) many(id uint64, ports int) *bomber {
	near, far := pipe.New(p.options)
	if _, err := p.server.ServeConn(&from{near, net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: int(id)}}); err != nil {
		p.t.Fatal(err)
	}
	b := &bomber{t: p.t, conn: far, id: id, ports: ports, done: make(chan struct{})}
	go b.run(0)
	synctest.Wait()
	return b
}

// TestPortsOfStrangers: switches of which nothing is known get in with very many ports a few at a
// time, until they are known; others are not held up, and those connected stay.
func TestPortsOfStrangers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, refused := refusals()
		cfg.NewSwitch = func(id uint64) bool { return id >= 100 }
		cfg.MaxHeld = 2 * 2000 * heldPort // room for 2,000 ports
		p := newPair(t, cfg, pipe.Options{})
		var all []*bomber
		add := func(id uint64, ports int, in bool) *bomber {
			t.Helper()
			b := p.many(id, ports)
			all = append(all, b)
			if got := p.server.Session(id) != nil; got != in {
				t.Fatalf("switch %d with %d ports is in: %t", id, ports, got)
			}
			return b
		}
		add(100, FreePorts+900, true)
		short := add(101, FreePorts+900, true)
		add(102, FreePorts+900, false)
		if n := countOf(refused); fmt.Sprint(n) != "map[new_ports:1]" {
			t.Errorf("refused: %v", n)
		}
		add(103, FreePorts, true)     // few ports
		add(5, FreePorts+3000, true)  // known
		add(104, FreePorts+200, true) // what is left
		if held := p.server.Held(); held != 2000*heldPort {
			t.Errorf("%d bytes are held", held)
		}
		short.conn.Close() // what it held is free
		synctest.Wait()
		add(105, FreePorts+900, true)
		add(106, FreePorts+1, false)
		time.Sleep(NewSwitchTime + DefaultEchoInterval)
		synctest.Wait()
		if held := p.server.Held(); held != 0 {
			t.Errorf("%d bytes are held of switches that are known", held)
		}
		add(107, FreePorts+6000, true) // alone, one of more than there is room for gets in
		add(108, FreePorts+1, false)
		for _, id := range []uint64{100, 5, 103, 104, 105} {
			if p.server.Session(id) == nil {
				t.Errorf("switch %d was ended", id)
			}
		}
		for _, b := range all {
			b.conn.Close()
			<-b.done
		}
		p.close()
		if held := p.server.Held(); held != 0 || p.server.group.ports != 0 {
			t.Errorf("%d bytes are held of nobody, %d for ports", held, p.server.group.ports)
		}
	})
}
