package etcd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	etcderrors "go.etcd.io/etcd/server/v3/etcdserver/errors"

	"github.com/weirnet/weir/store"
)

// instance is what a member of a test's cluster is started with.
type instance struct {
	name, dir, address string
	*Store
}

// startMember starts one that asks others to take it in; none: it begins a cluster, or goes on.
func startMember(t *testing.T, name, dir, address string, join ...string) (*instance, error) {
	t.Helper()
	return startMemberOf(t.Context(), t, name, dir, address, func(string, *Config) {}, join...)
}

// startMemberOf starts one with a configuration that is changed before.
func startMemberOf(ctx context.Context, t *testing.T, name, dir, address string, change func(name string, cfg *Config),
	join ...string) (*instance, error) {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	i := &instance{name: name, dir: dir, address: l.Addr().String()}
	cfg := Config{Name: name, Dir: dir, Peer: &Peer{Listener: l, Address: i.address, Join: join}}
	change(name, &cfg)
	i.Store, err = Start(ctx, cfg)
	if err == nil {
		t.Cleanup(func() { i.Close() })
	}
	return i, err
}

func mustStart(t *testing.T, name, dir, address string, join ...string) *instance {
	t.Helper()
	i, err := startMember(t, name, dir, address, join...)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return i
}

// startCluster starts three, the second and the third at once.
func startCluster(t *testing.T, change ...func(name string, cfg *Config)) (list [3]*instance) {
	t.Helper()
	dir := t.TempDir()
	changed := func(name string, cfg *Config) {
		for _, f := range change {
			f(name, cfg)
		}
	}
	var err error
	if list[0], err = startMemberOf(t.Context(), t, "a", filepath.Join(dir, "a"), "127.0.0.1:0", changed); err != nil {
		t.Fatal(err)
	}
	started := make(chan error)
	for n, name := range []string{"b", "c"} {
		go func() {
			var err error
			list[n+1], err = startMemberOf(t.Context(), t, name, filepath.Join(dir, name), "127.0.0.1:0", changed,
				list[0].address)
			started <- err
		}()
	}
	for range 2 {
		if err := <-started; err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// put writes a key by a member, and tries again where the store cannot take it, or does not say whether it has.
func (i *instance) put(t *testing.T, key, value string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		_, err := i.Txn(ctx, store.Txn{Then: []store.Op{store.Put([]byte(key), []byte(value))}})
		switch {
		case err == nil:
			return
		case ctx.Err() != nil || !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrUnknown):
			t.Fatalf("%s: put %s: %v", i.name, key, err)
		}
	}
}

func (i *instance) get(t *testing.T, key string) string {
	t.Helper()
	page, err := i.Range(t.Context(), store.Query{Span: store.Key(key)})
	if err != nil {
		t.Fatalf("%s: get %s: %v", i.name, key, err)
	}
	if len(page.Pairs) == 0 {
		return ""
	}
	return string(page.Pairs[0].Value)
}

// names are the members as one knows them, with a * for those without a vote.
func names(list []Member) string {
	var out []string
	for _, m := range list {
		if m.Learner {
			m.Name += "*"
		}
		out = append(out, m.Name)
	}
	return strings.Join(out, " ")
}

// TestClusterOfThree: three members hold one store, each takes transactions, and any two go on without the third, which
// comes back and has what it missed.
func TestClusterOfThree(t *testing.T) {
	list := startCluster(t)
	for _, i := range list {
		if got := names(i.Cluster().Members()); got != "a b c" {
			t.Errorf("%s: the members are %s, want a b c", i.name, got)
		}
		if i.Cluster().ID() != list[0].Cluster().ID() {
			t.Errorf("%s is of another cluster", i.name)
		}
		i.put(t, i.name, "1")
	}
	for _, i := range list {
		for _, key := range []string{"a", "b", "c"} {
			if got := i.get(t, key); got != "1" {
				t.Errorf("%s: %s is %q", i.name, key, got)
			}
		}
	}
	for round, gone := range list {
		gone.Close()
		for n, i := range list {
			if n != round {
				i.put(t, i.name, fmt.Sprint("without ", gone.name))
			}
		}
		list[round] = mustStart(t, gone.name, gone.dir, gone.address)
		for n, i := range list {
			if n != round {
				if got, want := list[round].get(t, i.name), "without "+gone.name; got != want {
					t.Errorf("%s came back: %s is %q, want %q", gone.name, i.name, got, want)
				}
			}
		}
	}
}

