package etcd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/types"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.etcd.io/etcd/server/v3/etcdserver/api/membership"
	"go.etcd.io/raft/v3/raftpb"

	"github.com/weirnet/weir/store"
)

// Member is a member of the cluster.
type Member struct {
	ID      string // in hexadecimal
	Name    string // of its instance; empty: it has not begun yet
	Address string // of its peer port, HOST:PORT
	Learner bool   // it has no vote yet
	Leader  bool   // of the store, as far as this member knows
	Self    bool
	Disk    Disk // of its store, as far as this member knows (Cluster.Judge)
}

// String names a member in messages.
func (m *Member) String() string {
	if m.Name == "" {
		return "the member at " + m.Address + " that has not begun yet"
	}
	return "member " + m.Name + " (" + m.Address + ")"
}

// Cluster are the members that hold the store of this process. Any goroutine may use it.
type Cluster struct{ m *member }

// Cluster returns that of a member in this process; nil for a remote one.
func (s *Store) Cluster() *Cluster {
	if s.member == nil {
		return nil
	}
	return &Cluster{s.member}
}

// Open reports whether there can be other members: this one has a peer port.
func (c *Cluster) Open() bool { return c != nil && c.m.port != nil }

// ID is the cluster's; random.
func (c *Cluster) ID() uint64 { return uint64(c.m.server.Cluster().ID()) }

// Members are the members, as this one knows, in the order of their names.
func (c *Cluster) Members() []Member {
	list := roster(c.m.server)
	for i := range list {
		list[i].Disk, _ = c.m.disk.of(&list[i])
	}
	return list
}

func roster(s *etcdserver.EtcdServer) []Member {
	list := s.Cluster().Members()
	out := make([]Member, len(list))
	for i, e := range list {
		out[i] = Member{ID: e.ID.String(), Name: e.Name, Learner: e.IsLearner, Leader: e.ID == s.Leader(),
			Self: e.ID == s.MemberID(), Address: addressOf(e)}
	}
	slices.SortFunc(out, func(a, b Member) int {
		return strings.Compare(a.Name+"\x00"+a.Address, b.Name+"\x00"+b.Address)
	})
	return out
}

// addressOf is where a member's peer port is.
func addressOf(e *membership.Member) string {
	if len(e.PeerURLs) == 0 {
		return ""
	}
	_, address, _ := strings.Cut(e.PeerURLs[0], "://")
	return address
}

// voters is how many members have a vote.
func voters(list []Member) (n int) {
	for _, m := range list {
		if !m.Learner {
			n++
		}
	}
	return n
}

// Errors of changes of the members, to be told to who asked for them.
var (
	// ErrNotNow is a change that is refused as long as the cluster is not well: later it may be taken.
	ErrNotNow = errors.New("not now")
	// ErrRefused is a change that would harm, or has no meaning.
	ErrRefused = errors.New("refused")
)

// memberLimit is how long a change of the members may take, and changeTry how long one try.
const (
	memberLimit = 5 * time.Second
	changeTry   = 500 * time.Millisecond
)

// Serve has a handler answer what comes to the peer port below OwnPath. Without a peer port it does nothing.
func (c *Cluster) Serve(h http.Handler) {
	if c.m.port != nil {
		c.m.port.own.Store(&h)
	}
}

// Removed returns ErrRemoved if this member was removed from the cluster, and has ended therefore.
func (c *Cluster) Removed() error {
	if err := c.m.whyEnded(); errors.Is(err, ErrRemoved) {
		return err
	}
	return nil
}

// Add registers a member at an address, which has no vote and counts for nothing before it has begun and learned
// what the others know. It is found by its address when it joins.
func (c *Cluster) Add(ctx context.Context, address string) (Member, error) {
	m := c.m
	if m.port == nil {
		return Member{}, fmt.Errorf("%w: this instance has no peer port: start it with --peer", ErrRefused)
	}
	for _, e := range roster(m.server) {
		if e.Address == address {
			return Member{}, fmt.Errorf("%w: %s is there already", ErrRefused, &e)
		}
	}
	if err := m.cfg.noteSeveral(); err != nil {
		return Member{}, err
	}
	if err := c.addLearner(ctx, address); err != nil {
		return Member{}, err
	}
	for _, e := range roster(m.server) {
		if e.Address == address {
			return e, nil
		}
	}
	return Member{}, fmt.Errorf("%w: it was added, and removed by another at once", ErrRefused)
}

func (c *Cluster) addLearner(ctx context.Context, address string) error {
	m := c.m
	urls, err := types.NewURLs([]string{m.cfg.Peer.urlOf(address)})
	if err != nil {
		return fmt.Errorf("%w: the address %q: want HOST:PORT: %w", ErrRefused, address, err)
	}
	now := time.Now() // makes its id another one than that of who was at the address before
	e := membership.NewMemberAsLearner("", urls, "", &now)
	return c.change(ctx, func(ctx context.Context) error {
		_, err := m.server.AddMember(ctx, *e)
		return err
	}, func(list []Member) bool {
		return slices.ContainsFunc(list, func(e Member) bool { return e.Address == address })
	})
}

