package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/etcd"
	"github.com/weirnet/weir/store/etcd/verify"
)

// What Config.Store says, beside URLs of an etcd elsewhere.
const (
	StoreEmbedded = "embedded" // a member of etcd in this process, in the data directory
	StoreMemory   = "memory"   // nothing outlives the instance
)

// StoreDir is the directory of the embedded store in a data directory.
const StoreDir = "store"

// clusterKeyName is the key of the store that holds the cluster's key.
const clusterKeyName = "cluster/key"

// checkStore finds what is wrong with Config.Store.
func (c *Config) checkStore() error {
	if c.Store == StoreEmbedded || c.Store == StoreMemory {
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
				c.Store, StoreEmbedded, StoreMemory)
		}
	}
	return nil
}

// storeState is what is said of the store: before there are alarms it is kept until there are.
type storeState struct {
	mu     sync.Mutex
	why    map[string]string // by object, of those with which something is wrong
	alarms *alarm.Board
}

// say tells why nothing is taken: of the store (""), or of a part of what is kept in it.
func (s *storeState) say(object, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why == nil {
		s.why = make(map[string]string)
	}
	if s.why[object] = why; why == "" {
		delete(s.why, object)
	}
	if s.alarms == nil {
		return
	}
	if why == "" {
		s.alarms.Clear(netview.AlarmStore, object)
	} else {
		s.alarms.Raise(netview.AlarmStore, object, "nothing is kept, and what asks for it is refused: "+why)
	}
}

// join has alarms raised from now on.
func (s *storeState) join(alarms *alarm.Board) {
	s.mu.Lock()
	said := maps.Clone(s.why)
	s.alarms = alarms
	s.mu.Unlock()
	for _, object := range slices.Sorted(maps.Keys(said)) {
		s.say(object, said[object])
	}
}

// trouble is why something is not kept; empty: everything is.
func (s *storeState) trouble() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, object := range slices.Sorted(maps.Keys(s.why)) {
		return strings.TrimPrefix(object+": "+s.why[object], ": ")
	}
	return ""
}

// openStore opens what the instance keeps its inputs in. lock is the data directory's.
func openStore(ctx context.Context, cfg *Config, lock *os.File, state *storeState) (store.Store, error) {
	switch {
	case cfg.OpenStore != nil:
		return cfg.OpenStore()
	case cfg.Store == StoreMemory:
		cfg.Log.Warn("the store is in memory: nothing that is accepted outlives this instance")
		return store.NewMemory(nil), nil
	case cfg.Store == StoreEmbedded:
		known := hasStore(lock)
		st, err := startEmbedded(ctx, cfg.DataDir, cfg.Log, known, func(why string) { state.say("", why) })
		if err != nil || known {
			return st, err
		}
		if err := noteStore(lock); err != nil {
			return nil, errors.Join(fmt.Errorf("data directory: %w", err), st.Close())
		}
		return st, nil
	}
	st, err := etcd.Dial(ctx, etcd.Remote{URLs: strings.Split(cfg.Store, ","), Log: cfg.Log})
	if err != nil {
		return nil, fmt.Errorf("%w: is it running, and may this machine reach it? (--store)", err)
	}
	return st, nil
}

// startEmbedded starts the store in a data directory. known: there was one.
func startEmbedded(ctx context.Context, dir string, log *slog.Logger, known bool, full func(why string)) (store.Store, error) {
	st, err := etcd.Start(ctx, etcd.Config{Dir: filepath.Join(dir, StoreDir), MustExist: known, Full: full, Log: log})
	var damage *verify.Damage
	if errors.As(err, &damage) {
		return nil, err // it names the file
	}
	if err != nil {
		return nil, fmt.Errorf("the store in %s: %w", filepath.Join(dir, StoreDir), err)
	}
	return st, nil
}

// shared reports whether other instances may use the store too. The embedded one is this data
// directory's, which one process has.
func (c *Config) shared() bool {
	return c.SharedStore || c.OpenStore == nil && c.Store != StoreEmbedded && c.Store != StoreMemory
}

// keepsFiles reports whether what older versions kept in files is taken over: a store in memory
// would lose it.
func (c *Config) keepsFiles() bool { return c.Store != StoreMemory || c.OpenStore != nil }

// clusterKey is the cluster's key: the store's, or the one that an older version kept in a file,
// or a new one.
func clusterKey(ctx context.Context, st store.Store, cfg *Config) ([]byte, error) {
	path := filepath.Join(cfg.DataDir, "cluster-key")
	key, err := store.Once(ctx, st, clusterKeyName, func() ([]byte, error) {
		if cfg.keepsFiles() {
			if key, err := oldClusterKey(path); key != nil || err != nil {
				return key, err
			}
		}
		key := make([]byte, keyLen)
		rand.Read(key)
		return key, nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("cluster key: %w", err)
	case len(key) != keyLen:
		return nil, fmt.Errorf("cluster key: the store has %d bytes, want %d: restore a backup with weir restore",
			len(key), keyLen)
	}
	if cfg.keepsFiles() {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("cluster key that was taken over: %w", err)
		}
	}
	return key, nil
}

// oldClusterKey reads the key of an older version; nil if there is none.
func oldClusterKey(path string) ([]byte, error) {
	key, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case len(key) != keyLen:
		return nil, fmt.Errorf("%s has %d bytes, want %d: restore it, or delete it to have a new one made", path,
			len(key), keyLen)
	}
	return key, nil
}

// neverStarted reports whether a data directory has no store yet: then a start that is refused
// makes nothing in it.
func neverStarted(cfg *Config) bool {
	_, err := os.Stat(filepath.Join(cfg.DataDir, StoreDir))
	return cfg.Store != StoreEmbedded || err != nil
}

// What a store may be able to do besides; that on etcd is.
type (
	failing interface{ Ended() <-chan struct{} } // ends by itself
	pager   interface{ PageOut() }               // releases the memory of what was read
)

var _ interface {
	failing
	pager
} = (*etcd.Store)(nil)
