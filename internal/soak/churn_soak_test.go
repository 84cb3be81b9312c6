//go:build soak

package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/weirnet/weir/api/client"
)

// churn does things to a world, at random.
type churn struct {
	*world
	rng  *rand.Rand
	cut  map[string]bool // links
	lost map[string]bool // switches whose connection is cut

	intents map[string]standing // by their ids
	taken   map[[2]int]string   // pairs of hosts: the id of their intent
	pairs   map[string][2]int
	next    int
	counts  map[string]int // what happened how often
}

// standing is what is known of an intent.
type standing int

const (
	there   standing = iota + 1 // acknowledged
	gone                        // its withdrawal was acknowledged
	unknown                     // nobody answered: asked for or withdrawn, or not
)

func newChurn(w *world, seed uint64) *churn {
	return &churn{world: w, rng: rand.New(rand.NewPCG(seed, 0x736f616b)), cut: map[string]bool{}, lost: map[string]bool{},
		intents: map[string]standing{}, taken: map[[2]int]string{}, pairs: map[string][2]int{}, counts: map[string]int{}}
}

// Bounds of what is going on at once.
const (
	mostIntents = 300
	mostCut     = 3
	mostLost    = 3
)

// happen does one thing.
func (c *churn) happen() {
	switch n := c.rng.IntN(20); {
	case n < 5:
		c.ask(1 + c.rng.IntN(10))
	case n < 10:
		c.withdraw(1 + c.rng.IntN(10))
	case n < 12:
		c.flip("links cut", c.cut, c.links, mostCut, func(id string, up bool) { c.tell("/v1/links/"+id, `{"up":%v}`, up) })
	case n < 14:
		c.flip("sessions cut", c.lost, c.switches, mostLost, func(id string, up bool) {
			c.tell("/v1/switches/"+id+"/controllers/0", `{"up":%v}`, up)
		})
	default:
		from, to := c.two()
		c.counts["pings"]++
		c.tell("/v1/commands", `{"kind":"ping","from":%q,"to":%q,"count":3,"interval":"100ms"}`, c.names[from], c.names[to])
	}
}

func (c *churn) two() (from, to int) {
	from = c.rng.IntN(len(c.hosts))
	return from, (from + 1 + c.rng.IntN(len(c.hosts)-1)) % len(c.hosts)
}

// flip takes one of a list down, or one of those that are down up again.
func (c *churn) flip(what string, down map[string]bool, list []string, most int, set func(id string, up bool)) {
	if id := list[c.rng.IntN(len(list))]; !down[id] && len(down) < most && c.rng.IntN(2) == 0 {
		set(id, false)
		down[id] = true
		c.counts[what]++
		return
	}
	for id := range down {
		set(id, true)
		delete(down, id)
		return
	}
}

// mend ends all faults, and has each host speak: one that was heard of within the last half second
// before a kill, and is silent since, is not known to the next instance (docs/STATUS.md).
func (c *churn) mend() {
	for id := range c.cut {
		c.tell("/v1/links/"+id, `{"up":true}`)
	}
	for id := range c.lost {
		c.tell("/v1/switches/"+id+"/controllers/0", `{"up":true}`)
	}
	clear(c.cut)
	clear(c.lost)
	for i, from := range c.names {
		c.tell("/v1/commands", `{"kind":"ping","from":%q,"to":%q,"count":1}`, from, c.names[(i+1)%len(c.names)])
	}
}

// requestLimit is how long a request may take. One that takes longer, and one that is cut off, has
// an outcome that is not known.
const requestLimit = 30 * time.Second

func (c *churn) ask(n int) {
	var list []client.IntentRequest
	for range n {
		from, to := c.two()
		if c.taken[[2]int{from, to}] != "" || c.taken[[2]int{to, from}] != "" || len(c.taken) >= mostIntents {
			continue
		}
		c.next++
		id := fmt.Sprintf("soak-%d", c.next)
		c.taken[[2]int{from, to}], c.pairs[id] = id, [2]int{from, to}
		list = append(list, client.IntentRequest{ID: id, Kind: client.HostToHost,
			Src: client.HostEnd(c.hosts[from]), Dst: client.HostEnd(c.hosts[to])})
	}
	if len(list) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), requestLimit)
	defer cancel()
	answers, err := c.client.CreateIntents(ctx, list, client.CreateOptions{})
	for i := range list {
		id := list[i].ID
		switch {
		case err != nil || answers.Items[i].Status == "failed":
			c.intents[id] = unknown
		case answers.Items[i].OK():
			c.intents[id] = there
			c.counts["intents asked for"]++
		default:
			c.t.Errorf("intent %s is refused: %+v", id, answers.Items[i])
		}
	}
}

func (c *churn) withdraw(n int) {
	var list []string
	for id, s := range c.intents {
		if s == there && len(list) < n {
			list = append(list, id)
		}
	}
	if len(list) == 0 || len(c.intents) < mostIntents/2 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), requestLimit)
	defer cancel()
	answers, err := c.client.WithdrawIntents(ctx, list)
	for i, id := range list {
		if err != nil || !answers.Items[i].OK() {
			c.intents[id] = unknown
			continue
		}
		c.intents[id] = gone
		c.counts["intents withdrawn"]++
	}
}

// settled returns what is not as expected at rest, if anything; and what became of intents of
// which that was not known.
func (c *churn) settled() error {
	if err := c.whole(); err != nil {
		return err
	}
	page, err := c.client.Intents(c.t.Context())
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for i := range page.Items {
		in := &page.Items[i]
		seen[in.ID] = true
		if s := c.intents[in.ID]; s != there && s != unknown {
			return fmt.Errorf("intent %s is %s, and its withdrawal was acknowledged (%v)", in.ID, in.State, s == gone)
		}
		if in.State != "installed" {
			return fmt.Errorf("intent %s is %s: %s %s", in.ID, in.State, in.Code, in.Detail)
		}
	}
	for id, s := range c.intents {
		if s == there && !seen[id] {
			return fmt.Errorf("intent %s was acknowledged, and there is none", id)
		}
	}
	check, err := c.client.Check(c.t.Context())
	if err != nil {
		return err
	}
	for i := range check.Switches {
		if s := &check.Switches[i]; !s.Reached || len(s.Differences) > 0 || s.InFlight > 0 || s.Failed > 0 {
			return fmt.Errorf("weir check, switch %s: %+v", s.DPID, *s)
		}
	}
	if !check.Agrees {
		return fmt.Errorf("weir check does not agree: %+v", check)
	}
	for id, s := range c.intents {
		if s == gone || s == unknown && !seen[id] {
			delete(c.intents, id)
			delete(c.taken, c.pairs[id])
			delete(c.pairs, id)
			continue
		}
		c.intents[id] = there
	}
	return nil
}
