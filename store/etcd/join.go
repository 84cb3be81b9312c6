package etcd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/types"

	"github.com/weirnet/weir/atomicfile"
	"github.com/weirnet/weir/store"
)

// A member joins a cluster in these steps. It listens on its peer port, and asks a member of the cluster (joinPath). That
// one asks back at the address that it was told (joiningPath), so that the address is one that works and nobody else's, and
// adds a learner. The new member begins, is sent what the others know, and asks the leader for its vote. A member that has
// been added at that address and has not begun is this one. So is one that has begun there, and cannot be there any more
// as this one is: it has lost its disk, and is removed first.

// joinRequest is what a new member says of itself.
type joinRequest struct {
	Name    string `json:"name"`
	Address string `json:"address"` // of its peer port
	Nonce   string `json:"nonce"`   // its answer to joiningPath
}

// joinAnswer says who is in the cluster, the new member included.
type joinAnswer struct {
	Members []joinMember `json:"members"`
}

type joinMember struct {
	ID   string `json:"id"` // in hexadecimal
	Name string `json:"name,omitempty"`
	URL  string `json:"url"`
}

const (
	joinRequestMax = 64 << 10 // bytes
	// joinLimit is how long all members that are named may be silent; joinRetry is how soon they are asked again.
	joinLimit = 10 * time.Second
	joinRetry = 100 * time.Millisecond
	// notNowLimit is how long a member that is refused for now asks again.
	notNowLimit = 30 * time.Second
)

// fresh reports whether no member has run in the directory.
func (c *Config) fresh() bool { return len(c.logFiles()) == 0 }

// logFiles are the files of the log, the oldest first.
func (c *Config) logFiles() (paths []string) {
	files, _ := os.ReadDir(c.logDir()) // none, where there is no directory
	for _, f := range files {
		if filepath.Ext(f.Name()) == ".wal" {
			paths = append(paths, filepath.Join(c.logDir(), f.Name()))
		}
	}
	return paths
}

// join asks the members that are named to take this one in, until one does, and returns who is in the cluster. waits is told if
// that takes long.
func (p *peerPort) join(ctx context.Context, name string, waits func(string)) (types.URLsMap, error) {
	body, err := json.Marshal(joinRequest{Name: name, Address: p.cfg.Address, Nonce: p.nonce})
	if err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(slices.Clone(p.cfg.Join), func(address string) bool { return address == p.cfg.Address })
	if len(others) == 0 {
		return nil, fmt.Errorf("%w: --join=%s is this instance's own --peer: give that of a member of the cluster, or leave --join "+
			"out where this instance is the first", ErrRefused, p.cfg.Address)
	}
	silent, patient := time.Now().Add(joinLimit), time.Now().Add(notNowLimit)
	for {
		var all []error
		for _, address := range others {
			answer, err := p.askToJoin(ctx, p.cfg.urlOf(address), body)
			switch {
			case err == nil:
				return answer.urls(name, p.cfg.url())
			case errors.Is(err, ErrRefused):
				return nil, fmt.Errorf("the member at %s (--join): %w", address, err)
			case errors.Is(err, ErrNotNow):
				silent = patient
			}
			all = append(all, fmt.Errorf("%s: %w", address, err))
		}
		if !time.Now().Before(silent) {
			return nil, fmt.Errorf("%w: no member of a cluster takes this instance in (--join): %w: is an instance running there "+
				"whose --peer that is?", store.ErrUnavailable, errors.Join(all...))
		}
		waits("a member that takes it in")
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(joinRetry):
		}
	}
}

// askToJoin asks one member.
func (p *peerPort) askToJoin(ctx context.Context, url string, body []byte) (a joinAnswer, err error) {
	ctx, cancel := context.WithTimeout(ctx, memberLimit+time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+joinPath, bytes.NewReader(body))
	if err != nil {
		return a, err
	}
	text, status, err := p.do(r)
	switch {
	case err != nil:
		return a, err
	case status == http.StatusServiceUnavailable:
		return a, fmt.Errorf("%w: %s", ErrNotNow, strings.TrimSpace(text))
	case status == http.StatusConflict:
		return a, fmt.Errorf("%w: %s", ErrRefused, strings.TrimPrefix(strings.TrimSpace(text), ErrRefused.Error()+": "))
	case status != http.StatusOK:
		return a, fmt.Errorf("it answers %d, which no member of a cluster of Weir does", status)
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return a, fmt.Errorf("its answer cannot be read: %w", err)
	}
	return a, nil
}

// urls are the members by name, as etcd wants them: those that have not begun are named by their id.
func (a *joinAnswer) urls(name, url string) (types.URLsMap, error) {
	out := types.URLsMap{}
	for _, e := range a.Members {
		urls, err := types.NewURLs([]string{e.URL})
		if err != nil {
			return nil, fmt.Errorf("the cluster has a member at %q, which is no address: %w", e.URL, err)
		}
		called := e.Name
		switch {
		case e.URL == url:
			called = name
		case called == "" || called == name || out[called] != nil:
			called = "id " + e.ID
		}
		out[called] = urls
	}
	if out[name] == nil {
		return nil, fmt.Errorf("the cluster does not name this member at %s", url)
	}
	return out, nil
}