// TestJoinRefused: who cannot be taken in is told why in a line, and the cluster is as before.
func TestJoinRefused(t *testing.T) {
	dir := t.TempDir()
	a := mustStart(t, "a", filepath.Join(dir, "a"), "127.0.0.1:0")
	b := mustStart(t, "b", filepath.Join(dir, "b"), "127.0.0.1:0", a.address)
	other := mustStart(t, "z", filepath.Join(dir, "z"), "127.0.0.1:0")
	other.Close()
	refused := func(what, want string, start func() (*instance, error)) {
		t.Helper()
		i, err := start()
		if err == nil {
			i.Close()
			t.Errorf("%s: it was taken in", what)
		} else if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q in one line", what, err, want)
		}
		if got := names(a.Cluster().Members()); got != "a b" {
			t.Errorf("%s: the members are %s, want a b", what, got)
		}
	}
	refused("the name of another", "the cluster has member b ("+b.address+") already", func() (*instance, error) {
		return startMember(t, "b", filepath.Join(dir, "c"), "127.0.0.1:0", a.address)
	})
	refused("a directory with a store of its own", "has a store of its own", func() (*instance, error) {
		return startMember(t, "z", other.dir, other.address, a.address)
	})
	refused("an address at which another is", "another instance than it is at "+a.address, func() (*instance, error) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		s, err := Start(t.Context(), Config{Name: "c", Dir: filepath.Join(dir, "c"),
			Peer: &Peer{Listener: l, Address: a.address, Join: []string{b.address}}})
		return &instance{Store: s}, err
	})
	refused("an address that cannot be reached", "it cannot be reached at 127.0.0.1:1", func() (*instance, error) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		s, err := Start(t.Context(), Config{Name: "c", Dir: filepath.Join(dir, "c"),
			Peer: &Peer{Listener: l, Address: "127.0.0.1:1", Join: []string{a.address}}})
		return &instance{Store: s}, err
	})
	c := mustStart(t, "c", filepath.Join(dir, "c"), "127.0.0.1:0", a.address)
	if got := names(c.Cluster().Members()); got != "a b c" {
		t.Errorf("the members are %s, want a b c", got)
	}
	c.Close()
	if _, err := startMember(t, "c", c.dir, c.address, other.address); err == nil ||
		!strings.Contains(err.Error(), "is that of another cluster") {
		t.Errorf("the directory of another cluster: %v", err)
	}
	a.put(t, "after", "all")
}

