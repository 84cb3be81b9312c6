package session

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/session/pipe"
)

// refusals is a Config that keeps what was refused in a channel.
func refusals() (Config, chan Refusal) {
	refused := make(chan Refusal, 999)
	return Config{Refused: func(r Refusal) { refused <- r }}, refused
}

const (
	was      = "disconnected: session closed: "
	replaced = was + "replaced by a newer connection of the same datapath id"
)

// TestASecondConnectionIsRefusedWhileTheFirstLives, with an error.
func TestASecondConnectionIsRefusedWhileTheFirstLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, refused := refusals()
		p := newPair(t, cfg, pipe.Options{Delay: time.Millisecond})
		real, spoof := &datapath{id: 5}, &datapath{id: 5}
		_, first, _ := p.connect(real)
		other, _, _ := p.connect(spoof)
		<-other.Done()
		r := <-refused
		if !errors.Is(r.Err, ErrInUse) || r.Datapath != 5 || !r.Identified || Reason(r.Err) != "datapath_in_use" {
			t.Errorf("refused: %+v", r)
		}
		expect(t, p.handler.notes(), "connected 0x5 1.3")
		expect(t, real.notes(), "connected 1.3")
		expect(t, spoof.notes(), "connected 1.3",
			"1.3 error xid=0x2 type=OFPET_BAD_REQUEST code=OFPBRC_EPERM data=0x646174617061746820696420696e20757365", was+"EOF")
		if p.server.Session(5) != first {
			t.Error("the session is not the first any more")
		}
		p.close()
	})
}

// TestASilentConnectionIsReplaced within little more than DuplicateTimeout, and the
// handler hears of its end before it hears of the new one.
func TestASilentConnectionIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, refused := refusals()
		p := newPair(t, cfg, pipe.Options{})
		_, first, conn := p.connect(&datapath{id: 5})
		conn.Partition(true)
		p.connect(&datapath{id: 5})
		start := time.Now()
		third, _, _ := p.connect(&datapath{id: 5}) // during the check: it is refused
		<-third.Done()
		if r := <-refused; !errors.Is(r.Err, ErrInUse) || time.Since(start) > 100*time.Millisecond {
			t.Errorf("a third connection: %+v after %v", r, time.Since(start))
		}
		<-first.Done()
		synctest.Wait()
		if took := time.Since(start); took > DuplicateTimeout+duplicateGrace+3*tickInterval {
			t.Errorf("replaced after %v", took)
		}
		expect(t, p.handler.notes(), "connected 0x5 1.3", replaced, "connected 0x5 1.3")
		if s := p.server.Session(5); s == first || s == nil {
			t.Error("the second is not the switch's session")
		}
		p.close()
		if p.server.Session(5) != nil || len(p.server.registered) != 0 {
			t.Error("a session is left after Close")
		}
	})
}

// TestAChallengerThatLeavesLeavesNothing: the first is silent and ends, and the next one finds the
// id free.
func TestAChallengerThatLeavesLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, Config{}, pipe.Options{})
		_, first, conn := p.connect(&datapath{id: 5})
		conn.Partition(true)
		second, _, _ := p.connect(&datapath{id: 5})
		second.Close(nil)
		<-first.Done()
		synctest.Wait()
		expect(t, p.handler.notes(), "connected 0x5 1.3", replaced)
		p.connect(&datapath{id: 5})
		expect(t, p.handler.notes(), "connected 0x5 1.3")
		p.close()
	})
}

// TestTheFirstEndsDuringItsChallenge: the second goes on at once.
func TestTheFirstEndsDuringItsChallenge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, Config{}, pipe.Options{})
		_, _, conn := p.connect(&datapath{id: 5})
		conn.Partition(true)
		p.connect(&datapath{id: 5})
		start := time.Now()
		conn.Cut()
		synctest.Wait()
		expect(t, p.handler.notes(), "connected 0x5 1.3", was+"connection reset by peer", "connected 0x5 1.3")
		if time.Since(start) != 0 {
			t.Errorf("the second waited %v more", time.Since(start))
		}
		p.close()
	})
}

// TestManyConnectionsOfOneSwitch come at once, some of them dead: one is the session at any time.
func TestManyConnectionsOfOneSwitch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, Config{}, pipe.Options{Delay: time.Millisecond})
		for n := range 50 {
			_, _, conn := p.connect(&datapath{id: 5})
			conn.Partition(n%3 == 0)
			time.Sleep(300 * time.Millisecond)
		}
		time.Sleep(3 * time.Second)
		open := 0
		for _, note := range p.handler.notes() {
			switch note {
			case "connected 0x5 1.3":
				open++
			default:
				open--
			}
			if open < 0 || open > 1 {
				t.Fatalf("%d sessions of one switch", open)
			}
		}
		if n := len(p.server.group.sessions); n > 2 {
			t.Errorf("%d connections are left", n)
		}
		p.close()
	})
}

func TestAdmission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, refused := refusals()
		unknown := errors.New("not in the list")
		cfg.Admit = func(id uint64, remote net.Addr, secure *tls.ConnectionState) error {
			if id != 1 || secure != nil || remote == nil {
				return fmt.Errorf("%d: %w", id, unknown)
			}
			return nil
		}
		p := newPair(t, cfg, pipe.Options{})
		p.connect(&datapath{id: 1})
		bad := &datapath{id: 2}
		p.connect(bad)
		r := <-refused
		if !errors.Is(r.Err, ErrNotAdmitted) || !errors.Is(r.Err, unknown) || r.Datapath != 2 || Reason(r.Err) != "not_admitted" {
			t.Errorf("refused: %+v", r)
		}
		expect(t, p.handler.notes(), "connected 0x1 1.3")
		if len(p.server.registered) != 1 {
			t.Errorf("%d datapath ids claimed", len(p.server.registered))
		}
		p.close()
	})
}
