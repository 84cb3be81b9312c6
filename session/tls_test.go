package session

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/cert"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session/pipe"
)

// keys are the TLS of both ends, of one authority.
type keys struct{ server, client *tls.Config }

func newKeys(t testing.TB) keys {
	t.Helper()
	now := time.Now()
	a, _, err := cert.New("test", now, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(a.Cert)
	pair := func(p cert.Pair, err error) []tls.Certificate {
		if err != nil {
			t.Fatal(err)
		}
		c, err := tls.X509KeyPair(p.Cert, p.Key)
		if err != nil {
			t.Fatal(err)
		}
		return []tls.Certificate{c}
	}
	return keys{
		server: &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool,
			Certificates: pair(a.Instance("weir", []string{"weir"}, now, time.Hour))},
		client: &tls.Config{RootCAs: pool, ServerName: "weir", Certificates: pair(a.Switch([]uint64{1}, now, time.Hour))},
	}
}

// secured is a pair whose ends speak TLS.
func secured(t *testing.T, k keys, cfg Config, o pipe.Options) *pair {
	p := &pair{t: t, handler: &controller{}, options: o}
	cfg.TLS = k.server
	p.server = NewServer(cfg, p.handler)
	cfg.TLS = k.client
	p.dialer = NewDialer(cfg)
	return p
}

// TestSessionsOverTLS: what was sent arrives, in order, also through a connection that takes little
// at a time; deadlines that pass meanwhile lose nothing.
func TestSessionsOverTLS(t *testing.T) {
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		synctest.Test(t, func(t *testing.T) {
			k := newKeys(t)
			k.client.MaxVersion = version
			var admitted *tls.ConnectionState
			cfg := Config{EchoInterval: 300 * time.Millisecond,
				Admit: func(_ uint64, _ net.Addr, state *tls.ConnectionState) error {
					admitted = state
					return nil
				}}
			p := secured(t, k, cfg, pipe.Options{Buffer: 3000, Delay: 7 * time.Millisecond})
			next := uint64(0)
			d := &datapath{id: 1}
			d.flowMod = func(_ *Session, _ openflow.Header, fm *openflow.FlowMod) {
				if fm.Cookie != next {
					t.Fatalf("flow-mod %d, want %d", fm.Cookie, next)
				}
				next++
			}
			sw, ctl, _ := p.connect(d)
			if admitted == nil || admitted.Version != version || len(admitted.PeerCertificates) != 1 {
				t.Fatalf("admitted with %+v", admitted)
			}
			const n = 3000
			packets := 0
			p.handler.packetIn = func(*Session, openflow.Header, *openflow.PacketIn) { packets++ }
			for i := range uint64(n) {
				ctl.Send(&openflow.FlowMod{Cookie: i, Buffer: openflow.NoBuffer})
				sw.Send(&openflow.PacketIn{InPort: 1, Data: make([]byte, 200)})
			}
			time.Sleep(20 * time.Second)
			synctest.Wait()
			if next != n || packets != n || ctl.Queue() != 0 || sw.Queue() != 0 || ctl.RoundTrip() == 0 {
				t.Errorf("%d flow-mods, %d packet-ins of %d, %d and %d bytes queued", next, packets, n, ctl.Queue(), sw.Queue())
			}
			p.close()
			expect(t, d.notes(), "connected 1.3", was+"shut down here")
		})
	}
}

// TestAnswersThatWaitLeaveOnceOverTLS has the reader write to a switch that takes nothing for a
// while: what was encrypted for the first try is not encrypted again.
func TestAnswersThatWaitLeaveOnceOverTLS(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := secured(t, newKeys(t), Config{}, pipe.Options{Buffer: 3000})
		p.handler.packetIn = func(s *Session, _ openflow.Header, pin *openflow.PacketIn) {
			s.Send(&openflow.PacketOut{Buffer: pin.Buffer, InPort: 1, Data: make([]byte, 2000)})
		}
		d := &datapath{id: 1}
		sw, _, conn := p.connect(d)
		d.notes()
		conn.HoldInput(true)
		var want []string
		for n := range uint32(20) {
			sw.Send(&openflow.PacketIn{Buffer: n, InPort: 1, Data: make([]byte, 20)})
			synctest.Wait()
			want = append(want, "packet_out "+strconv.Itoa(int(n)))
		}
		conn.HoldInput(false)
		synctest.Wait()
		expect(t, d.notes(), want...)
		p.close()
	})
}

// TestOrderIsKeptOverTLS has several goroutines and the handler send at once.
func TestOrderIsKeptOverTLS(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		orderOf(t, secured(t, newKeys(t), Config{}, pipe.Options{Buffer: 3000}), false)
	})
}

