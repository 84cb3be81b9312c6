package etcd

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	"go.etcd.io/etcd/client/pkg/v3/types"
	"go.etcd.io/etcd/server/v3/etcdserver/api/etcdhttp"
	"go.etcd.io/etcd/server/v3/etcdserver/api/rafthttp"
	"go.uber.org/zap"
)

// Peer says how a member and the others of its cluster reach one another: over one port for all, etcd's and those below
// OwnPath.
type Peer struct {
	Listener net.Listener // of the port. The member closes it
	Address  string       // HOST:PORT by which the others reach it
	// Join are addresses of members of a cluster, one of which is asked to take this member in. They are used only where
	// the directory holds no member.
	Join []string
	TLS  PeerTLS
}

// PeerTLS is mutual TLS between members; the zero value is none.
type PeerTLS struct {
	Cert, Key, CA string // files, for connections to others
	// Server is for connections from others. It refuses who has a certificate of the authority and is no member.
	Server *tls.Config
}

// OwnPath begins the paths of the peer port that are not etcd's.
const OwnPath = "/weir/"

const (
	joinPath    = OwnPath + "join"    // POST: a joinRequest; the answer is a joinAnswer, or says in a line why not
	joiningPath = OwnPath + "joining" // GET: the nonce of the joinRequest of the member at this address
)

// peerDialLimit is how long a connection to a peer may take.
const peerDialLimit = time.Second

// url is where the others find the member.
func (p *Peer) url() string { return p.urlOf(p.Address) }

func (p *Peer) urlOf(address string) string {
	if p.TLS.Cert != "" {
		return "https://" + address
	}
	return "http://" + address
}

// info are the files for etcd.
func (t *PeerTLS) info() transport.TLSInfo {
	return transport.TLSInfo{CertFile: t.Cert, KeyFile: t.Key, TrustedCAFile: t.CA, ClientCertAuth: t.Cert != ""}
}

// peerPort serves the port. Until the member runs it answers 503, but for joiningPath.
type peerPort struct {
	cfg    *Peer
	log    *zap.Logger
	nonce  string // random: tells this member's port from another's
	client http.Client
	server http.Server
	etcd   atomic.Pointer[http.Handler]
	own    atomic.Pointer[http.Handler] // below OwnPath, but for the paths here
	member atomic.Pointer[member]
}

// newPeerPort makes the port, and does not serve it yet.
func newPeerPort(cfg *Peer, log *zap.Logger) (*peerPort, error) {
	trip, err := rafthttp.NewRoundTripper(cfg.TLS.info(), peerDialLimit)
	if err != nil {
		return nil, err
	}
	p := &peerPort{cfg: cfg, log: log, nonce: rand.Text(), client: http.Client{Transport: trip}}
	std, err := zap.NewStdLogAt(log, zap.DebugLevel)
	if err != nil {
		return nil, err
	}
	p.server = http.Server{Handler: p, ErrorLog: std, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 5 * time.Minute}
	p.server.TLSConfig = cfg.TLS.Server
	return p, nil
}

// open begins to answer for a member that runs.
func (p *peerPort) open(m *member) {
	h := etcdhttp.NewPeerHandler(p.log, m.server)
	p.etcd.Store(&h)
	p.member.Store(m)
}

// ServeHTTP implements http.Handler.
func (p *peerPort) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == joiningPath && r.Method == http.MethodGet:
		_, _ = io.WriteString(w, p.nonce)
	case r.URL.Path == joinPath && r.Method == http.MethodPost:
		p.serveJoin(w, r)
	case strings.HasPrefix(r.URL.Path, OwnPath):
		serveOr503(p.own.Load(), w, r)
	case p.parted():
		serveOr503(nil, w, r)
	default:
		serveOr503(p.etcd.Load(), w, r)
	}
}

// parted reports whether the member takes nothing from the others.
func (p *peerPort) parted() bool {
	m := p.member.Load()
	return m != nil && m.disk.parted.Load()
}

func serveOr503(h *http.Handler, w http.ResponseWriter, r *http.Request) {
	if h == nil {
		http.Error(w, "this instance has not begun yet, or has ended", http.StatusServiceUnavailable)
		return
	}
	(*h).ServeHTTP(w, r)
}

// close ends the port and its connections.
func (p *peerPort) close() {
	p.etcd.Store(nil)
	p.own.Store(nil)
	p.member.Store(nil)
	p.server.Close()
	p.client.CloseIdleConnections()
}

// peerURLs are those under which a member begins: of its peer port, or of none.
func (c *Config) peerURLs() types.URLs {
	at := aloneURL
	if c.Peer != nil {
		at = c.Peer.url()
	}
	urls, err := types.NewURLs([]string{at})
	if err != nil {
		return types.MustNewURLs([]string{aloneURL}) // the caller has checked the address
	}
	return urls
}

// get returns the body of an answer, which is short.
func (p *peerPort) get(ctx context.Context, url string) (body string, status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", 0, err
	}
	return p.do(r)
}

func (p *peerPort) do(r *http.Request) (body string, status int, err error) {
	answer, err := p.client.Do(r)
	if err != nil {
		return "", 0, err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(io.LimitReader(answer.Body, peerAnswerMax))
	return string(b), answer.StatusCode, err
}

// peerAnswerMax is the length of the longest answer of a peer that is read, in bytes.
const peerAnswerMax = 1 << 20
