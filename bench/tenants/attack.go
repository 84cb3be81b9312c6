package tenants

import (
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/openflow"
)

// Attack is one more tenant beside those that are measured: its controller sends entries, packets and requests in turn, and
// waits for nothing. What it gets it reads and forgets; a connection that the hypervisor has ended is left for the next one.
type Attack struct {
	c      *Config
	ln     net.Listener // of the controller
	sink   net.Listener // takes what is sent, and reads it only
	ready  chan net.Conn
	kinds  []*template // of messages, in their order
	mu     sync.Mutex  // guards what follows
	conns  []net.Conn  // of the hypervisor
	opened []net.Conn  // all
	// Of what is being sent.
	began   time.Time
	stop    chan struct{}
	running sync.WaitGroup
	sent    atomic.Uint64
}

// attackKinds are what an attack sends.
var attackKinds = []Kind{FlowMod, PacketOut, PortStats, Features, Echo}

// newAttack makes the messages of the tenant after those of a load.
func newAttack(c *Config) *Attack {
	a := &Attack{c: c, ready: make(chan net.Conn, c.Switches)}
	for _, k := range attackKinds {
		p := newRequest(k, c.Version, c.Tenants)
		if k == FlowMod { // without its barrier: a controller with thousands of these that wait is put out
			p.message, p.xids = p.message[:len(p.message)-openflow.HeaderLen], p.xids[:1]
		}
		a.kinds = append(a.kinds, p)
	}
	return a
}

// Address is where the controller listens.
func (a *Attack) Address() string { return a.ln.Addr().String() }

// opening notes a connection, to be closed at the end.
func (a *Attack) opening(conn net.Conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.opened = append(a.opened, conn)
}

// round appends the n-th message of each kind.
func (a *Attack) round(b []byte, n uint32) []byte {
	for _, p := range a.kinds {
		b = p.append(b, n, n)
	}
	return b
}

// handshake is what a controller begins with.
func (a *Attack) handshake() []byte {
	b := encode(nil, a.c.Version, &openflow.Hello{})
	return encode(b, a.c.Version, &openflow.FeaturesRequest{})
}
