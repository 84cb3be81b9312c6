package session

import (
	"context"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
)

// echoing answers each packet-in with a packet-out, and tells of switches that connected.
type echoing struct {
	controller
	ready chan uint64
}

func (e *echoing) Connected(s *Session) { e.ready <- s.Features().Datapath }

func (e *echoing) PacketIn(s *Session, _ openflow.Header, pin *openflow.PacketIn) {
	// refused where the switch is stuck
	_, _ = s.Send(&openflow.PacketOut{Buffer: pin.Buffer, InPort: pin.InPort, Data: pin.Data})
}

func (e *echoing) Disconnected(*Session, error) {}

// asking is a switch that has one packet-in under way at a time, and takes the times until its
// answers.
type asking struct {
	datapath
	frame  []byte
	sent   time.Time
	run    atomic.Bool
	took   []time.Duration
	paused chan struct{} // a token when the last answer of a round has come
}

func (a *asking) Connected(*Session) {}

func (a *asking) Frame(s *Session, h openflow.Header, _ []byte) bool {
	if h.Type != openflow.TypePacketOut {
		return false
	}
	a.took = append(a.took, time.Since(a.sent))
	if a.run.Load() {
		a.ask(s)
	} else {
		a.paused <- struct{}{}
	}
	return true
}

func (a *asking) ask(s *Session) {
	a.sent = time.Now()
	if err := s.SendBytes(a.frame); err != nil {
		panic(err)
	}
}

func (a *asking) Disconnected(*Session, error) {}

// deaf is a connection that reads nothing any more once it is told.
type deaf struct {
	net.Conn
	from atomic.Bool
	end  chan struct{}
}

func (d *deaf) Read(p []byte) (int, error) {
	if d.from.Load() {
		<-d.end
		return 0, net.ErrClosed
	}
	return d.Conn.Read(p)
}

// stuckSwitch connects a switch that then reads nothing, and sends packet-ins as fast as they are
// taken until end is called; or, if it is not to be stuck, does nothing.
func stuckSwitch(b *testing.B, address string, ready chan uint64, stuck bool) (end func()) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		b.Fatal(err)
	}
	d := &deaf{Conn: conn, end: make(chan struct{})}
	dialer := NewDialer(Config{EchoInterval: -1})
	if _, err := dialer.ServeConn(d, &Roles{}, &datapath{id: 99}); err != nil {
		b.Fatal(err)
	}
	<-ready
	if !stuck {
		return func() {
			close(d.end)
			dialer.Close(context.Background())
		}
	}
	d.from.Store(true)
	frames := packetIns(openflow.V13, 64)
	var sending sync.WaitGroup
	sending.Go(func() {
		for {
			if _, err := conn.Write(frames); err != nil {
				return
			}
		}
	})
	return func() {
		conn.Close()
		close(d.end)
		sending.Wait()
		dialer.Close(context.Background())
	}
}

// BenchmarkBesideStuck tells how long answers take to four switches, alone and beside one that
// sends and reads nothing: an iteration is half a second of each, in turn. The median of the ratios
// of their 99th percentiles is to be at most 1.1. Beside an idle switch instead it tells what the
// machine's own unrest makes of it.
func BenchmarkBesideStuck(b *testing.B) {
	b.Run("idle", func(b *testing.B) { beside(b, false) })
	b.Run("stuck", func(b *testing.B) { beside(b, true) })
}

func beside(b *testing.B, stuck bool) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	h := &echoing{ready: make(chan uint64, 8)}
	server := NewServer(Config{}, h)
	defer server.Close(context.Background())
	go server.Serve(ln)
	dialer := NewDialer(Config{})
	defer dialer.Close(context.Background())
	switches := make([]*asking, 4)
	sessions := make([]*Session, len(switches))
	for i := range switches {
		switches[i] = &asking{datapath: datapath{id: uint64(i + 1)}, frame: packetIns(openflow.V13, 1),
			paused: make(chan struct{}, 1)}
		if sessions[i], err = dialer.Dial(context.Background(), ln.Addr().String(), &Roles{}, switches[i]); err != nil {
			b.Fatal(err)
		}
		<-h.ready
	}
	round := func() (p50, p99 float64) {
		for i, a := range switches {
			a.took = a.took[:0]
			a.run.Store(true)
			a.ask(sessions[i])
		}
		time.Sleep(500 * time.Millisecond)
		var all []time.Duration
		for _, a := range switches {
			a.run.Store(false)
			<-a.paused
			all = append(all, a.took...)
		}
		slices.Sort(all)
		return float64(all[len(all)/2].Nanoseconds()) / 1000, float64(all[len(all)*99/100].Nanoseconds()) / 1000
	}
	var alone50, alone99, beside50, beside99 []float64
	for range b.N {
		x, y := round()
		alone50, alone99 = append(alone50, x), append(alone99, y)
		end := stuckSwitch(b, ln.Addr().String(), h.ready, stuck)
		for stuck && server.Session(99).Queue() <= DefaultHighWater {
			time.Sleep(time.Millisecond)
		}
		x, y = round()
		beside50, beside99 = append(beside50, x), append(beside99, y)
		end()
		for server.Session(99) != nil {
			time.Sleep(time.Millisecond)
		}
	}
	ratios := make([]float64, b.N) // of each iteration: the machine is not the same for all of them
	for i := range ratios {
		ratios[i] = beside99[i] / alone99[i]
	}
	b.ReportMetric(middle(ratios), "p99-ratio")
	b.ReportMetric(middle(alone50), "µs-p50-alone")
	b.ReportMetric(middle(beside50), "µs-p50-beside")
	b.ReportMetric(middle(alone99), "µs-p99-alone")
	b.ReportMetric(middle(beside99), "µs-p99-beside")
}

func middle(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
