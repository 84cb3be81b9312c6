package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session/pipe"
)

func TestAPartitionedPeerIsDeadAfterThreeEchoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, Config{}, pipe.Options{Delay: 2 * time.Millisecond})
		d := &datapath{id: 1}
		_, ctl, conn := p.connect(d)
		time.Sleep(6 * time.Second)
		if trip := ctl.RoundTrip(); trip != 4*time.Millisecond {
			t.Errorf("round trip %v", trip)
		}
		p.handler.notes()
		start := time.Now()
		conn.Partition(true)
		<-ctl.Done()
		if took := time.Since(start); took < 15*time.Second || took > 21*time.Second {
			t.Errorf("dead after %v", took)
		}
		expect(t, p.handler.notes(), "disconnected: session closed: peer does not answer echo requests")
		p.close()
	})
}

func TestACutAnswersOpenRequestsBeforeDisconnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, Config{}, pipe.Options{})
		d := &datapath{id: 1}
		sw, ctl, conn := p.connect(d)
		conn.HoldOutput(true)
		p.handler.notes()
		for range 2 {
			ctl.Barrier(func(err error) { p.handler.note("barrier: %v", errors.Is(err, ErrClosed)) })
		}
		conn.Cut()
		<-ctl.Done()
		<-sw.Done()
		expect(t, p.handler.notes(), "barrier: true", "barrier: true", "disconnected: session closed: connection reset by peer")
		if _, err := ctl.Send(&openflow.BarrierRequest{}); !errors.Is(err, ErrClosed) {
			t.Errorf("Send after the end: %v", err)
		}
		if err := ctl.Barrier(nil); !errors.Is(err, ErrClosed) {
			t.Errorf("Barrier after the end: %v", err)
		}
		p.close()
	})
}

func TestARequestTimesOutOnTheReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, Config{EchoInterval: -1, RequestTimeout: time.Second}, pipe.Options{})
		_, ctl, conn := p.connect(&datapath{id: 1})
		conn.HoldOutput(true)
		start := time.Now()
		_, err := ctl.RequestContext(context.Background(), &openflow.GetConfigRequest{})
		if took := time.Since(start); err != ErrTimeout || took > time.Second+tickInterval {
			t.Errorf("%v after %v", err, took)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		if _, err := ctl.RequestContext(ctx, &openflow.GetConfigRequest{}); err != context.DeadlineExceeded {
			t.Errorf("context: %v", err)
		}
		if n := len(ctl.protocol.core.requests.open); n != 0 {
			t.Errorf("%d requests left open", n)
		}
		p.close()
	})
}

func TestConnectionsThatDoNotConnectAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := make(chan error, 9)
		cfg := Config{Refused: func(r Refusal) { refused <- r.Err }}
		p := newPair(t, cfg, pipe.Options{})
		silent, a := pipe.New(p.options)
		p.server.ServeConn(a)
		wrong, b := pipe.New(p.options)
		p.server.ServeConn(b)
		wrong.Write([]byte("GET / HTTP/1.1\r\n\r\n"))
		if err := <-refused; !errors.Is(err, ErrClosed) || !errors.Is(err, ErrVersions) {
			t.Errorf("HTTP: %v", err)
		}
		start := time.Now()
		if err := <-refused; !errors.Is(err, ErrHandshake) || time.Since(start) > DefaultHandshakeTimeout+tickInterval {
			t.Errorf("silence: %v after %v", err, time.Since(start))
		}
		for _, conn := range []*pipe.Conn{silent, wrong} {
			conn.Close()
		}
		p.close()
		expect(t, p.handler.notes())
	})
}

func TestMalformedBytesDisturbNoOtherSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, Config{}, pipe.Options{})
		good := &datapath{id: 1}
		sw, ctl, _ := p.connect(good)
		bad := &datapath{id: 2}
		victim, other, conn := p.connect(bad)
		p.handler.notes()
		frames := packetIns(openflow.V13, 1)
		for at := range frames {
			for _, x := range []byte{0, 1, 7, 8, 0xff} {
				mutated := append([]byte(nil), frames...)
				mutated[at] = x
				mutated[0] = byte(openflow.V13)
				if int(mutated[2])<<8|int(mutated[3]) != len(mutated) {
					continue // would only take in the messages after it
				}
				conn.Write(mutated)
			}
		}
		synctest.Wait()
		if st := other.Stats(); st.Refused == 0 || st.In[openflow.TypePacketIn] == 0 {
			t.Errorf("stats of the mutated session: %+v", st)
		}
		conn.Write([]byte{4, 10, 0, 3, 0, 0, 0, 0})
		<-other.Done()
		<-victim.Done()
		p.handler.notes()
		sw.Send(&openflow.PacketIn{Buffer: 5, InPort: 1, Data: make([]byte, 14)})
		ctl.Barrier(func(err error) { p.handler.note("barrier %v", err) })
		synctest.Wait()
		expect(t, p.handler.notes(), "packet_in 5", "barrier <nil>")
		if notes := strings.Join(good.notes(), " "); notes != "connected 1.3" {
			t.Errorf("the other switch: %s", notes)
		}
		p.close()
	})
}

func TestCloseCutsAPeerThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, Config{}, pipe.Options{Buffer: 4096})
		_, ctl, conn := p.connect(&datapath{id: 1})
		conn.SetReadDeadline(pastDeadline)
		synctest.Wait()
		blockReader(conn)
		for ctl.Queue() < 8192 {
			ctl.Send(&openflow.EchoRequest{Data: make([]byte, 1000)})
			synctest.Wait()
		}
		start := time.Now()
		p.server.Close(context.Background())
		if took := time.Since(start); took > 2*lingerLimit {
			t.Errorf("closed after %v", took)
		}
		conn.HoldOutput(false)
		p.close()
	})
}

// blockReader makes nothing arrive at an end of a connection any more.
func blockReader(conn *pipe.Conn) { conn.HoldInput(true) }

// wideSwitch has more ports than one message of OpenFlow 1.0 can describe.
type wideSwitch struct{ *datapath }

func (wideSwitch) Features(*Session) openflow.FeaturesReply {
	return openflow.FeaturesReply{DatapathID: 1, Ports: make([]openflow.Port, 1400)}
}

// TestASwitchThatCannotDescribeItselfEnds: it says why, and does not leave the controller to wait for the handshake.
func TestASwitchThatCannotDescribeItselfEnds(t *testing.T) {
	for v, want := range map[openflow.Version]string{openflow.V10: "features cannot be sent", openflow.V13: ""} {
		synctest.Test(t, func(t *testing.T) {
			p := newPair(t, Config{Versions: []openflow.Version{v}}, pipe.Options{})
			a, b := pipe.New(p.options)
			if _, err := p.server.ServeConn(a); err != nil {
				t.Fatal(err)
			}
			d := wideSwitch{&datapath{id: 1}}
			s, err := p.dialer.ServeConn(b, &Roles{}, d)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			synctest.Wait()
			select {
			case <-s.Done():
				if notes := fmt.Sprint(d.notes()); want == "" || !strings.Contains(notes, want) {
					t.Errorf("%v: %s", v, notes)
				}
			default:
				if want != "" {
					t.Errorf("%v: the session goes on", v)
				}
			}
			p.close()
		})
	}
}
