package emu

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// null is a controller that does nothing.
type null struct{}

func (null) Connected(*session.Session)                                     {}
func (null) PacketIn(*session.Session, openflow.Header, *openflow.PacketIn) {}
func (null) BatchEnd(*session.Session)                                      {}
func (null) Message(*session.Session, openflow.Header, openflow.Message)    {}
func (null) Disconnected(*session.Session, error)                           {}

// BenchmarkConnect measures the time from New until all switches of a mesh are connected to a
// controller that does nothing, after the whole handshake at the controller: the figure P13. One
// iteration is one network.
func BenchmarkConnect(b *testing.B) {
	for _, size := range []int{206, 1000, 10000} {
		for _, how := range []string{"pipe", "tcp"} {
			if how == "tcp" && size > 9000 {
				continue // both ends of a connection are files of this process
			}
			b.Run(fmt.Sprintf("%s/switches=%d", how, size), func(b *testing.B) {
				for b.Loop() {
					connectNull(b, size, how == "tcp")
				}
			})
		}
	}
}

// counter is a null controller that counts.
type counter struct {
	null
	all  chan struct{}
	want int
	seen int
	lock chan struct{}
}

func (c *counter) Connected(*session.Session) {
	c.lock <- struct{}{}
	if c.seen++; c.seen == c.want {
		close(c.all)
	}
	<-c.lock
}

func connectNull(b *testing.B, size int, tcp bool) {
	h := &counter{all: make(chan struct{}), want: size, lock: make(chan struct{}, 1)}
	top := parse(b, fmt.Sprintf("linear:%d", size))
	if size < 5000 {
		top = parse(b, fmt.Sprintf("wan:%d", size))
	}
	cfg := Config{Topology: top, Controllers: []string{"c"}, Silent: true}
	server := session.NewServer(session.Config{MaxSessions: size + 1, MaxHalfOpen: size, MaxHalfOpenSource: size}, h)
	defer server.Close(context.Background())
	if tcp {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		if err := raiseFiles(2*size + 100); err != nil {
			b.Fatal(err)
		}
		go server.Serve(ln)
		cfg.Controllers = []string{ln.Addr().String()}
	} else {
		c := serve(b, h, session.Config{MaxSessions: size + 1, MaxHalfOpen: size, MaxHalfOpenSource: size})
		cfg.Dial = dialTo(map[string]*control{"c": c})
	}
	before := memory()
	begin := time.Now()
	n, err := New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	if err := n.Start(context.Background()); err != nil {
		b.Fatal(err)
	}
	select {
	case <-h.all:
	case <-time.After(2 * patience):
		b.Fatalf("%+v", n.Totals())
	}
	took := time.Since(begin)
	b.ReportMetric(took.Seconds(), "s/network")
	b.ReportMetric(float64(memory()-before)/float64(size)/1000, "KB/switch")
	b.StopTimer()
	closeNetwork(b, n)
	b.StartTimer()
}

// memory is what the heap and the stacks take after a collection, in bytes.
func memory() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}
