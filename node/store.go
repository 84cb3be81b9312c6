package node

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/cert"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/datadir"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/etcd"
)

// storeState is what is said of the store: before there are alarms it is kept until there are.
type storeState struct {
	mu     sync.Mutex
	why    map[string]string // by object, of those with which something is wrong
	disk   string            // how slow the store's disk is; empty: it is not
	alarms *alarm.Board
}

// slow tells how slow the disk of a member of several is; empty: it is not.
func (s *storeState) slow(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.disk = why; s.alarms == nil {
		return
	}
	if why == "" {
		s.alarms.Clear(netview.AlarmSlowDisk, "")
	} else {
		s.alarms.Raise(netview.AlarmSlowDisk, "", why+": another instance decides, where one has a disk that is well")
	}
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
	said, disk := maps.Clone(s.why), s.disk
	s.alarms = alarms
	s.mu.Unlock()
	s.slow(disk)
	for _, object := range slices.Sorted(maps.Keys(said)) {
		s.say(object, said[object])
	}
}

// forget forgets what an instance said that has stepped down: what it served with has ended, and does not say any more that all
// is well. The store goes on, and what it says of itself stays.
func (s *storeState) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.why, func(object, _ string) bool { return object != "" })
	s.disk, s.alarms = "", nil
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

// shared reports whether other instances may use a store too. The embedded one is this data directory's, which one process
// has, but for a member of several.
func (c *Config) shared(st store.Store) bool {
	if clusterOf(st).Open() {
		return true
	}
	return c.elsewhere()
}

// elsewhere reports whether the store is outside of this process.
func (c *Config) elsewhere() bool {
	return c.SharedStore || c.OpenStore == nil && c.Store != datadir.Embedded && c.Store != datadir.Memory
}

// keepsFiles reports whether what older versions kept in files is taken over: a store in memory
// would lose it.
func (c *Config) keepsFiles() bool { return c.Store != datadir.Memory || c.OpenStore != nil }

// dataDir is where the instance keeps what it is told.
func (c *Config) dataDir() datadir.Config {
	d := datadir.Config{Dir: c.DataDir, Store: c.Store, Log: c.Log}
	if c.Peer.Listen == config.PeerNone {
		return d
	}
	d.Peer = datadir.Peer{Name: c.Name, Listen: c.Peer.Listen, Join: c.Join,
		MayLack: !c.Given["peer"] && c.Peer.Listen == Defaults().Peer.Listen}
	if files := c.peerFiles(); files.Cert != "" {
		d.Peer.TLS = etcd.PeerTLS{Cert: files.Cert, Key: files.Key, CA: files.CA, Server: files.Server()}
	}
	return d
}

// peerFiles are those of TLS between instances.
func (c *Config) peerFiles() cert.PeerFiles {
	return cert.PeerFiles{Cert: c.Peer.TLSCert, Key: c.Peer.TLSKey, CA: c.Peer.TLSCA}
}

// clusterOf are the members of an embedded store; nil: it is elsewhere.
func clusterOf(st store.Store) *etcd.Cluster {
	if s, ok := st.(clustered); ok {
		return s.Cluster()
	}
	return nil
}

// What a store may be able to do besides; that on etcd is.
type (
	clustered interface{ Cluster() *etcd.Cluster } // has members
	failing   interface{ Ended() <-chan struct{} } // ends by itself
	pager     interface{ PageOut() }               // releases the memory of what was read
)

var _ interface {
	clustered
	failing
	pager
} = (*etcd.Store)(nil)
