package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/store/etcd"
	"github.com/weirnet/weir/store/owner"
	"github.com/weirnet/weir/tokens"
)

// newLife numbers a life of this instance for the others.
func newLife() uint64 { return 1 + rand.Uint64N(math.MaxUint64) }

// members are this instance, which decides, and the others.
func (n *node) members() []client.Member {
	switches := 0
	for sw := range n.view.Snapshot().Switches() {
		if sw.Connected && sw.Master == n.cfg.Name {
			switches++
		}
	}
	state := "ready"
	if err := n.ready(); err != nil {
		state = err.Error()
	}
	self := client.Member{Name: n.cfg.Name, Address: n.cfg.API.Listen, State: state, Owner: true, Switches: switches}
	return memberRows(clusterOf(n.store), n.others, n.own, self, nil)
}

// memberRows are self, the owner as another tells of it (nil: self is), those that stand by, and members of the store of
// whose instances nothing is known, in the order of their names. members is nil where the store is elsewhere, others where
// there can be none, own where the store is this instance's alone.
func memberRows(members *etcd.Cluster, others *peers, own *owner.Claim, self client.Member,
	by *owner.Instance) []client.Member {
	rows := []client.Member{self}
	ids := []string{selfOf(members).ID}
	add := func(i *owner.Instance, row client.Member) {
		if i.Member != "" && slices.Contains(ids, i.Member) { // of the process before, whose lease lasts
			return
		}
		if others != nil && others.Silent(i.Member) {
			row.State = "away"
		}
		row.Name, row.Address = i.Name, i.API
		rows, ids = append(rows, row), append(ids, i.Member)
	}
	if by != nil {
		add(by, client.Member{State: "owner", Owner: true})
	}
	if own != nil {
		for _, s := range own.Standbys() {
			add(&s, client.Member{State: "standby"})
		}
	}
	if members == nil {
		for i := range rows {
			rows[i].Leader = rows[i].Owner
		}
	} else {
		for _, m := range members.Members() {
			at := slices.Index(ids, m.ID)
			if at < 0 {
				state := "away"
				if others != nil && others.Hears(m.ID) {
					state = "starting"
				}
				at, rows, ids = len(rows), append(rows, client.Member{Name: m.Name, State: state}), append(ids, m.ID)
			}
			if row := &rows[at]; m.Name == "" {
				row.Name, row.State = "("+m.Address+")", "added, not begun"
			} else if m.Learner {
				row.State = "learning"
			} else if state := m.Disk.State(); state != "" && row.State != "away" {
				row.State = state
			}
			rows[at].Peer, rows[at].Leader = m.Address, m.Leader
		}
	}
	slices.SortStableFunc(rows, func(a, b client.Member) int { return strings.Compare(a.Name, b.Name) })
	return rows
}

// selfOf is this instance's member of a cluster; the zero value where there is none.
func selfOf(members *etcd.Cluster) (self etcd.Member) {
	if members == nil {
		return self
	}
	for _, m := range members.Members() {
		if m.Self {
			self = m
		}
	}
	return self
}

// roster changes the members of the cluster for the API.
type roster struct {
	cluster *etcd.Cluster
	tokens  *tokens.Table
}

// Add implements api.Roster.
func (r roster) Add(ctx context.Context, peer string) (client.Member, error) {
	if !config.IsAddress(peer) {
		return client.Member{}, &rest.Refusal{Status: http.StatusUnprocessableEntity,
			Detail: fmt.Sprintf("peer %q: want HOST:PORT, the --peer of the new member, such as 10.0.0.2:9876", peer)}
	}
	m, err := r.cluster.Add(ctx, peer)
	if err != nil {
		return client.Member{}, rosterError(err)
	}
	return client.Member{Name: "(" + m.Address + ")", State: "added, not begun", Peer: m.Address}, nil
}

// Remove implements api.Roster.
func (r roster) Remove(ctx context.Context, name string) error {
	list := r.cluster.Members()
	at := slices.IndexFunc(list, func(m etcd.Member) bool {
		return m.Name == name || m.Name == "" && (m.Address == name || "("+m.Address+")" == name)
	})
	switch {
	case at < 0:
		return &rest.Refusal{Status: http.StatusNotFound, Detail: fmt.Sprintf("there is no member %s: there are %s", name,
			strings.Join(memberNames(list), ", "))}
	case list[at].Self && len(list) > 1:
		return &rest.Refusal{Status: http.StatusConflict, Detail: fmt.Sprintf("%s decides for the network now: stop it, so that "+
			"another one does, and remove it then", name)}
	}
	if err := r.cluster.Remove(ctx, list[at].ID); err != nil || list[at].Name == "" {
		return rosterError(err)
	}
	return r.tokens.Withdraw(list[at].Name)
}

func memberNames(list []etcd.Member) (names []string) {
	for _, m := range list {
		names = append(names, cmp.Or(m.Name, m.Address))
	}
	return names
}

// rosterError is the error of a change of the members for the API.
func rosterError(err error) error {
	switch {
	case errors.Is(err, etcd.ErrRefused):
		return &rest.Refusal{Status: http.StatusConflict, Detail: strings.TrimPrefix(err.Error(), etcd.ErrRefused.Error()+": ")}
	case errors.Is(err, etcd.ErrNotNow):
		return &rest.Refusal{Status: http.StatusServiceUnavailable, Detail: err.Error()}
	}
	return err
}
