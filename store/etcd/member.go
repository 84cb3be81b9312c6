package etcd

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/types"
	"go.etcd.io/etcd/server/v3/config"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
	"go.etcd.io/etcd/server/v3/features"
	"go.etcd.io/raft/v3"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/etcd/verify"
)

// Config configures a member in this process. Zero values are the defaults.
type Config struct {
	Dir  string // of the member's files; created if necessary. The caller ensures one process per directory
	Name string // of the member; "weir"
	// Quota is the size of the database file, in bytes, beyond which writes are refused; default 4
	// GiB.
	Quota int64
	// Reserve is the free disk space, in bytes, below which writes are refused; default 192 MiB.
	// Without space etcd ends the process.
	Reserve int64
	// Full, if set, is called with the reason when writes are refused, and with "" when they are
	// accepted again.
	Full func(why string)
	// MustExist: a member has run in this directory before, and its files must exist.
	MustExist bool
	Log       *slog.Logger // nil: no log
}

// Times and sizes of a member.
const (
	defaultQuota   = 4 << 30
	defaultReserve = 192 << 20
	// quotaSlack is the difference of etcd's own quota to ours, more than can be in flight when
	// ours is reached: etcd executes the transaction that exceeds its quota, and returns an error.
	quotaSlack = 128 << 20
	// A member that is alone waits for one to two election timeouts before it elects itself, and
	// nobody can be elected beside it: so the timeout is short. With more members it will have to
	// be ten times as long.
	tick          = 30 * time.Millisecond
	electionTicks = 2
	readyLimit    = time.Minute
	// peerURL is where peers would find the member. Nothing listens there as long as it is alone.
	peerURL = "http://127.0.0.1:9876"
	token   = "weir"
)

// member is a member of etcd in this process.
type member struct {
	cfg          Config
	server       *etcdserver.EtcdServer
	mark         *ackFile
	census       contentDigest
	linked       fileLinks
	prealloc     preallocator // owned by the loop
	quotaReached atomic.Bool  // sticky until much of the quota is free again
	stop         func()       // and waits

	stopping sync.Mutex // guards stopped; who holds it may use addresses of the database file
	stopped  bool
}

// Start runs a single-member cluster, and returns when it serves. It serves all that was ever
// acknowledged in its directory, or returns a *verify.Damage that names a file.
func Start(ctx context.Context, cfg Config) (*Store, error) {
	cfg.defaults()
	if _, err := os.Stat(cfg.Dir); cfg.MustExist && os.IsNotExist(err) {
		return nil, &verify.Damage{File: cfg.Dir, What: "it is not there, and was when an instance ran here last"}
	}
	m := &member{cfg: cfg}
	if _, err := os.Stat(filepath.Join(cfg.Dir, "member")); os.IsNotExist(err) {
		if why := m.spaceShortage(); why != "" {
			return nil, fmt.Errorf("%w: %s: free some, or take a directory on another disk (--data-dir)", store.ErrFull, why)
		}
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, err
	}
	var err error
	if m.mark, err = openAckFile(cfg.Dir, cfg.MustExist); err != nil {
		return nil, err
	}
	m.linked.mark = int(m.mark.f.Fd())
	s, err := m.start(ctx)
	if err != nil {
		m.linked.close()
		m.mark.close()
		return nil, err
	}
	return s, nil
}

func (c *Config) defaults() {
	c.Name = cmp.Or(c.Name, "weir")
	c.Quota = cmp.Or(c.Quota, defaultQuota)
	c.Reserve = cmp.Or(c.Reserve, defaultReserve)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}

// start runs a member whose mark is open.
func (m *member) start(ctx context.Context) (*Store, error) {
	if err := m.cfg.checkFiles(m.mark.newest()); err != nil {
		return nil, err
	}
	if err := m.load(); err != nil {
		return nil, err
	}
	m.server.Start()
	stop := sync.OnceFunc(m.server.Stop)
	if err := m.awaitServing(ctx); err != nil {
		stop()
		return nil, err
	}
	s := &Store{member: m, client: v3client.New(m.server)}
	if err := m.verifyContent(ctx, s.client); err != nil {
		s.client.Close()
		stop()
		return nil, err
	}
	m.stop = sync.OnceFunc(func() {
		m.stopping.Lock()
		m.stopped = true
		m.stopping.Unlock()
		stop()
		m.linked.close()
		m.mark.close()
	})
	s.startChecks()
	return s, nil
}

// load makes etcd read its files. Panics and fatal errors of etcd become an error.
func (m *member) load() (err error) {
	var started atomic.Bool
	logger := zap.New(&zapBridge{log: m.cfg.Log}, zap.WithFatalHook(fatal{&started}), zap.WithPanicHook(panics{}))
	sc, err := m.cfg.serverConfig(logger)
	if err != nil {
		return err
	}
	defer started.Store(true)
	defer func() {
		if why := recover(); why != nil {
			err = &verify.Damage{File: filepath.Join(m.cfg.Dir, "member"), What: fmt.Sprintf("etcd cannot read it: %v", why)}
		}
	}()
	m.server, err = etcdserver.NewServer(sc)
	return err
}

