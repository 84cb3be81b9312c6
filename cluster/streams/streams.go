package streams

import (
	"context"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/weirnet/weir/cert"
	"github.com/weirnet/weir/cluster/liveness"
)

// Streams are the connections of one instance to the others of its cluster, and what it knows of them. Its methods may
// be called by any goroutine, and do not wait, but for Ask and Close.
type Streams struct {
	cfg    Config
	own    identity
	kinds  map[uint16]*Kind // by number
	ctx    context.Context  // ends with Close
	cancel context.CancelFunc
	group  sync.WaitGroup
	bell   chan struct{} // holds one: a heartbeat is due at once
	counts counts

	mu     sync.Mutex
	core   *liveness.Core
	peers  map[ID]*peer
	reads  map[ID]*[lanes]<-chan struct{} // of each peer's last connections: closed when their readers have ended
	closed bool
	// The refusal that was logged last, and when.
	refusal string
	refused time.Time
}

// peer is another instance that is a member. Streams.mu guards it.
type peer struct {
	Peer
	conns  [lanes]*conn
	cancel context.CancelFunc // of the goroutines that call it; nil: it calls
	since  time.Time          // of when it is listed
	met    bool               // it was connected
	err    string             // why it is not connected, as it was told last
	said   string             // of that, what was logged last
	logged time.Time          // when
}

// logEvery bounds how often something is logged that comes again and again; beginLimit is how long a peer that was never
// connected has to begin, before it is logged that it is not connected.
const (
	logEvery   = time.Second
	beginLimit = 2 * time.Second
)

// Start begins an instance's streams, without peers.
func Start(cfg Config) (*Streams, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Streams{
		cfg: cfg, own: identity{cfg.Cluster, cfg.Self, cfg.Name, versions{oldestVersion, newestVersion}},
		kinds: map[uint16]*Kind{}, bell: make(chan struct{}, 1), core: liveness.New(cfg.Liveness, time.Now()),
		peers: map[ID]*peer{}, reads: map[ID]*[lanes]<-chan struct{}{},
	}
	for i := range cfg.Kinds {
		s.kinds[cfg.Kinds[i].Number] = &cfg.Kinds[i]
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.run()
	return s, nil
}

// Close ends all connections, and returns when no function of a Kind runs any more, nor will. None of them may call it.
func (s *Streams) Close() {
	s.mu.Lock()
	s.closed = true
	var all []*conn
	for _, p := range s.peers {
		all = p.open(all)
	}
	s.mu.Unlock()
	s.cancel()
	for _, c := range all {
		c.end(errClosed)
	}
	s.group.Wait()
}

// open appends the connections of a peer.
func (p *peer) open(list []*conn) []*conn {
	for _, c := range p.conns {
		if c != nil {
			list = append(list, c)
		}
	}
	return list
}

// SetPeers says who the members are; the instance itself is passed over. Connections to those that are none any more are
// closed, new ones are called. Of two instances the one with the lower number calls the other.
func (s *Streams) SetPeers(list []Peer) {
	now := time.Now()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	var gone []*conn
	for id, p := range s.peers {
		if !slices.ContainsFunc(list, func(q Peer) bool { return q.ID == id }) {
			gone = p.open(gone)
			delete(s.peers, id)
			if p.cancel != nil {
				p.cancel()
			}
		}
	}
	var ids []ID
	for _, q := range list {
		if q.ID == s.cfg.Self.ID || q.ID == 0 {
			continue
		}
		ids = append(ids, q.ID)
		if p := s.peers[q.ID]; p != nil {
			p.Peer = q
			continue
		}
		p := &peer{Peer: q, since: now}
		s.peers[q.ID] = p
		if s.cfg.Self.ID < q.ID {
			p.cancel = (&caller{s, q.ID}).run()
		}
	}
	s.core.SetMembers(ids, now)
	s.mu.Unlock()
	for _, c := range gone {
		c.end(errRemoved)
	}
	s.changed()
}

// conn is the connection to a peer; nil: there is none.
func (s *Streams) conn(id ID, l lane) *conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.peers[id]; p != nil {
		return p.conns[l]
	}
	return nil
}

// listed is a peer as the list of members has it.
func (s *Streams) listed(id ID) (Peer, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.peers[id]; p != nil {
		return p.Peer, true
	}
	return Peer{}, false
}

// judge reports why another instance is not spoken to, or the version that both speak.
func (s *Streams) judge(h *hello) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	peers := make(map[ID]Peer, len(s.peers))
	for id, p := range s.peers {
		peers[id] = p.Peer
	}
	return s.own.judge(h, peers)
}

// runsTwice reports whether another life of an instance is connected, and its heartbeats come: a process that ends takes
// its connections with it.
func (s *Streams) runsTwice(h *hello) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.peers[h.life.ID]
	if p == nil || p.conns[beats] == nil || p.conns[beats].life == h.life || !s.core.Heard(h.life.ID) {
		return false
	}
	now := time.Now()
	return s.core.Silence(h.life.ID, now) <= s.core.Limit(h.life.ID, now)
}

