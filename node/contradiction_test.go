package node_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// Of TestContradictions.
const (
	opponents = 16
	sharedIDs = 20 // that all ask for
	ownIDs    = 5  // that one asks for
)

// opponent is a client that asks for what others ask against.
type opponent struct {
	api   *client.Client
	rng   *rand.Rand
	name  int
	hosts []client.Host
	own   map[string]string // what was acknowledged last of its own intents: the etag; empty: withdrawn
}

// TestContradictions: clients create, replace and withdraw the same intents, drain and undrain
// switches, and links go down and come up. When all of it ends, each client's own intents are as it
// was told last, and switches have what is desired, and nothing else.
func TestContradictions(t *testing.T) { contradict(t, 150) }

// contradict is TestContradictions with so many requests of each client.
func contradict(t *testing.T, requests int) {
	i, n := emulate(t, "torus:3x3,hosts=1", openflow.V13)
	found(i, n)
	hosts := i.hosts()
	flapping, calm := context.WithCancel(t.Context())
	var flaps, clients sync.WaitGroup
	flaps.Go(func() { flap(flapping, n.Links()) })
	all := make([]*opponent, opponents)
	for k := range all {
		o := &opponent{api: i.client(i.token(rest.AdminTokenFile)), rng: rand.New(rand.NewPCG(1, uint64(k))),
			name: k, hosts: hosts, own: map[string]string{}}
		defer o.api.Close()
		all[k] = o
		clients.Go(func() {
			for range requests {
				if err := o.ask(t.Context()); err != nil {
					t.Errorf("client %d: %v", k, err)
					return
				}
			}
		})
	}
	clients.Wait()
	calm()
	flaps.Wait()
	for _, d := range must[client.Page[client.Drain]](i)(i.api.Drains(t.Context())).Items {
		if err := i.api.Undrain(t.Context(), d.Kind, d.Object); err != nil {
			t.Error(err)
		}
	}
	var page *client.Page[client.Intent]
	i.await("all intents to be installed, or beside one that is, and switches to hold what is wanted", func() bool {
		page = must[client.Page[client.Intent]](i)(i.api.Intents(t.Context()))
		rules, settled := settledRules(page.Items)
		return settled && held(n) == rules
	})
	i.await("the check to agree", func() bool { return must[client.Check](i)(i.api.Check(t.Context())).Agrees })
	etags, states := map[string]string{}, map[string]int{}
	for k := range page.Items {
		in := &page.Items[k]
		etags[in.ID] = in.ETag
		states[in.State]++
	}
	for _, o := range all {
		for id, etag := range o.own {
			if etags[id] != etag {
				t.Errorf("intent %s: etag %q, acknowledged was %q", id, etags[id], etag)
			}
		}
	}
	t.Logf("%d requests; intents: %v", opponents*requests, states)
}

// settledRules is how many rules intents want; false while one is neither installed nor fails
// because of one that is.
func settledRules(list []client.Intent) (rules int, settled bool) {
	installed := map[string]bool{}
	for k := range list {
		installed[list[k].ID] = list[k].State == "installed"
		for r := range list[k].Routes {
			rules += len(list[k].Routes[r].Hops)
		}
	}
	for k := range list {
		in := &list[k]
		other, _, _ := strings.Cut(strings.TrimPrefix(in.Detail, "intent "), " ")
		if !installed[in.ID] && (in.Code != "conflict" || !installed[other]) {
			return rules, false
		}
	}
	return rules, true
}

// flap takes links down and up until the context ends; then all are up.
func flap(ctx context.Context, links []*emu.Link) {
	rng := rand.New(rand.NewPCG(2, 2))
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		l := links[rng.IntN(len(links))]
		l.SetUp(false)
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
		l.SetUp(true)
	}
}

// ask asks for one thing. The error is of what must not be answered.
func (o *opponent) ask(ctx context.Context) error {
	own := o.rng.IntN(4) == 0
	id := fmt.Sprintf("shared-%d", o.rng.IntN(sharedIDs))
	if own {
		id = fmt.Sprintf("own-%d-%d", o.name, o.rng.IntN(ownIDs))
	}
	var etag string
	var err error
	switch n := o.rng.IntN(40); {
	case n == 0:
		_, err = o.api.Drain(ctx, "switch", netview.DPID(1+o.rng.IntN(9)).String())
		return accepted(err, 409)
	case n == 1:
		return accepted(o.api.Undrain(ctx, "switch", netview.DPID(1+o.rng.IntN(9)).String()), 404)
	case n < 16:
		if err = accepted(o.api.WithdrawIntent(ctx, id, ""), 404); err != nil {
			return err
		}
	default:
		var a *client.IntentAnswer
		if a, err = o.api.ReplaceIntent(ctx, o.intent(id), client.CreateOptions{}); err != nil {
			return accepted(err, 409)
		}
		etag = a.ETag
	}
	if own {
		o.own[id] = etag
	}
	return nil
}

// intent is one of a few contents that an intent may have.
func (o *opponent) intent(id string) *client.IntentRequest {
	from := o.rng.IntN(len(o.hosts))
	to := (from + 1 + o.rng.IntN(len(o.hosts)-1)) % len(o.hosts)
	priority := uint16(o.rng.IntN(3))
	r := &client.IntentRequest{ID: id, Priority: &priority}
	if o.rng.IntN(2) == 0 {
		r.Kind, r.Src, r.Dst = client.HostToHost, client.HostEnd(o.hosts[from].ID), client.HostEnd(o.hosts[to].ID)
		return r
	}
	r.Kind, r.Src, r.Dst = client.PointToPoint, client.PointEnds(o.at(from)), client.PointEnds(o.at(to))
	r.Selector = client.Selector{"eth_src": o.hosts[from].MAC,
		"ipv4_dst": []string{"10.9.0.0/16", "10.9.0.0/22", "10.9.1.0/24", "10.9.1.7"}[o.rng.IntN(4)]}
	return r
}

func (o *opponent) at(host int) client.Point { return o.hosts[host].At }

// accepted is an error's, unless it is the answer of a status that is right.
func accepted(err error, statuses ...int) error {
	var p *client.Problem
	if errors.As(err, &p) {
		for _, s := range statuses {
			if p.Status == s {
				return nil
			}
		}
	}
	return err
}