// TestTLSHandshakesThatFail: silence, no TLS, no certificate, another authority, an expired
// certificate; each is told with its reason, and none holds up another.
func TestTLSHandshakesThatFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeys(t)
		cfg, refused := refusals()
		p := secured(t, k, cfg, pipe.Options{})
		a, silent := pipe.New(p.options)
		start := time.Now()
		p.server.ServeConn(a)
		try := func(c *tls.Config) {
			a, b := pipe.New(p.options)
			p.server.ServeConn(a)
			d := NewDialer(Config{TLS: c})
			d.ServeConn(b, &Roles{}, &datapath{id: 1})
			synctest.Wait()
			d.Close(context.Background())
		}
		none := k.client.Clone()
		none.Certificates = nil
		other := newKeys(t).client
		other.RootCAs = k.client.RootCAs
		for want, c := range map[string]*tls.Config{"version": nil, "tls": none, "certificate": other} {
			if want == "version" {
				want = "tls"
			}
			try(c)
			if r := <-refused; Reason(r.Err) != want || !errors.Is(r.Err, ErrTLS) {
				t.Errorf("%v: %s, want %s", r.Err, Reason(r.Err), want)
			}
		}
		k.server.Time = func() time.Time { return time.Now().Add(2 * time.Hour) }
		try(k.client)
		if r := <-refused; Reason(r.Err) != "certificate" && Reason(r.Err) != "tls" {
			t.Errorf("expired: %v", r.Err)
		}
		k.server.Time = nil
		_, ctl, _ := p.connect(&datapath{id: 1})
		if ctl == nil || time.Since(start) > DefaultHandshakeTimeout/2 {
			t.Fatalf("a good switch did not connect beside them: %v", ctl)
		}
		if r := <-refused; !errors.Is(r.Err, ErrHandshake) || time.Since(start) > DefaultHandshakeTimeout+tickInterval {
			t.Errorf("silence: %v after %v", r.Err, time.Since(start))
		}
		silent.Close()
		p.close()
	})
}

// TestHalfOpenTLSIsShed in the middle of its handshake, and ends at once.
func TestHalfOpenTLSIsShed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, refused := refusals()
		cfg.MaxHalfOpen = 2
		p := secured(t, newKeys(t), cfg, pipe.Options{})
		for range 5 {
			_, far := p.silent(net.IPv4(192, 0, 2, 1))
			far.Write([]byte{22, 3, 1, 0, 99})
			defer far.Close()
		}
		synctest.Wait()
		if n := countOf(refused); n["shed"] != 3 || len(n) != 1 {
			t.Errorf("refused: %v", n)
		}
		if err := p.server.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if n := countOf(refused); n["shutdown"] != 2 || len(n) != 1 {
			t.Errorf("refused: %v", n)
		}
		p.close()
	})
}

// stuck has one switch send and take nothing, beside one that is well.
func stuck(t *testing.T, secure bool) {
	cfg := Config{MaxQueue: 64 << 10, HighWater: 16 << 10}
	o := pipe.Options{Buffer: 4096}
	p := newPair(t, cfg, o)
	if secure {
		p = secured(t, newKeys(t), cfg, o)
	}
	mute := p.dialer.cfg
	mute.EchoInterval = -1 // or the switch, which hears nothing, would end it
	p.dialer = NewDialer(mute)
	p.handler.packetIn = func(s *Session, _ openflow.Header, pin *openflow.PacketIn) {
		s.Send(&openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: 1, Data: pin.Data})
	}
	bad, good := &datapath{id: 1}, &datapath{id: 2}
	swBad, ctl, conn := p.connect(bad)
	swGood, _, _ := p.connect(good)
	good.notes()
	p.handler.notes()
	conn.HoldInput(true) // it reads nothing, and sends a packet-in every 50 ms
	end := make(chan struct{})
	go func() {
		defer close(end)
		for {
			if _, err := swBad.Send(&openflow.PacketIn{InPort: 1, Data: make([]byte, 1000)}); err != nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	}()
	start, answered := time.Now(), 0
	for time.Since(start) < 30*time.Second {
		if n := ctl.Queue(); n > cfg.MaxQueue+queueReserve {
			t.Errorf("%d bytes queued", n)
		}
		swGood.Send(&openflow.PacketIn{InPort: 1, Data: make([]byte, 20)})
		synctest.Wait()
		answered += len(good.notes())
		select {
		case <-ctl.Done():
			took := time.Since(start)
			if took < 3*DefaultEchoInterval || took > 5*DefaultEchoInterval {
				t.Errorf("ended after %v", took)
			}
			start = time.Time{}
		default:
			time.Sleep(100 * time.Millisecond)
		}
	}
	expect(t, p.handler.notes(), was+"peer takes nothing of what is sent to it")
	if answered < 150 {
		t.Errorf("the other switch got %d answers", answered)
	}
	conn.HoldInput(false)
	<-end
	p.close()
}

// TestErrorsNobodyWaitsForCostNoPeerError counts allocations of an error that answers no request.
func TestErrorsNobodyWaitsForCostNoPeerError(t *testing.T) {
	cfg := Config{}.withDefaults()
	c := NewCore(ControllerEnd, &cfg, nil)
	c.out.version, c.state = openflow.V13, stateReady
	frame, err := openflow.Append(nil, openflow.V13, 9,
		&openflow.ErrorMsg{Code: openflow.BadRequestBadLen, Data: make([]byte, 64)})
	if err != nil {
		t.Fatal(err)
	}
	h, m, err := openflow.Parse(frame)
	if err != nil {
		t.Fatal(err)
	}
	e := m.(*openflow.ErrorMsg)
	if n := testing.AllocsPerRun(100, func() { c.out.begin(); c.takeError(h, e) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if len(c.out.events) != 1 {
		t.Errorf("%d events", len(c.out.events))
	}
}
