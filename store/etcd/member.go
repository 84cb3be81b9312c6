package etcd

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
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
	// Peer, if set, is how there can be other members. Without it the member stays alone.
	Peer *Peer
	// Waits, if set, is called while the member waits for others before it can serve, with what for, and with "" when it
	// serves.
	Waits func(what string)
	Log   *slog.Logger // nil: no log

	free func(dir string) int64 // free space of a disk; tests have one of their own
}

// Times and sizes of a member.
const (
	defaultQuota   = 4 << 30
	defaultReserve = 192 << 20
	// quotaSlack is the difference of etcd's own quota to ours, more than can be in flight when
	// ours is reached: etcd executes the transaction that exceeds its quota, and returns an error.
	quotaSlack = 128 << 20
	// A leader that says nothing for electionTicks is replaced: long enough for machines that are busy, since nothing
	// makes it longer at run time. A member that is alone does not wait for that (campaignAlone).
	tick          = 50 * time.Millisecond
	electionTicks = 10
	readyLimit    = time.Minute // of a member that is alone
	// A member that lags by fewer entries than catchUpEntries is sent these, and else the whole database. An entry is a
	// block of a journal (64 KiB) at most, or nearly, so that they take 32 MiB.
	snapshotEntries = 1_000
	catchUpEntries  = 500
	maxLearners     = 8
	// aloneURL is where peers would find a member without a peer port. Nothing listens there.
	aloneURL = "http://127.0.0.1:9876"
)

// member is a member of etcd in this process.
type member struct {
	cfg          Config
	server       *etcdserver.EtcdServer
	port         *peerPort // nil: it stays alone
	bridge       *zapBridge
	mark         *ackFile
	census       contentDigest
	linked       fileLinks
	disk         diskWatch
	prealloc     preallocator // owned by the loop
	quotaReached atomic.Bool  // sticky until much of the quota is free again
	// lead ends some time after another member has come to lead; nil: there can be no other
	lead atomic.Pointer[context.Context]
	stop func() // and waits

	stopping sync.Mutex // guards stopped; who holds it may use addresses of the database file
	stopped  bool
}

// Start runs a member, and returns when it serves, with a vote: of a cluster of its own, of the one that it joins
// (Peer.Join), or of the one that it was of before. It serves all that was ever acknowledged in its directory, or returns a
// *verify.Damage that names a file.
func Start(ctx context.Context, cfg Config) (s *Store, err error) {
	cfg.defaults()
	defer func() {
		if damage := new(verify.Damage); errors.As(err, &damage) && cfg.several() {
			damage.Cure = "other members have what it had: move the data directory away, and start with --join"
		}
	}()
	if _, err := os.Stat(cfg.Dir); cfg.MustExist && os.IsNotExist(err) {
		return nil, &verify.Damage{File: cfg.Dir, What: "it is not there, and was when an instance ran here last",
			Cure: "restore a backup with weir restore, or, if there are other members, start with an empty data directory and --join"}
	}
	m := &member{cfg: cfg}
	m.disk.m = m
	if cfg.Peer != nil {
		defer func() {
			if s == nil {
				cfg.Peer.Listener.Close()
			}
		}()
	}
	if _, err := os.Stat(filepath.Join(cfg.Dir, "member")); os.IsNotExist(err) {
		if why := m.spaceShortage(); why != "" {
			return nil, fmt.Errorf("%w: %s: free some, or take a directory on another disk (--data-dir)", store.ErrFull, why)
		}
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, err
	}
	if m.mark, err = openAckFile(cfg.Dir, cfg.MustExist); err != nil {
		return nil, err
	}
	m.linked.mark = int(m.mark.f.Fd())
	if s, err = m.start(ctx); err != nil {
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
	if c.free == nil {
		c.free = free
	}
	if c.Waits == nil {
		c.Waits = func(string) {}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}

// start runs a member whose mark is open.
func (m *member) start(ctx context.Context) (*Store, error) {
	if err := m.awaitRoom(ctx); err != nil {
		return nil, err
	}
	if err := m.cfg.checkFiles(m.mark.newest()); err != nil {
		return nil, err
	}
	m.bridge = &zapBridge{log: m.cfg.Log, removed: new(atomic.Bool)}
	closePort, err := m.openPort()
	if err != nil {
		return nil, err
	}
	s, err := m.startServing(ctx)
	if err != nil {
		closePort()
		return nil, err
	}
	stop := m.stop
	m.stop = sync.OnceFunc(func() {
		m.stopping.Lock()
		m.stopped = true
		m.stopping.Unlock()
		stop()
		closePort()
		m.linked.close()
		m.mark.close()
	})
	s.startChecks()
	return s, nil
}

// startServing joins a cluster if it has to, starts etcd, and returns when it serves what it has to. m.stop ends etcd.
func (m *member) startServing(ctx context.Context) (*Store, error) {
	if err := m.begin(ctx); err != nil {
		return nil, err
	}
	if err := m.checkJoin(false); err != nil {
		m.server.Cleanup()
		return nil, err
	}
	m.server.Start()
	if m.port != nil {
		m.port.open(m)
	}
	m.stop = sync.OnceFunc(m.stopServer)
	s := &Store{member: m, client: v3client.New(m.server)}
	err := m.awaitServing(ctx)
	if err == nil {
		err = m.checkJoin(true)
	}
	if err == nil {
		err = m.learn(ctx)
	}
	if err == nil {
		err = m.again(ctx, func() error { return m.verifyContent(ctx, s.client) })
	}
	if err == nil {
		err = m.again(ctx, func() error { return m.publishAddress(ctx) })
	}
	m.cfg.Waits("")
	if err != nil {
		s.client.Close()
		m.stop()
		return nil, err
	}
	return s, nil
}

// begins is how often a member begins anew that another one came before while it joined.
const begins = 5

// begin makes etcd's server, and has the member join a cluster before if it has to.
func (m *member) begin(ctx context.Context) error {
	if m.cfg.Peer == nil || len(m.cfg.Peer.Join) == 0 || !m.cfg.fresh() {
		return m.load(nil)
	}
	var err error
	for range begins {
		var cluster types.URLsMap
		if cluster, err = m.port.join(ctx, m.cfg.Name, m.cfg.Waits); err != nil {
			return err
		}
		if err := m.cfg.noteSeveral(); err != nil {
			return err
		}
		if err = m.load(cluster); err == nil {
			return nil
		}
	}
	return err
}

// load makes etcd read its files, or, with the members of a cluster, begin as one of these. Panics and fatal errors of
// etcd become an error.
func (m *member) load(cluster types.URLsMap) (err error) {
	var started atomic.Bool
	logger := zap.New(m.bridge, zap.WithFatalHook(fatal{&started}), zap.WithPanicHook(panics{}))
	sc := m.cfg.serverConfig(logger, cluster)
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
	if !mayWrite(txn) || TakenWhenFull(txn) {
		return nil
	}
	why := m.spaceShortage()
	if why == "" {
		why = text(&m.disk.scarce)
	}
	if why == "" {
		why = m.overQuota()
	}
	if why != "" {
		return fmt.Errorf("%w: %s", store.ErrFull, why)
	}
	return nil
}

// acknowledge records a revision that is about to be acknowledged. onDisk is the index up to which entries of the log were
// committed before its transaction began: this member's log has these on disk now. One of several members executes what
// others have on disk while its own disk is still at it, and then its log ends before the revision after a kill; but it
// begins nothing new before it is done with what came before.
func (m *member) acknowledge(onDisk uint64, rev int64) error {
	if err := m.checkLinked(); err != nil {
		return err
	}
	if err := m.mark.acknowledge(onDisk, rev); err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnknown, err)
	}
	return nil
}

