package streams

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/cluster/liveness"
	"github.com/weirnet/weir/session/pipe"
)

const ms = time.Millisecond

// Kinds of the tests.
const (
	kindNote = 1
	kindAsk  = 2
	kindBulk = 3
)

// world is a cluster of instances in one process, with wires between them that can be cut. It runs under synctest.
type world struct {
	t     *testing.T
	nodes map[ID]*node

	mu    sync.Mutex
	doors map[string]*door // by address
	wires []*wire
	cuts  map[[2]ID]bool // from, to: nothing that is sent arrives
	delay time.Duration
	queue int // of bulk; 0: the default
}

// wire is a connection between two instances: the end of the one that called.
type wire struct {
	from, to ID
	*pipe.Conn
}

// node is an instance.
type node struct {
	*Streams
	w       *world
	id      ID
	life    uint64
	door    *door
	server  *http.Server
	changes int

	mu     sync.Mutex
	notes  map[ID][]string
	bulk   map[ID][]string // what its Receiver was told
	answer func(ctx context.Context, from ID, payload []byte) ([]byte, error)
	take   func(from ID, payload []byte) error // before a part of bulk is taken; nil: nothing
}

// door is a net.Listener.
type door struct {
	id    ID
	calls chan net.Conn
	shut  chan struct{}
	once  sync.Once
}

func (d *door) Accept() (net.Conn, error) {
	select {
	case c := <-d.calls:
		return c, nil
	case <-d.shut:
		return nil, net.ErrClosed
	}
}
func (d *door) Close() error   { d.once.Do(func() { close(d.shut) }); return nil }
func (d *door) Addr() net.Addr { return pipe.Addr("door") }

func newWorld(t *testing.T, instances int, change ...func(*world)) *world {
	w := &world{t: t, nodes: map[ID]*node{}, doors: map[string]*door{}, cuts: map[[2]ID]bool{}}
	for _, f := range change {
		f(w)
	}
	for id := range ID(instances) {
		w.start(id+1, 100)
	}
	t.Cleanup(w.close)
	return w
}

func (w *world) close() {
	for _, n := range w.nodes {
		n.stop()
	}
}

// peers are all instances.
func (w *world) peers() (list []Peer) {
	for id := range w.nodes {
		list = append(list, w.peer(id))
	}
	return list
}

func (w *world) peer(id ID) Peer { return Peer{ID: id, Name: fmt.Sprint("weir-", id), Addr: addr(id)} }

func addr(id ID) string { return fmt.Sprintf("192.0.2.%d:2380", id) }

// start starts an instance, with all that are there as peers, and tells them.
func (w *world) start(id ID, life uint64, change ...func(*Config)) *node {
	n := &node{w: w, id: id, life: life, door: &door{id: id, calls: make(chan net.Conn, 64), shut: make(chan struct{})},
		notes: map[ID][]string{}, bulk: map[ID][]string{}}
	cfg := Config{Cluster: 0xc1, Self: liveness.Life{ID: id, Incarnation: life}, Name: fmt.Sprint("weir-", id),
		Dial: func(ctx context.Context, to string) (net.Conn, error) { return w.dial(ctx, id, to) },
		Kinds: []Kind{{Number: kindNote, Name: "notes", Message: n.note},
			{Number: kindAsk, Name: "requests", Request: n.request},
			{Number: kindBulk, Name: "bulk", Queue: w.queue, Bulk: &Receiver{Began: n.began, Take: n.part, Ended: n.ended}}},
		Changed: func() { n.mu.Lock(); n.changes++; n.mu.Unlock() },
	}
	if os.Getenv("STREAMS_LOG") != "" {
		cfg.Log = slog.New(slog.NewTextHandler(os.Stderr, nil)).With("at", id)
	}
	for _, f := range change {
		f(&cfg)
	}
	s, err := Start(cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	n.Streams = s
	mux := http.NewServeMux()
	mux.Handle(Path, s.Handler())
	n.server = &http.Server{Handler: mux}
	go n.server.Serve(n.door)
	w.mu.Lock()
	w.doors[addr(id)] = n.door
	w.mu.Unlock()
	w.nodes[id] = n
	for _, m := range w.nodes {
		m.SetPeers(w.peers())
	}
	return n
}

// stop ends an instance, as an end of its process does.
func (n *node) stop() {
	n.w.mu.Lock()
	if n.w.doors[addr(n.id)] == n.door {
		delete(n.w.doors, addr(n.id))
	}
	n.w.mu.Unlock()
	n.Streams.Close()
	n.server.Close()
	delete(n.w.nodes, n.id)
}

func (w *world) dial(ctx context.Context, from ID, to string) (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	there := w.doors[to]
	if there == nil {
		return nil, errors.New("connection refused")
	}
	if w.cuts[[2]ID{from, there.id}] || w.cuts[[2]ID{there.id, from}] {
		w.mu.Unlock()
		<-ctx.Done()
		w.mu.Lock()
		return nil, ctx.Err()
	}
	near, far := pipe.New(pipe.Options{Delay: w.delay * time.Duration(len(w.wires)%4)}) // each lane has its own
	w.wires = append(w.wires, &wire{from, there.id, near})
	there.calls <- far
	return near, nil
}

// cut has nothing of what one sends arrive at the other, on wires that there are and on new ones, or ends that. What was
// sent meanwhile arrives then, as TCP has it.
func (w *world) cut(from, to ID, on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cuts[[2]ID{from, to}] = on
	for _, c := range w.wires {
		if c.from == from && c.to == to {
			c.HoldOutput(on)
		}
		if c.from == to && c.to == from {
			c.HoldInput(on)
		}
	}
}

func (w *world) cutBoth(a, b ID, on bool) { w.cut(a, b, on); w.cut(b, a, on) }

// reset breaks all connections between two.
func (w *world) reset(a, b ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.wires {
		if c.from == a && c.to == b || c.from == b && c.to == a {
			c.Cut()
		}
	}
}

func (n *node) note(from ID, payload []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.notes[from] = append(n.notes[from], string(payload))
}

func (n *node) request(ctx context.Context, from ID, payload []byte) ([]byte, error) {
	n.mu.Lock()
	answer := n.answer
	n.mu.Unlock()
	return answer(ctx, from, payload)
}

func (n *node) told(from ID, what string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.bulk[from] = append(n.bulk[from], what)
}

func (n *node) began(from ID) { n.told(from, "began") }

func (n *node) part(from ID, payload []byte) error {
	n.mu.Lock()
	take := n.take
	n.mu.Unlock()
	if take != nil {
		if err := take(from, payload); err != nil {
			return err
		}
	}
	n.told(from, string(payload))
	return nil
}

func (n *node) ended(from ID, err error) { n.told(from, fmt.Sprint("ended: ", err)) }

// received is a copy of what its Receiver was told of one sender.
func (n *node) received(from ID) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.bulk[from])
}

// heard are those that an instance hears.
func (n *node) heard() (list []ID) {
	for id := ID(1); id < 10; id++ {
		if id != n.id && n.Heard(id) {
			list = append(list, id)
		}
	}
	return list
}

func newReader(c net.Conn) *bufio.Reader { return bufio.NewReader(c) }
