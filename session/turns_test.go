package session

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session/pipe"
)

// taker is a datapath whose turns are two messages long, and begin when they are allowed.
type taker struct {
	datapath
	allowed chan bool
	had     int // messages of the turn
}

func (d *taker) BeginTurn() bool {
	ok := <-d.allowed
	d.note("begin %t", ok)
	d.had = 0
	return ok
}

func (d *taker) TurnOver() bool {
	d.had++
	return d.had == 2
}

func (d *taker) NextTurn() bool {
	d.EndTurn()
	return d.BeginTurn()
}

func (d *taker) EndTurn() { d.note("end") }

func (d *taker) BatchEnd(*Session) { d.note("batch end") }

// TestTurns: messages are handed over in turns, at the end of each of which the batch ends; while a session waits for its turn
// what others send leaves it; where there is no turn nothing is handed over.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, Config{EchoInterval: -1}, pipe.Options{})
		d := &taker{datapath: datapath{id: 1}, allowed: make(chan bool, 100)}
		for range cap(d.allowed) {
			d.allowed <- true
		}
		a, b := pipe.New(p.options)
		p.server.ServeConn(a)
		sw, _ := p.dialer.ServeConn(b, &Roles{}, d)
		time.Sleep(time.Millisecond)
		synctest.Wait()
		for len(d.allowed) > 0 {
			<-d.allowed
		}
		d.notes()
		p.handler.notes()

		ctl := p.handler.last()
		mods := func(cookies ...uint64) (list []openflow.Message) {
			for _, cookie := range cookies {
				list = append(list, &openflow.FlowMod{Cookie: cookie, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny})
			}
			return list
		}
		ctl.Send(mods(1, 2, 3)...)
		sw.Send(&openflow.PacketIn{Buffer: 7, Data: make([]byte, 14)})
		synctest.Wait()
		expect(t, d.notes())
		expect(t, p.handler.notes(), "packet_in 7") // though it has not had its turn
		d.allowed <- true
		synctest.Wait()
		expect(t, d.notes(), "begin true", "flow_mod 0x1", "flow_mod 0x2", "batch end", "end")
		sw.Send(&openflow.PacketIn{Buffer: 8, Data: make([]byte, 14)})
		synctest.Wait()
		expect(t, p.handler.notes(), "packet_in 8")
		d.allowed <- true
		synctest.Wait()
		expect(t, d.notes(), "begin true", "flow_mod 0x3", "batch end", "end")

		ctl.Send(mods(4)...)
		synctest.Wait()
		sw.Close(nil)
		d.allowed <- false
		synctest.Wait()
		time.Sleep(time.Second)
		if log := d.notes(); len(log) == 0 || log[0] != "begin false" || log[len(log)-1][:12] != "disconnected" || len(log) > 3 {
			t.Errorf("without a turn: %q", log)
		}
		p.close()
	})
}