// serveJoin answers a joinRequest.
func (p *peerPort) serveJoin(w http.ResponseWriter, r *http.Request) {
	m := p.member.Load()
	if m == nil {
		http.Error(w, "this instance has not begun yet, or has ended", http.StatusServiceUnavailable)
		return
	}
	var req joinRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, joinRequestMax)).Decode(&req); err != nil ||
		req.Name == "" || req.Address == "" || req.Nonce == "" {
		http.Error(w, `want {"name":…,"address":…,"nonce":…}`, http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), memberLimit)
	defer cancel()
	answer, err := (&Cluster{m}).takeIn(ctx, &req)
	switch {
	case errors.Is(err, ErrRefused):
		http.Error(w, err.Error(), http.StatusConflict)
	case err != nil:
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	default:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer) // who has gone does not read it
	}
}

// takeIn adds who asks for it as a learner.
func (c *Cluster) takeIn(ctx context.Context, req *joinRequest) (a joinAnswer, err error) {
	m := c.m
	url := m.cfg.Peer.urlOf(req.Address)
	switch nonce, _, err := m.port.get(ctx, url+joiningPath); {
	case err != nil:
		return a, fmt.Errorf("%w: it cannot be reached at %s (its --peer) from here: %w", ErrRefused, req.Address, err)
	case nonce != req.Nonce:
		return a, fmt.Errorf("%w: another instance than it is at %s (its --peer)", ErrRefused, req.Address)
	}
	for _, e := range roster(m.server) {
		if e.Name == req.Name && e.Address != req.Address {
			return a, fmt.Errorf("%w: the cluster has %s already: choose another --name; if that one has gone for good, "+
				"`weir member remove %s` first", ErrRefused, &e, e.Name)
		}
	}
	if err := m.cfg.noteSeveral(); err != nil {
		return a, err
	}
	if err := c.admit(ctx, req); err != nil {
		return a, err
	}
	for _, e := range m.server.Cluster().Members() {
		if len(e.PeerURLs) > 0 {
			a.Members = append(a.Members, joinMember{strconv.FormatUint(uint64(e.ID), 16), e.Name, e.PeerURLs[0]})
		}
	}
	return a, nil
}

// admit makes sure that there is a learner at an address that has not begun.
func (c *Cluster) admit(ctx context.Context, req *joinRequest) error {
	m := c.m
	list := roster(m.server)
	at := slices.IndexFunc(list, func(e Member) bool { return e.Address == req.Address })
	if at >= 0 && list[at].Name == "" {
		return nil
	}
	if at >= 0 {
		if list[at].Self {
			return fmt.Errorf("%w: %s is this instance's own address", ErrRefused, req.Address)
		}
		if !list[at].Learner && voters(list) == 1 {
			return fmt.Errorf("%w: %s has the only vote", ErrRefused, &list[at])
		}
		m.cfg.Log.Warn("a member begins anew: what it had kept is gone", "name", req.Name, "peer", req.Address)
		if err := c.checkRemoval(ctx, list, list[at]); err != nil {
			return err
		}
		if err := c.remove(ctx, list[at].ID); err != nil {
			return err
		}
	}
	if err := c.addLearner(ctx, req.Address); err != nil {
		return err
	}
	m.cfg.Log.Info("a member joins the cluster", "name", req.Name, "peer", req.Address)
	return nil
}

// checkJoin verifies that a member that has run before can reach the others, and that it is of the cluster whose members are
// named. It is called before it serves, as one of another cluster may never, and when it does.
func (m *member) checkJoin(serving bool) error {
	if list := roster(m.server); m.cfg.Peer == nil && len(list) > 1 {
		return fmt.Errorf("%w: the store in %s is one of %d members, and this instance has no peer port: start it with --peer "+
			"at an address that is free", ErrRefused, m.cfg.Dir, len(list))
	}
	if m.cfg.Peer == nil || len(m.cfg.Peer.Join) == 0 {
		return nil
	}
	var others []string
	for _, e := range roster(m.server) {
		if slices.Contains(m.cfg.Peer.Join, e.Address) {
			return nil
		}
		if !e.Self {
			others = append(others, e.Address)
		}
	}
	where := filepath.Dir(m.cfg.Dir)
	if len(others) == 0 && !serving && m.cfg.several() {
		return nil // it may have been killed while it joined, before it had learned who the others are
	}
	if len(others) == 0 {
		return fmt.Errorf("%w: --join=%s: the data directory %s has a store of its own, of which this instance is the only member: "+
			"join with an empty data directory (what is in this one is not taken along), or start without --join",
			ErrRefused, strings.Join(m.cfg.Peer.Join, ","), where)
	}
	return fmt.Errorf("%w: --join=%s: the data directory %s is that of another cluster, whose members are at %s: want one of these, "+
		"or an empty data directory", ErrRefused, strings.Join(m.cfg.Peer.Join, ","), where, strings.Join(others, ", "))
}

// severalFile is in the directory of a member of a cluster that has or had others.
const severalFile = "several"

// noteSeveral notes that there are, or may soon be, other members.
func (c *Config) noteSeveral() error {
	if c.several() {
		return nil
	}
	if err := atomicfile.Write(filepath.Join(c.Dir, severalFile), nil); err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return nil
}

// several reports whether there are or were other members.
func (c *Config) several() bool {
	_, err := os.Stat(filepath.Join(c.Dir, severalFile))
	return err == nil
}
