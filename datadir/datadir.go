package datadir

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/etcd"
	"github.com/weirnet/weir/store/etcd/verify"
)

// What Config.Store says, beside URLs of an etcd elsewhere, with commas between them.
const (
	Embedded = "embedded" // a member of etcd in this process, in the data directory
	Memory   = "memory"   // nothing outlives the instance
)

// StoreDir is the directory of the embedded store in a data directory.
const StoreDir = "store"

// The keys of the store, beside those of packages config and store/owner.
const (
	Intents        = "intents/"   // the journal of what is requested
	Decisions      = "decisions/" // the journal of the paths that were chosen
	TenantTables   = "tables/"    // the journal of the tables of tenants' switches
	clusterKeyName = "cluster/key"
)

// Config says where an instance keeps what it is told.
type Config struct {
	Dir   string // the data directory
	Store string // Embedded, Memory, or URLs
	Peer  Peer   // of the embedded store
	Log   *slog.Logger
}

// Peer is how the embedded store can be of several members, one an instance.
type Peer struct {
	Name   string // of the instance
	Listen string // address of the peer port, HOST:PORT; empty: there are no others
	// MayLack: the port is a default. Where it is in use, and nothing needs it, the instance goes on without.
	MayLack bool
	Join    []string // addresses of members of a cluster, one of which takes in an instance that has no store yet
	TLS     etcd.PeerTLS
	Waits   func(what string) // see etcd.Config
}

// Check finds what is wrong with Config.Store.
func (c *Config) Check() error {
	if c.Store == Embedded || c.Store == Memory {
		return nil
	}
	for _, s := range strings.Split(c.Store, ",") {
		if at := strings.LastIndexByte(s, '@'); at >= 0 { // not shown: it may be a password
			return fmt.Errorf("--store=…%s: want URLs without a user and a password, such as http://127.0.0.1:2379", s[at:])
		}
		u, err := url.Parse(s)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Port() == "" || u.Path != "" {
			return fmt.Errorf(
				"--store=%s: want %s, %s, or URLs of an etcd such as http://127.0.0.1:2379, with commas between them",
				c.Store, Embedded, Memory)
		}
	}
	return nil
}

// Open opens the store. lock is the directory's, and needed for one of its own; full is told why the
// store takes nothing, and "" when it does again.
func (c *Config) Open(ctx context.Context, lock *Lock, full func(why string)) (store.Store, error) {
	switch {
	case c.Store == Memory:
		c.Log.Warn("the store is in memory: nothing that is accepted outlives this instance")
		return store.NewMemory(nil), nil
	case c.Store == Embedded:
		known := lock.hasStore()
		st, err := c.startEmbedded(ctx, known, full)
		if err != nil || known {
			return st, err
		}
		if err := lock.noteStore(); err != nil {
			return nil, errors.Join(fmt.Errorf("data directory: %w", err), st.Close())
		}
		return st, nil
	}
	st, err := etcd.Dial(ctx, etcd.Remote{URLs: strings.Split(c.Store, ","), Log: c.Log})
	if err != nil {
		return nil, fmt.Errorf("%w: is it running, and may this machine reach it? (--store)", err)
	}
	return st, nil
}

// startEmbedded starts the store in the data directory. known: there was one.
func (c *Config) startEmbedded(ctx context.Context, known bool, full func(why string)) (store.Store, error) {
	dir := filepath.Join(c.Dir, StoreDir)
	peer, err := c.Peer.open(c.Log)
	if err != nil {
		return nil, err
	}
	st, err := etcd.Start(ctx, etcd.Config{Dir: dir, Name: c.Peer.Name, Peer: peer, Waits: c.Peer.Waits, MustExist: known,
		Full: full, Log: c.Log})
	var damage *verify.Damage
	if errors.As(err, &damage) || errors.Is(err, etcd.ErrRefused) {
		return nil, err // it names the file, or the flag
	}
	if err != nil {
		return nil, fmt.Errorf("the store in %s: %w", dir, err)
	}
	return st, nil
}

// open listens on the peer port; nil: there is none.
func (p *Peer) open(log *slog.Logger) (*etcd.Peer, error) {
	if p.Listen == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", p.Listen)
	switch {
	case err == nil:
		return &etcd.Peer{Listener: l, Address: l.Addr().String(), Join: p.Join, TLS: p.TLS}, nil
	case errors.Is(err, syscall.EADDRINUSE) && p.MayLack && len(p.Join) == 0:
		log.Debug("no other instance can join this one: its peer port is in use (--peer chooses another)", "peer", p.Listen)
		return nil, nil
	}
	return nil, fmt.Errorf("cannot listen for other instances on %s: %w: choose another address with --peer", p.Listen, err)
}