// change makes a change of the members, until done finds it in their list. Raft takes one at a time, and etcd does not tell
// of one that came while another was under way: it is made again.
func (c *Cluster) change(ctx context.Context, try func(context.Context) error, done func([]Member) bool) error {
	m := c.m
	ctx, cancel := context.WithTimeout(ctx, memberLimit)
	defer cancel()
	for {
		call, cancel := context.WithTimeout(ctx, changeTry)
		err := try(call)
		over := call.Err() != nil
		cancel()
		switch {
		case err == nil || done(roster(m.server)):
			return nil
		case !over || ctx.Err() != nil:
			return memberError(err)
		}
	}
}

// Remove removes a member, which ends when it learns of that. It is ErrNotNow if without it too few would be left
// that are alive.
func (c *Cluster) Remove(ctx context.Context, id string) error {
	m := c.m
	list := roster(m.server)
	at := slices.IndexFunc(list, func(e Member) bool { return e.ID == id })
	switch {
	case at < 0:
		return fmt.Errorf("%w: there is no such member", ErrRefused)
	case voters(list) == 1 && !list[at].Learner:
		return fmt.Errorf("%w: %s is the only one with a vote: nothing would be left", ErrRefused, &list[at])
	}
	if err := c.checkRemoval(ctx, list, list[at]); err != nil {
		return err
	}
	return c.remove(ctx, id)
}

func (c *Cluster) remove(ctx context.Context, id string) error {
	m := c.m
	number, err := types.IDFromString(id)
	if err != nil {
		return fmt.Errorf("%w: %q: want the id of a member: %w", ErrRefused, id, err)
	}
	return c.change(ctx, func(ctx context.Context) error {
		_, err := m.server.RemoveMember(ctx, uint64(number))
		return err
	}, func(list []Member) bool {
		return !slices.ContainsFunc(list, func(e Member) bool { return e.ID == id })
	})
}

// checkRemoval verifies that more than half of those with a vote are alive without a member. etcd's own check would do as
// well where nothing has changed for 5 s, and refuses all before.
func (c *Cluster) checkRemoval(ctx context.Context, list []Member, gone Member) error {
	m := c.m
	if gone.Learner {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, aliveLimit)
	defer cancel()
	alive, silent := 0, []string(nil)
	for _, e := range list {
		switch {
		case e.ID == gone.ID || e.Learner:
		case e.Self || m.port.answers(ctx, e.Address):
			alive++
		default:
			silent = append(silent, e.String())
		}
	}
	if left := voters(list) - 1; alive <= left/2 {
		return fmt.Errorf("%w: without %s %d of %d members with a vote would be alive, and more than half have to be: %s does "+
			"not answer", ErrNotNow, &gone, alive, left, strings.Join(silent, ", "))
	}
	return nil
}

// aliveLimit is how long all members may take to answer.
const aliveLimit = 2 * time.Second

// answers reports whether a member serves at an address.
func (p *peerPort) answers(ctx context.Context, address string) bool {
	_, status, err := p.get(ctx, p.cfg.urlOf(address)+"/version")
	return err == nil && status == http.StatusOK
}

// Campaign has this member ask for the lead now, and not after the election timeout: by the message with which a leader gives
// the lead away. Others vote for it though they have heard the leader lately, so it costs a leader that lives its lead, and no
// more.
func (c *Cluster) Campaign(ctx context.Context) error {
	self := uint64(c.m.server.MemberID())
	return c.m.server.Process(ctx, &raftpb.Message{Type: raftpb.MsgTimeoutNow.Enum(), From: &self, To: &self})
}

// moveLimit is how long one member may take to take the lead: some 50 ms, where nothing is wrong with it.
const moveLimit = 500 * time.Millisecond

// MoveLeader has another member lead the store, if this one does and another one can, whose disk is well. It returns when
// that one does.
func (c *Cluster) MoveLeader(ctx context.Context) error {
	m := c.m
	var last error
	for _, e := range roster(m.server) {
		if m.server.Leader() != m.server.MemberID() {
			return nil
		}
		call, cancel := context.WithTimeout(ctx, moveLimit)
		if !e.Self && !e.Learner && !m.disk.unfit(&e) && m.port.answers(call, e.Address) {
			id, _ := types.IDFromString(e.ID) // as it was given
			last = m.server.MoveLeader(call, uint64(m.server.MemberID()), uint64(id))
		}
		cancel()
	}
	if last != nil {
		return fmt.Errorf("%w: no other member takes the lead of the store: %w", store.ErrUnavailable, last)
	}
	return nil
}

// stopServer ends etcd, and gives the lead away before. etcd's own Stop asks one member alone, and waits for it for 6 s.
func (m *member) stopServer() {
	m.disk.mend() // as etcd's transport wants to find it
	if m.port != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 2*moveLimit)
		_ = (&Cluster{m}).MoveLeader(ctx) // the others elect one
		cancel()
	}
	m.server.HardStop()
}

// memberError is the error of a change of the members for who asked for it.
func memberError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, membership.ErrTooManyLearners):
		return fmt.Errorf("%w: %d members are without a vote already: let them begin, or remove them", ErrNotNow, maxLearners)
	case errors.Is(err, membership.ErrIDExists), errors.Is(err, membership.ErrPeerURLexists):
		return fmt.Errorf("%w: another member has that address", ErrRefused)
	}
	return writeError(err)
}
