package local_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cluster/local"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// three starts a cluster of three whose tokens hold everywhere, the owner first.
func three(t *testing.T) *local.Cluster {
	t.Helper()
	c, err := local.Start(t.Context(), &local.Config{Instances: 3, Dir: t.TempDir(), Args: []string{"--log-level=warn"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	for _, one := range c.Instances {
		until(t, "the tokens of "+one.Name, func() bool { _, err := one.Client().Switches(t.Context()); return err == nil })
	}
	return c
}

// until waits for what has to come.
func until(t *testing.T, what string, has func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !has(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %s", what)
		}
	}
}

// network is an emulated one whose switches know all instances, and whose hosts are known.
func network(t *testing.T, c *local.Cluster, spec string) (*emu.Network, []client.Host) {
	t.Helper()
	top, err := topo.Parse(spec, 1)
	if err != nil {
		t.Fatal(err)
	}
	n, err := emu.New(emu.Config{Topology: top, Versions: []openflow.Version{openflow.V13}, Controllers: c.OpenFlow(), Seed: 1})
	if err == nil {
		err = n.Start(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close(context.Background()) })
	var hosts []client.Host
	until(t, "hosts", func() bool {
		for _, h := range n.Hosts() {
			h.Do(func(s *host.Host, now time.Duration, out host.Output) { s.Announce(now, out) })
		}
		time.Sleep(50 * time.Millisecond)
		page, err := c.Instances[1].Client().Hosts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		hosts = page.Items
		return len(hosts) == len(n.Hosts())
	})
	return n, hosts
}

// status is that of a refusal; 0: it is none.
func status(err error) int {
	var p *client.Problem
	if errors.As(err, &p) {
		return p.Status
	}
	return 0
}

// TestContradictoryRequestsAtTwoInstances asks two instances that stand by, 300 times at once, for intents that contradict
// each other: one of each two is accepted, and switches have the rules of those and no others.
func TestContradictoryRequestsAtTwoInstances(t *testing.T) {
	c := three(t)
	n, hosts := network(t, c, "ring:4")
	b, d := c.Instances[1].Client(), c.Instances[2].Client()
	accepted := map[string]bool{}
	for k := range 300 {
		ask := func(at *client.Client, id string, to int) (err error) {
			_, err = at.CreateIntent(t.Context(), &client.IntentRequest{ID: id, Kind: client.PointToPoint,
				Src: client.PointEnds(hosts[0].At), Dst: client.PointEnds(hosts[to].At),
				Selector: client.Selector{"eth_src": hosts[0].MAC, "ipv4_dst": fmt.Sprintf("10.9.%d.%d", k/250, k%250)}},
				client.CreateOptions{})
			return err
		}
		var errs [2]error
		var group sync.WaitGroup
		group.Go(func() { errs[0] = ask(b, fmt.Sprintf("b-%d", k), 1) })
		group.Go(func() { errs[1] = ask(d, fmt.Sprintf("c-%d", k), 2) })
		group.Wait()
		switch {
		case errs[0] == nil && status(errs[1]) == http.StatusConflict:
			accepted[fmt.Sprintf("b-%d", k)] = true
		case errs[1] == nil && status(errs[0]) == http.StatusConflict:
			accepted[fmt.Sprintf("c-%d", k)] = true
		default:
			t.Fatalf("pair %d: %v, and %v", k, errs[0], errs[1])
		}
	}
	var page *client.Page[client.Intent]
	until(t, "installed intents", func() bool {
		var err error
		if page, err = d.Intents(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range page.Items {
			if page.Items[i].State != "installed" {
				return false
			}
		}
		return len(page.Items) == 300
	})
	rules := 0
	for i := range page.Items {
		if !accepted[page.Items[i].ID] {
			t.Errorf("intent %s was refused, and is there", page.Items[i].ID)
		}
		for _, r := range page.Items[i].Routes {
			rules += len(r.Hops)
		}
	}
	has := 0
	for _, sw := range n.Switches() {
		for _, f := range sw.Flows(openflow.V13) {
			if plan.Decode(f.Cookie).Kind == plan.KindIntent {
				has++
			}
		}
	}
	check, err := b.Check(t.Context())
	if err != nil || !check.Agrees || has != rules || rules < 600 {
		t.Errorf("switches have %d rules of intents, wanted are %d; check %+v, %v", has, rules, check, err)
	}
}

// TestTakeOverUnderRequests kills the owner while two instances that stand by are asked, followed and streamed to: what was
// acknowledged is there, each with a key once, and all of them go on.
func TestTakeOverUnderRequests(t *testing.T) {
	c := three(t)
	_, hosts := network(t, c, "ring:4")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	var next, unknown atomic.Int32
	var mu sync.Mutex
	acknowledged, resets := map[string]bool{}, map[string]int{}
	wish := func(id string) *client.IntentRequest {
		return &client.IntentRequest{ID: id, Kind: client.PointToPoint, Src: client.PointEnds(hosts[0].At),
			Dst: client.PointEnds(hosts[1].At), Selector: client.Selector{"eth_src": hosts[0].MAC,
				"ipv4_dst": fmt.Sprintf("10.%d.0.0/20", next.Load()%200), "udp_dst": fmt.Sprint(next.Add(1))}}
	}
	for _, one := range c.Instances[1:] {
		for _, keyed := range []bool{true, false} {
			group.Go(func() {
				for k := 0; ctx.Err() == nil; k++ {
					n := fmt.Sprintf("%s-%t-%d", one.Name, keyed, k)
					r, o := wish(n), client.CreateOptions{}
					if keyed {
						r.ID, o.Key = "", n
					}
					a, err := one.Client().CreateIntent(ctx, r, o)
					mu.Lock()
					switch {
					case ctx.Err() != nil:
					case err == nil && acknowledged[a.ID]:
						t.Errorf("%s was made twice", a.ID)
					case err == nil:
						acknowledged[a.ID] = true
					case status(err) == http.StatusServiceUnavailable:
						unknown.Add(1)
					default:
						t.Errorf("at %s, keyed %t: %v", one.Name, keyed, err)
					}
					mu.Unlock()
				}
			})
		}
		group.Go(func() {
			for ctx.Err() == nil {
				if _, err := one.Client().Intents(ctx, "failed"); err != nil && ctx.Err() == nil && one.Running() {
					t.Errorf("reading at %s: %v", one.Name, err)
				}
				time.Sleep(time.Millisecond)
			}
		})
		group.Go(func() {
			err := one.Client().Watch(ctx, client.Watch{Kinds: []string{"intent"}}, func(e client.Event) error {
				mu.Lock()
				defer mu.Unlock()
				if e.Kind == client.EventSynced {
					resets[one.Name]++
				}
				return nil
			})
			if ctx.Err() == nil {
				t.Errorf("the follower at %s: %v", one.Name, err)
			}
		})
		group.Go(func() {
			var b bytes.Buffer
			for ctx.Err() == nil {
				b.Reset()
				if err := one.Client().Backup(ctx, &b); err == nil && b.Len() == 0 {
					t.Errorf("an empty backup of %s", one.Name)
				}
			}
		})
		group.Go(func() {
			for ctx.Err() == nil { // a stream ends with its owner, and another one begins
				s, err := one.Client().StreamIntents(ctx, true)
				if err != nil {
					continue
				}
				for n := 0; ctx.Err() == nil; n++ {
					id := fmt.Sprintf("stream-%s-%d", one.Name, next.Load())
					if s.Send(wish(id)) != nil || s.Flush() != nil {
						break
					}
					var a client.IntentAnswer
					if s.Receive(&a) != nil {
						break
					}
					if a.Status == "accepted" {
						mu.Lock()
						acknowledged[a.ID] = true
						mu.Unlock()
					}
				}
				s.Close()
			}
		})
	}
	count := func() int { mu.Lock(); defer mu.Unlock(); return len(acknowledged) }
	until(t, "intents", func() bool { return count() > 100 })
	owner := c.Owner(ctx)
	began := time.Now()
	owner.Kill()
	before := count()
	until(t, "intents at the next owner", func() bool { return count() > before+100 })
	t.Logf("%d more intents %v after the kill; %d requests were not answered", count()-before, time.Since(began), unknown.Load())
	until(t, "followers that went on", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return resets["b"] > 0 && resets["c"] > 0
	})
	stop()
	group.Wait()
	for _, one := range c.Living() {
		page, err := one.Client().Intents(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		has, packets := map[string]bool{}, map[string]string{}
		for i := range page.Items {
			in := &page.Items[i]
			has[in.ID] = true
			of := fmt.Sprint(in.Selector["udp_dst"]) // of one request alone
			if other := packets[of]; other != "" {
				t.Errorf("one request has made %s and %s", other, in.ID)
			}
			packets[of] = in.ID
		}
		for id := range acknowledged {
			if !has[id] {
				t.Errorf("at %s %s is missing, which was acknowledged", one.Name, id)
			}
		}
	}
}

// TestAnyInstance: what one has answered holds at all, the log of the owner has who asked where, and members are changed
// by any; what is of an instance is taken by that one alone.
func TestAnyInstance(t *testing.T) {
	c := three(t)
	ctx := t.Context()
	a, b, d := c.Instances[0], c.Instances[1], c.Instances[2]
	for n := range 20 {
		made, err := b.Client().AddToken(ctx, client.TokenRequest{Name: fmt.Sprint("ci", n), Role: "viewer"})
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := client.New(client.Config{Address: d.API, Token: made.Value})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fresh.Switches(ctx); err != nil {
			t.Errorf("a token that was made at %s, at %s: %v", b.Name, d.Name, err)
		}
		if err := d.Client().RemoveToken(ctx, fmt.Sprint("ci", n)); err != nil {
			t.Error(err)
		}
		if _, err := fresh.Switches(ctx); status(err) != http.StatusUnauthorized {
			t.Errorf("a token that was revoked: %v", err)
		}
		fresh.Close()
	}
	page, err := b.Client().Switches(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range c.Instances {
		if _, err := one.Client().AtLeast(page.Revision).Links(ctx); err != nil {
			t.Errorf("at least %s at %s: %v", page.Revision, one.Name, err)
		}
		r, err := http.Get("http://" + one.API + "/readyz")
		if err != nil || r.StatusCode != 200 {
			t.Errorf("/readyz of %s: %+v, %v", one.Name, r, err)
		}
	}
	if _, err := b.Client().Apply(ctx, []byte("discovery: {lldp_period: 3s}\n"), false); err != nil {
		t.Error(err)
	}
	_, err = b.Client().Apply(ctx, []byte("name: x\ndiscovery: {lldp_period: 4s}\n"), false)
	if err == nil || !strings.Contains(err.Error(), "was given to instance b, which stands by") {
		t.Errorf("a text of an instance: %v", err)
	}
	if m, err := d.Client().AddMember(ctx, "127.0.0.1:1"); err != nil || m.Peer != "127.0.0.1:1" {
		t.Errorf("%+v, %v", m, err)
	}
	if err := d.Client().RemoveMember(ctx, "127.0.0.1:1"); err != nil {
		t.Error(err)
	}
	if err := b.Client().RemoveMember(ctx, a.Name); status(err) != http.StatusConflict {
		t.Errorf("removing the owner: %v", err)
	}
	if err := d.Client().RemoveMember(ctx, d.Name); err != nil {
		t.Errorf("removing the one that is asked: %v", err)
	}
	until(t, "the end of who was removed", func() bool { return !d.Running() })
	log, err := b.Client().Audit(ctx, "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	via := map[string]int{}
	for _, r := range log.Items {
		via[r.Via+" "+r.Who+" "+r.Result]++
	}
	if via["b admin@b done"] < 21 || via["c admin@c done"] < 22 {
		t.Errorf("the audit log has %v", via)
	}
}
