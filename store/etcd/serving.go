package etcd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"go.etcd.io/etcd/client/pkg/v3/types"
	etcderrors "go.etcd.io/etcd/server/v3/etcdserver/errors"

	"github.com/weirnet/weir/store"
)

// campaignEvery is how often a member that is alone is made to elect itself, until it has.
const campaignEvery = 10 * time.Millisecond

// waitsEvery is how often a member says what it waits for, and waitsFirst when it does so first.
const (
	waitsEvery = 10 * time.Second
	waitsFirst = 500 * time.Millisecond
)

// awaitServing waits until the member serves: where there are others, until so many of them are there that something can
// be decided, without limit.
func (m *member) awaitServing(ctx context.Context) error {
	say := time.Now().Add(waitsFirst)
	alone := isAlone(roster(m.server))
	if alone {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, readyLimit)
		defer cancel()
	}
	ticker := time.NewTicker(campaignEvery)
	defer ticker.Stop()
	for {
		select {
		case <-m.server.ReadyNotify():
			return nil
		case <-m.server.StopNotify():
			return m.whyEnded()
		case <-ctx.Done():
			return fmt.Errorf("%w: it did not start: %w", store.ErrUnavailable, ctx.Err())
		case <-ticker.C:
		}
		if alone {
			m.campaignAlone(ctx)
			continue
		}
		if now := time.Now(); now.After(say) {
			say = now.Add(waitsEvery)
			what := waitsFor(roster(m.server))
			m.cfg.Waits(what)
			m.cfg.Log.Warn("the store cannot serve yet: this member waits", "for", what)
		}
	}
}

// awaitRoom waits until there is room for what etcd needs when it begins, without limit, where other members go on meanwhile.
// A quarter of the reserve is enough, as for one without which the others are too few: whether they are is known only when it
// has begun, and where they are not it parts from them at once.
func (m *member) awaitRoom(ctx context.Context) error {
	var said time.Time
	for m.cfg.Peer != nil && m.cfg.several() && !m.cfg.fresh() && m.free() < m.cfg.Reserve/mendAbove {
		if time.Since(said) >= waitsEvery {
			said = time.Now()
			why := shortage(m.cfg.Dir, m.free(), m.cfg.Reserve/mendAbove)
			m.cfg.Waits("room on its disk: " + why)
			m.cfg.Log.Error("the store cannot begin yet: this member waits for room on its disk", "reason", why)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", store.ErrUnavailable, ctx.Err())
		case <-time.After(checkInterval):
		}
	}
	return nil
}

// isAlone reports whether this member is the only one, and has a vote.
func isAlone(list []Member) bool {
	return len(list) == 1 && list[0].Self && !list[0].Learner
}

// campaignAlone has a member that is alone elect itself now, and not after an election timeout.
func (m *member) campaignAlone(ctx context.Context) {
	if m.server.Leader() != m.server.MemberID() && isAlone(roster(m.server)) {
		_ = (&Cluster{m}).Campaign(ctx) // tried again
	}
}

// waitsFor says which other members this one waits for.
func waitsFor(list []Member) string {
	var names []string
	for _, e := range list {
		if !e.Self && !e.Learner {
			names = append(names, e.String())
		}
	}
	return "more than half of the members with a vote: itself and " + strings.Join(names, ", ")
}

// whyEnded is why etcd has ended by itself.
func (m *member) whyEnded() error {
	if m.bridge.removed.Load() || m.server.IsIDRemoved(uint64(m.server.MemberID())) {
		return ErrRemoved
	}
	return fmt.Errorf("%w: etcd has stopped", store.ErrUnavailable)
}

// ErrRemoved says that this member was removed from the cluster.
var ErrRemoved = errors.New("this member was removed from the cluster: to take it in again, move its directory away and " +
	"start it with --join")

// learn has a learner be sent what the others know, and waits until the leader gives it a vote.
func (m *member) learn(ctx context.Context) error {
	said := time.Now()
	for m.server.IsLearner() {
		m.cfg.Waits("its vote: it is sent what the others know")
		for _, e := range roster(m.server) {
			if e.Name == m.cfg.Name && !e.Self {
				return fmt.Errorf("%w: the cluster has %s already: choose another --name", ErrRefused, &e)
			}
		}
		call, cancel := context.WithTimeout(ctx, changeTry)
		_, err := m.server.PromoteMember(call, uint64(m.server.MemberID()))
		cancel()
		if err != nil && time.Since(said) >= waitsEvery {
			said = time.Now()
			m.cfg.Log.Warn("this member has no vote yet", "error", err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", store.ErrUnavailable, ctx.Err())
		case <-m.server.StopNotify():
			return m.whyEnded()
		case <-time.After(joinRetry / 4):
		}
	}
	return nil
}

// passing are errors of etcd's server, and of its client, of a time in which the lead of the store goes to another member.
var passing = []error{rpctypes.ErrLeaderChanged, rpctypes.ErrNoLeader, rpctypes.ErrTimeout, rpctypes.ErrTimeoutDueToLeaderFail,
	rpctypes.ErrTimeoutDueToConnectionLost, rpctypes.ErrTimeoutWaitAppliedIndex, rpctypes.ErrUnhealthy,
	etcderrors.ErrLeaderChanged, etcderrors.ErrNoLeader, etcderrors.ErrTimeout,
	etcderrors.ErrTimeoutDueToLeaderFail, etcderrors.ErrTimeoutDueToConnectionLost, etcderrors.ErrTimeoutLeaderTransfer,
	etcderrors.ErrTimeoutWaitAppliedIndex, etcderrors.ErrUnhealthy}

// again asks the store for something until it answers: of several members one may take the lead meanwhile, and what is on its
// way then fails.
func (m *member) again(ctx context.Context, ask func() error) error {
	for {
		err := ask()
		if err == nil || !slices.ContainsFunc(passing, func(p error) bool { return errors.Is(err, p) }) {
			return err
		}
		m.cfg.Waits("a leader of the store: " + err.Error())
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", store.ErrUnavailable, ctx.Err())
		case <-m.server.StopNotify():
			return m.whyEnded()
		case <-time.After(joinRetry):
		}
	}
}

// publishAddress tells the others where the peer port is, if it is not where they know it to be.
func (m *member) publishAddress(ctx context.Context) error {
	if m.cfg.Peer == nil {
		return nil
	}
	self := m.server.Cluster().Member(m.server.MemberID())
	if self == nil || len(self.PeerURLs) == 1 && self.PeerURLs[0] == m.cfg.Peer.url() {
		return nil
	}
	urls, err := types.NewURLs([]string{m.cfg.Peer.url()})
	if err != nil {
		return err
	}
	moved := *self
	moved.PeerURLs = urls.StringSlice()
	ctx, cancel := context.WithTimeout(ctx, memberLimit)
	defer cancel()
	if _, err := m.server.UpdateMember(ctx, moved); err != nil {
		return fmt.Errorf("telling the other members that this one is at %s: %w", m.cfg.Peer.Address, memberError(err))
	}
	return nil
}