// fatal ends the process on a fatal log entry of etcd after the start, when the files may differ
// from what was written. Before, it panics.
type fatal struct{ started *atomic.Bool }

// OnWrite implements zapcore.CheckWriteHook.
func (f fatal) OnWrite(e *zapcore.CheckedEntry, fields []zapcore.Field) {
	if f.started.Load() {
		os.Exit(1)
	}
	for _, f := range fields {
		if err, ok := f.Interface.(error); ok {
			panic(e.Message + ": " + err.Error())
		}
	}
	panic(e.Message)
}

// panics panics on a panic log entry of etcd, but for one. Before an election raft looks for changes of
// the membership among the entries that it does not know to be applied yet. The server applies entries
// on a goroutine of its own, and discards them from memory: on a busy machine before raft's goroutine
// goes on. What is discarded is applied, so nothing is found there, and the election goes on.
type panics struct{}

// OnWrite implements zapcore.CheckWriteHook.
func (panics) OnWrite(e *zapcore.CheckedEntry, _ []zapcore.Field) {
	discarded := strings.HasSuffix(e.Message, raft.ErrCompacted.Error())
	if discarded && strings.HasPrefix(e.Message, "error scanning unapplied entries") {
		return
	}
	panic(e.Message)
}

// ready returns an error if a transaction cannot be executed.
func (m *member) ready(txn *store.Txn) error {
	if err := m.checkLinked(); err != nil {
		return err
	}
	if !mayWrite(txn) {
		return nil
	}
	why := m.spaceShortage()
	if why == "" {
		why = m.overQuota()
	}
	if why != "" {
		return fmt.Errorf("%w: %s", store.ErrFull, why)
	}
	return nil
}

// acknowledge records a revision that is about to be acknowledged.
func (m *member) acknowledge(rev int64) error {
	if err := m.checkLinked(); err != nil {
		return err
	}
	if err := m.mark.acknowledge(m.server.CommittedIndex(), rev); err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnknown, err)
	}
	return nil
}

// awaitServing waits until the member serves.
func (m *member) awaitServing(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	select {
	case <-m.server.ReadyNotify():
		return nil
	case <-m.server.StopNotify():
		return fmt.Errorf("%w: it stopped while it started", store.ErrUnavailable)
	case <-ctx.Done():
		return fmt.Errorf("%w: it did not start: %w", store.ErrUnavailable, ctx.Err())
	}
}

// serverConfig returns the member's configuration for etcd, by default that of the etcd command.
func (c *Config) serverConfig(logger *zap.Logger) (config.ServerConfig, error) {
	peers, err := types.NewURLs([]string{peerURL})
	if err != nil {
		return config.ServerConfig{}, err
	}
	return config.ServerConfig{
		Name: c.Name, DataDir: c.Dir, PeerURLs: peers, ClientURLs: peers,
		InitialPeerURLsMap: types.URLsMap{c.Name: peers}, InitialClusterToken: token, NewCluster: true,
		// what is after the last snapshot is read at the start; there is no other member that could
		// lag
		SnapshotCount: 1_000, SnapshotCatchUpEntries: 1,
		MaxSnapFiles: 2, MaxWALFiles: 2,
		TickMs: uint(tick / time.Millisecond), ElectionTicks: electionTicks, InitialElectionTickAdvance: true, PreVote: true,
		AutoCompactionMode: "periodic", QuotaBackendBytes: c.Quota + quotaSlack, MaxTxnOps: store.MaxTxnOps + 1,
		MaxRequestBytes:     2 * store.MaxTxnBytes,
		BackendFreelistType: "hashmap", CompactionBatchLimit: 1000, CompactionSleepInterval: 10 * time.Millisecond,
		MaxConcurrentStreams: 1 << 20, StrictReconfigCheck: true, AuthToken: "simple", BcryptCost: 10, TokenTTL: 300,
		CompactHashCheckTime: time.Minute, WarningApplyDuration: 100 * time.Millisecond,
		WarningUnaryRequestDuration: 300 * time.Millisecond,
		WatchProgressNotifyInterval: 10 * time.Minute, DowngradeCheckTime: 5 * time.Second, BootstrapTimeout: readyLimit,
		V2Deprecation: config.V2DeprDefault, LocalAddress: "127.0.0.1",
		ServerFeatureGate: features.NewDefaultServerFeatureGate(c.Name, logger), Metrics: "basic", Logger: logger,
	}, nil
}

// Ended returns a channel that is closed when the member of this process has stopped, by Close or
// by itself; nil for a remote cluster.
func (s *Store) Ended() <-chan struct{} {
	if s.member == nil {
		return nil
	}
	return s.member.server.StopNotify()
}