// TestMemberRemoved: a member that is removed ends, and says so when it is started again; with an empty directory it is
// taken in anew.
func TestMemberRemoved(t *testing.T) {
	list := startCluster(t)
	c := list[2]
	var id string
	for _, m := range c.Cluster().Members() {
		if m.Self {
			id = m.ID
		}
	}
	if err := list[0].Cluster().Remove(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	<-c.Ended()
	if _, err := c.Status(t.Context()); !errors.Is(err, ErrRemoved) {
		t.Errorf("its status: %v", err)
	}
	if err := c.Cluster().Removed(); !errors.Is(err, ErrRemoved) {
		t.Errorf("it ended because: %v", err)
	}
	c.Close()
	if _, err := startMember(t, "c", c.dir, c.address); !errors.Is(err, ErrRemoved) {
		t.Errorf("started again: %v, want %v", err, ErrRemoved)
	}
	again := mustStart(t, "c", c.dir+"-new", c.address, list[1].address)
	again.put(t, "again", "yes")
	if got := names(list[0].Cluster().Members()); got != "a b c" {
		t.Errorf("the members are %s, want a b c", got)
	}
}

// TestLostDisk: a member whose directory is gone joins anew at its address, and has all.
func TestLostDisk(t *testing.T) {
	list := startCluster(t)
	list[0].put(t, "kept", "yes")
	list[2].Close()
	if err := os.Truncate(filepath.Join(list[2].dir, "member", "snap", "db"), 0); err != nil {
		t.Fatal(err)
	}
	_, err := startMember(t, "c", list[2].dir, list[2].address)
	if err == nil || !strings.Contains(err.Error(), "is damaged") || !strings.Contains(err.Error(), "start with --join") {
		t.Errorf("a damaged file of a member of three: %v", err)
	}
	again := mustStart(t, "c", list[2].dir+"-new", list[2].address, list[0].address)
	if got := again.get(t, "kept"); got != "yes" {
		t.Errorf("it has %q", got)
	}
	if got := names(list[0].Cluster().Members()); got != "a b c" {
		t.Errorf("the members are %s, want a b c", got)
	}
	list[0].Close() // the other two are a majority, with a vote each
	again.put(t, "without a", "yes")
}

// TestLeaderChangesAtAStart: what a member asks while it begins, and another one takes the lead, it asks again; what is wrong it
// tells at once.
func TestLeaderChangesAtAStart(t *testing.T) {
	a := mustStart(t, "a", t.TempDir(), "127.0.0.1:0")
	for _, leaderless := range []error{rpctypes.ErrLeaderChanged, etcderrors.ErrLeaderChanged,
		memberError(etcderrors.ErrTimeoutDueToLeaderFail), memberError(rpctypes.ErrNoLeader)} {
		asked := 0
		err := a.member.again(t.Context(), func() error {
			if asked++; asked == 1 {
				return leaderless
			}
			return nil
		})
		if err != nil || asked != 2 {
			t.Errorf("%v: asked %d times, %v", leaderless, asked, err)
		}
	}
	asked := 0
	if err := a.member.again(t.Context(), func() error { asked++; return ErrRefused }); err != ErrRefused || asked != 1 {
		t.Errorf("refused: asked %d times, %v", asked, err)
	}
}

// TestMemberMoves: a member that is started at another address tells the others.
func TestMemberMoves(t *testing.T) {
	list := startCluster(t)
	list[1].Close()
	moved := mustStart(t, "b", list[1].dir, "127.0.0.1:0")
	list[2].Close()
	moved.put(t, "moved", "yes") // by a and b
	if got := list[0].get(t, "moved"); got != "yes" {
		t.Errorf("it has %q", got)
	}
}

// TestAddedBefore: a member that was added by its address begins as that one.
func TestAddedBefore(t *testing.T) {
	a := mustStart(t, "a", t.TempDir(), "127.0.0.1:0")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	l.Close()
	added, err := a.Cluster().Add(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	a.put(t, "alone", "yes") // it has no vote
	if _, err := a.Cluster().Add(t.Context(), at); !errors.Is(err, ErrRefused) {
		t.Errorf("added twice: %v", err)
	}
	b := mustStart(t, "b", t.TempDir(), at, a.address)
	for _, m := range b.Cluster().Members() {
		if m.Self && m.ID != added.ID {
			t.Errorf("it began as %s, want %s", m.ID, added.ID)
		}
	}
	if err := a.Cluster().Remove(t.Context(), "1"); !errors.Is(err, ErrRefused) {
		t.Errorf("a member that is not there was removed: %v", err)
	}
}

// TestNobodyAnswers: where nobody is, or what is no instance, that is said.
func TestNobodyAnswers(t *testing.T) {
	_, err := startMember(t, "a", t.TempDir(), "127.0.0.1:0", "127.0.0.1:1")
	if err == nil || !strings.Contains(err.Error(), "no member of a cluster takes this instance in (--join)") {
		t.Errorf("%v", err)
	}
	const own = "127.0.0.1:29876"
	_, err = startMember(t, "a", t.TempDir(), own, own)
	if err == nil || !strings.Contains(err.Error(), "--join="+own+" is this instance's own --peer") {
		t.Errorf("asked to join itself: %v", err)
	}
}

// TestDefragmentInTurn: of several members one defragments its file at a time, and not while it leads.
func TestDefragmentInTurn(t *testing.T) {
	list := startCluster(t)
	var leader *instance
	for _, i := range list {
		for _, m := range i.Cluster().Members() {
			if m.Self && m.Leader {
				leader = i
			}
		}
	}
	over, err := list[0].turn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := leader.Defragment(t.Context()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("two at a time: %v", err)
	}
	over()
	if err := leader.Defragment(t.Context()); err != nil {
		t.Error(err)
	}
	for _, m := range leader.Cluster().Members() {
		if m.Self && m.Leader {
			t.Error("the leader has defragmented its file, and leads")
		}
	}
	leader.put(t, "after", "1")
}

// TestKilledWhileItJoins: a member that ends at any moment while it joins comes back by the same command.
func TestKilledWhileItJoins(t *testing.T) {
	a := mustStart(t, "a", t.TempDir(), "127.0.0.1:0")
	dir, address := filepath.Join(t.TempDir(), "b"), "127.0.0.1:0"
	for i := range 8 {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		address = l.Addr().String()
		ctx, end := context.WithCancel(t.Context())
		s, err := Start(ctx, Config{Name: "b", Dir: dir, Waits: func(string) {
			if i--; i < 0 { // each time some steps later
				end()
			}
		}, Peer: &Peer{Listener: l, Address: address, Join: []string{a.address}}})
		end()
		if err == nil {
			s.Close()
		} else if errors.Is(err, ErrRefused) {
			t.Fatal(err)
		}
	}
	b := mustStart(t, "b", dir, address, a.address)
	b.put(t, "joined", "yes")
	if got := names(a.Cluster().Members()); got != "a b" {
		t.Errorf("the members are %s, want a b", got)
	}
}

// TestLeaderDies: transactions that were on their way to a leader that is gone do not wait for their deadline, and what is
// written again is there.
func TestLeaderDies(t *testing.T) {
	list := startCluster(t)
	for list[0].member.server.Leader() != list[0].member.server.MemberID() {
		list[0], list[1], list[2] = list[1], list[2], list[0]
	}
	began, over := make(chan struct{}, 100), make(chan struct{})
	var writers sync.WaitGroup
	for w := range 8 {
		writers.Go(func() {
			for n := 0; ; n++ {
				key := []byte(fmt.Sprint(w, "/", n))
				_, err := list[1].Txn(t.Context(), store.Txn{Then: []store.Op{store.Put(key, key)}})
				if err != nil && (errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "timed out")) {
					t.Errorf("writer %d: %v", w, err)
				}
				select {
				case <-over:
					return
				case began <- struct{}{}:
				default:
				}
			}
		})
	}
	for range 80 {
		<-began
	}
	list[0].member.server.HardStop()
	list[2].put(t, "after", "yes")
	close(over)
	writers.Wait()
	if got := list[1].get(t, "after"); got != "yes" {
		t.Errorf("it has %q", got)
	}
}

// TestFullMember: a member whose store is full can still become the owner, and make room.
func TestFullMember(t *testing.T) {
	a := mustStart(t, "a", t.TempDir(), "127.0.0.1:0")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	full, err := Start(t.Context(), Config{Name: "b", Dir: filepath.Join(t.TempDir(), "b"), Quota: 1,
		Peer: &Peer{Listener: l, Address: l.Addr().String(), Join: []string{a.address}}})
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	row := store.Put([]byte("instances/owner"), []byte("b"))
	if _, err := full.Txn(t.Context(), store.Txn{Then: []store.Op{row}}); err != nil {
		t.Errorf("the owner's row: %v", err)
	}
	more := []store.Op{row, store.Put([]byte("k"), nil)}
	if _, err := full.Txn(t.Context(), store.Txn{Then: more}); !errors.Is(err, store.ErrFull) {
		t.Errorf("all else: %v", err)
	}
	if err := full.Defragment(t.Context()); err != nil {
		t.Errorf("it makes no room: %v", err)
	}
}
