package session

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"testing"
	"testing/synctest"

	"github.com/weirnet/weir/internal/memnet"
	"github.com/weirnet/weir/openflow"
)

// bomber is a switch that answers the request for its ports with part after part, each of which says that there are more.
type bomber struct {
	t    *testing.T
	conn net.Conn
	id   uint64
	sent int
	done chan struct{}
}

// bomb connects one, and has it send parts until it is cut off or has sent so many.
func (p *pair) bomb(id uint64, parts int) *bomber {
	near, far := memnet.Pipe(p.options)
	if _, err := p.server.ServeConn(&from{near, net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: int(id)}}); err != nil {
		p.t.Fatal(err)
	}
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
	var header [openflow.HeaderLen]byte
	for {
		if _, err := io.ReadFull(b.conn, header[:]); err != nil {
			return
		}
		body := make([]byte, int(binary.BigEndian.Uint16(header[2:]))-len(header))
		if _, err := io.ReadFull(b.conn, body); err != nil {
			return
		}
		xid := binary.BigEndian.Uint32(header[4:])
		switch openflow.Type(header[1]) {
		case openflow.TypeFeaturesRequest:
			b.send(xid, &openflow.FeaturesReply{DatapathID: b.id})
		case openflow.TypeMultipartRequest:
			if binary.BigEndian.Uint16(body) != 13 { // OFPMP_PORT_DESC
				continue
			}
			more := &openflow.MultipartReply{Flags: openflow.MultipartMore, Body: &openflow.PortDescList{Ports: ports}}
			for b.sent < parts && b.send(xid, more) {
				b.sent++
			}
		}
	}
}

// TestHandshakesAreBoundedTogether: peers that answer the request for their ports with very many, and do not come to an end, cost
// what Config.MaxHeld says, all together. A switch with more ports than it may have is refused; a real one comes in beside them.
func TestHandshakesAreBoundedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, _ := refusals()
		refused := make(chan Refusal, 999)
		cfg.Refused = func(r Refusal) { refused <- r }
		cfg.MaxHeld, cfg.MaxPorts = 1<<20, 5000
		p := newPair(t, cfg, memnet.Options{})
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

// TestWhoHoldsMostIsEnded: where too much is held of all together, it is not the one that holds little who goes.
func TestWhoHoldsMostIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, _ := refusals()
		refused := make(chan Refusal, 99)
		cfg.Refused = func(r Refusal) { refused <- r }
		cfg.MaxHeld = 1 << 20
		p := newPair(t, cfg, memnet.Options{})
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

// TestMessagesOfAHandshakeAreHeldToo: a peer may say what it likes before it is connected; it counts as all else.
func TestMessagesOfAHandshakeAreHeldToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, _ := refusals()
		refused := make(chan Refusal, 999)
		cfg.Refused = func(r Refusal) { refused <- r }
		cfg.MaxHeld = 1 << 20
		p := newPair(t, cfg, memnet.Options{})
		for id := range 9 {
			near, far := memnet.Pipe(p.options)
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

// TestConnectionsOfASourceAreBounded: half-open ones of the source go first, then new ones are refused; others come in.
func TestConnectionsOfASourceAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, _ := refusals()
		refused := make(chan Refusal, 999)
		cfg.Refused = func(r Refusal) { refused <- r }
		cfg.MaxSource = 5
		p := newPair(t, cfg, memnet.Options{})
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