// attach takes a new connection into use.
func (s *Streams) attach(c *conn) error {
	s.mu.Lock()
	p := s.peers[c.peer]
	if p == nil || s.closed {
		s.mu.Unlock()
		c.stop()
		c.net.Close()
		return errRemoved
	}
	var old []*conn
	for l, o := range p.conns {
		if o != nil && (o.life != c.life || lane(l) == c.lane) {
			old = append(old, o)
			p.conns[l] = nil
		}
	}
	if p.conns[beats] == nil && c.lane != beats {
		s.core.Lost(c.peer, time.Now()) // of a life before, perhaps
	}
	p.conns[c.lane] = c
	if s.reads[c.peer] == nil {
		s.reads[c.peer] = new([lanes]<-chan struct{})
	}
	c.before, s.reads[c.peer][c.lane] = s.reads[c.peer][c.lane], c.read
	if c.lane == beats {
		p.met = true
		s.core.Connected(c.peer, time.Now())
		s.counts.connections.Add(1)
		s.cfg.Log.Info("connected to another instance", "instance", p.String())
		s.ring()
	}
	if !slices.Contains(p.conns[:], nil) {
		p.err, p.said = "", ""
	}
	c.run()
	s.mu.Unlock()
	for _, o := range old {
		o.end(errRenewed)
	}
	s.changed()
	return nil
}

// detach takes note of a connection that has ended. Without that of heartbeats the others end too.
func (s *Streams) detach(c *conn, err error) {
	s.mu.Lock()
	p := s.peers[c.peer]
	if p == nil || p.conns[c.lane] != c {
		s.mu.Unlock()
		return
	}
	p.conns[c.lane] = nil
	var others []*conn
	if c.lane == beats {
		others = p.open(nil)
		s.core.Lost(c.peer, time.Now())
		s.ring()
		s.counts.losses.Add(1)
		p.troubled(err, s.cfg.Log)
	}
	s.mu.Unlock()
	for _, o := range others {
		o.end(err)
	}
	s.changed()
}

// troubled notes why a peer is not connected, reports whether that is new, and logs it once. The caller has the lock.
func (p *peer) troubled(err error, log *slog.Logger) (fresh bool) {
	fresh, now := p.err != err.Error(), time.Now()
	p.err = err.Error()
	if known := p.met || now.Sub(p.since) > beginLimit; known && p.said != p.err && now.Sub(p.logged) > logEvery {
		p.said, p.logged = p.err, now
		log.Warn("not connected to another instance", "instance", p.String(), "address", p.Addr, "error", err)
	}
	return fresh
}

// ring has a heartbeat sent at once.
func (s *Streams) ring() {
	select {
	case s.bell <- struct{}{}:
	default:
	}
}

func (s *Streams) changed() {
	if s.cfg.Changed != nil {
		s.cfg.Changed()
	}
}

// takeBeat takes a heartbeat.
func (c *conn) takeBeat(h header, payload []byte, beat *liveness.Heartbeat) error {
	if h.typ != frameHeartbeat {
		return unexpected(c, h)
	}
	if err := beat.Parse(payload); err != nil {
		return err
	}
	if beat.From != c.life {
		return errForeignBeat
	}
	s := c.s
	s.mu.Lock()
	changed := s.core.Receive(beat, time.Now())
	unsaid := s.core.Unsaid()
	s.mu.Unlock()
	if unsaid {
		s.ring()
	}
	if changed {
		s.changed()
	}
	return nil
}

// turn is that of the goroutine of heartbeats: a tick, if one is due, and a heartbeat to all. The list is of before. The
// next tick is due after the time that it returns.
func (s *Streams) turn(tick bool, list []*conn, buf []byte) ([]*conn, []byte, time.Duration) {
	now := time.Now()
	s.mu.Lock()
	beat, wait, changed := s.core.Turn(now, tick)
	list, silent := list[:0], []*conn(nil)
	for id, p := range s.peers {
		c := p.conns[beats]
		if c == nil {
			continue
		}
		list = append(list, c)
		if s.core.Silence(id, now) > s.core.Limit(id, now)+s.cfg.Silence {
			silent = append(silent, c)
		}
	}
	buf = header{typ: frameHeartbeat}.append(buf[:0])
	buf = beat.Append(buf)
	header{typ: frameHeartbeat, length: len(buf) - headerLength}.append(buf[:0])
	s.mu.Unlock()
	for _, c := range silent {
		c.end(errSilent)
	}
	for _, c := range list {
		c.writeBeat(buf)
	}
	s.counts.sent.Add(uint64(len(list)))
	if changed {
		s.changed()
	}
	return list, buf, wait
}

// host is the host of a peer's address.
func (p Peer) host() string {
	host, _, err := net.SplitHostPort(p.Addr)
	if err != nil {
		return p.Addr
	}
	return host
}

// checkCert reports whether the certificate that a peer has shown is its own.
func (p Peer) checkCert(shown certificates) error {
	if len(shown) == 0 {
		return errNoCert
	}
	return cert.CheckPeer(shown[0], p.host())
}