// serverConfig returns the member's configuration for etcd, by default that of the etcd command. cluster are the members
// of the cluster that it joins; nil: it begins one, or goes on.
func (c *Config) serverConfig(logger *zap.Logger, cluster types.URLsMap) config.ServerConfig {
	peers := c.peerURLs()
	begins := cluster == nil
	if begins {
		cluster = types.URLsMap{c.Name: peers}
	}
	sc := config.ServerConfig{
		Name: c.Name, DataDir: c.Dir, PeerURLs: peers, ClientURLs: peers,
		// random: clusters that begin at the same address are different ones
		InitialPeerURLsMap: cluster, InitialClusterToken: rand.Text(), NewCluster: begins,
		SnapshotCount: snapshotEntries, SnapshotCatchUpEntries: catchUpEntries,
		MaxSnapFiles: 2, MaxWALFiles: 2, MaxLearners: maxLearners,
		TickMs: uint(tick / time.Millisecond), ElectionTicks: electionTicks, InitialElectionTickAdvance: true, PreVote: true,
		AutoCompactionMode: "periodic", QuotaBackendBytes: c.Quota + quotaSlack, MaxTxnOps: store.MaxTxnOps + 1,
		MaxRequestBytes:     2 * store.MaxTxnBytes,
		BackendFreelistType: "hashmap", CompactionBatchLimit: 1000, CompactionSleepInterval: 10 * time.Millisecond,
		MaxConcurrentStreams: 1 << 20, AuthToken: "simple", BcryptCost: 10, TokenTTL: 300,
		CompactHashCheckTime: time.Minute, WarningApplyDuration: 100 * time.Millisecond,
		WarningUnaryRequestDuration: 300 * time.Millisecond,
		WatchProgressNotifyInterval: 10 * time.Minute, DowngradeCheckTime: 5 * time.Second, BootstrapTimeout: time.Second,
		V2Deprecation: config.V2DeprDefault, LocalAddress: "127.0.0.1",
		ServerFeatureGate: features.NewDefaultServerFeatureGate(c.Name, logger), Metrics: "basic", Logger: logger,
	}
	if c.Peer != nil {
		sc.PeerTLSInfo = c.Peer.TLS.info()
		if host, _, err := net.SplitHostPort(c.Peer.Address); err == nil {
			sc.LocalAddress = host
		}
	}
	return sc
}

// Ended returns a channel that is closed when the member of this process has stopped, by Close or
// by itself; nil for a remote cluster.
func (s *Store) Ended() <-chan struct{} {
	if s.member == nil {
		return nil
	}
	return s.member.server.StopNotify()
}
