package cluster

import (
	"cmp"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weirnet/weir/cert"
	"github.com/weirnet/weir/cluster/liveness"
	"github.com/weirnet/weir/cluster/streams"
	"github.com/weirnet/weir/store/etcd"
	"github.com/weirnet/weir/store/owner"
)

// Config is what an instance needs to know of the others.
type Config struct {
	Members *etcd.Cluster
	Own     *owner.Claim
	TLS     *cert.PeerFiles // nil: none is spoken
	// ByLease: an owner that nobody hears keeps its place until its lease ends, since switches would take what it writes
	// after it was replaced.
	ByLease bool
	// Keep keeps the facts that an owner has sent, the whole file, valid during the call. It is called by one goroutine for
	// each peer, and not while this instance owns the store.
	Keep func(file []byte) error
	// Disk, if set, is told the condition of this instance's own disk when it has changed.
	Disk func(etcd.Disk)
	// Requests serves what is below RequestsPath on the peer port.
	Requests     http.Handler
	RequestsPath string
	Log          *slog.Logger
}

// ServeHTTP serves what instances say to each other on the peer port.
func (p *Peers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.cfg.Requests != nil && strings.HasPrefix(r.URL.Path, p.cfg.RequestsPath+"/") {
		p.cfg.Requests.ServeHTTP(w, r)
		return
	}
	p.streams.Handler().ServeHTTP(w, r)
}

// Peers are the other instances, as one is joined to them. Any goroutine may use it.
type Peers struct {
	cfg     Config
	streams *streams.Streams
	facts   *facts
	disks   *disks
	bell    chan struct{}
	stop    func() // and waits
}

// Times of taking over.
const (
	// lookEvery is how often it is looked who the members are, and whether the owner is heard, without news.
	lookEvery = 100 * time.Millisecond
	lookSoon  = 10 * time.Millisecond
	// lineStep is how much later each next one in line tries to take the owner's place.
	lineStep = 100 * time.Millisecond
	// unfitSteps is for how many more of these steps one waits whose disk is not well, where another's is.
	unfitSteps = 30
	// askAgain is how soon the lead of the store is asked for again.
	askAgain = time.Second
)

// Heartbeats says when a member is suspected. The number of heartbeats, of 10 ms, is of those that may be missing where the
// stream goes on: a machine that is cut off, or a process that is stopped. One that dies has its streams broken at once, and is
// not waited for.
func Heartbeats() liveness.Config { return liveness.Config{Missed: 40} }

// Silent reports whether another member was heard, and is heard no longer.
func (p *Peers) Silent(member string) bool { return p.streams.Suspected(number(member)) }

// Hears reports whether this instance hears another member.
func (p *Peers) Hears(member string) bool { return p.streams.Heard(number(member)) }

// ring has the loop look at once.
func (p *Peers) ring() {
	select {
	case p.bell <- struct{}{}:
	default:
	}
}

// number is the number of a member in streams.
func number(member string) streams.ID {
	n, _ := strconv.ParseUint(member, 16, 64) // the store's
	return streams.ID(n)
}

// others are the members but this one.
func others(list []etcd.Member) (peers []streams.Peer) {
	for _, m := range list {
		if !m.Self && m.Address != "" {
			peers = append(peers, streams.Peer{ID: number(m.ID), Name: m.Name, Addr: m.Address})
		}
	}
	return peers
}

// line is the order in which members take an owner's place: the store's leader last, so that no instance has both for long,
// and behind it those whose disks are not well. Who has no vote takes none.
func line(list []etcd.Member) (ids []streams.ID) {
	list = slices.DeleteFunc(slices.Clone(list), func(m etcd.Member) bool { return m.Learner })
	slices.SortFunc(list, func(a, b etcd.Member) int {
		return cmp.Or(cmp.Compare(order(!a.Disk.Fit()), order(!b.Disk.Fit())), cmp.Compare(order(a.Leader), order(b.Leader)),
			cmp.Compare(number(a.ID), number(b.ID)))
	})
	for _, m := range list {
		ids = append(ids, number(m.ID))
	}
	return ids
}

func order(last bool) int {
	if last {
		return 1
	}
	return 0
}

// place is how many that are alive are before an instance in line; -1: it is not in line.
func place(line []streams.ID, self streams.ID, heard func(streams.ID) bool) int {
	n := 0
	for _, id := range line {
		switch {
		case id == self:
			return n
		case heard(id):
			n++
		}
	}
	return -1
}

// waits is how many steps an instance waits before it takes a place: as place, and more if its disk is not well.
func waits(list []etcd.Member, line []streams.ID, self streams.ID, heard func(streams.ID) bool) int {
	n := place(line, self, heard)
	me, known := find(list, self)
	if n <= 0 || !known || me.Disk.Fit() {
		return n
	}
	for _, m := range list {
		if m.Disk.Fit() && !m.Learner && heard(number(m.ID)) {
			return n + unfitSteps
		}
	}
	return n
}

// find is a member by its number.
func find(list []etcd.Member, id streams.ID) (etcd.Member, bool) {
	for _, m := range list {
		if number(m.ID) == id {
			return m, true
		}
	}
	return etcd.Member{}, false
}

// yields is why a member leaves its place, as the owner or the leader, to this one: its disk is not well, and this one's is;
// empty: it does not.
func yields(list []etcd.Member, member, self streams.ID) string {
	m, known := find(list, member)
	me, there := find(list, self)
	if !known || !there || m.Disk.Fit() || me.Learner || !me.Disk.Fit() {
		return ""
	}
	return m.Disk.String()
}

// watch decides when an owner's place is to be taken.
type watch struct {
	owner liveness.Life
	since time.Time // of when nobody hears it; zero: somebody does
}

// look reports whether to take the place of an owner now, and otherwise when to look again, as far as that is known. place
// is as of place.
func (w *watch) look(now time.Time, owner liveness.Life, unheard bool, place int) (take bool, next time.Duration) {
	if owner != w.owner || !unheard {
		*w = watch{owner: owner}
	}
	if !unheard || place < 0 {
		return false, lookEvery
	}
	if w.since.IsZero() {
		w.since = now
	}
	if wait := time.Duration(place)*lineStep - now.Sub(w.since); wait > 0 {
		return false, min(wait, lookEvery)
	}
	return true, lookEvery
}

// leaders is the order in which members take the lead of the store: the owner last.
func leaders(list []etcd.Member, owner streams.ID) (ids []streams.ID) {
	list = slices.Clone(list)
	for i := range list {
		list[i].Leader = number(list[i].ID) == owner
	}
	return line(list)
}

// leadWatch decides when the lead of the store is to be taken.
type leadWatch struct {
	watch
	asked time.Time     // when it was tried last
	said  liveness.Life // of which that was logged
}

// look is as that of a watch; who has asked for the lead does not ask again before an election could have ended.
func (w *leadWatch) look(now time.Time, leader liveness.Life, unheard bool, place int) (take bool, next time.Duration) {
	take, next = w.watch.look(now, leader, unheard, place)
	if take && now.Sub(w.asked) < askAgain {
		return false, next
	}
	if take {
		w.asked = now
	}
	return take, next
}
