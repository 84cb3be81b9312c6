package up

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cluster/local"
	"github.com/weirnet/weir/node"
)

// crew is the instances of a cluster: processes that are looked at, killed and started again. Its loop owns the killer;
// what others read is guarded.
type crew struct {
	cfg      *Cluster
	cluster  *local.Cluster
	note     func(string)
	allLinks int    // directions of links that the network has
	owner    string // the name of the one that was seen last, empty: none was; of the loop

	mu       sync.Mutex
	members  []Member
	known    known
	complete bool // everything has answered
	kills    int
}

// lookPeriod is how often the instances are asked what they are, and readPeriod how often the owner is asked what it
// knows, which costs it something.
const (
	lookPeriod = 100 * time.Millisecond
	readPeriod = 500 * time.Millisecond
	askTimeout = 5 * time.Second
)

// runCluster starts the instances, then the network, and ends both.
func (u *up) runCluster(ctx context.Context) error {
	c := u.cfg.Cluster
	cluster, err := local.Start(ctx, &local.Config{Instances: c.Instances, Dir: u.cfg.Node.DataDir, OpenFlow: c.OpenFlow,
		API: c.API, Peer: c.Peer, Program: c.Program, Args: c.Args})
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	defer cluster.Close()
	u.crew = &crew{cfg: c, cluster: cluster, note: u.cfg.Note}
	if u.crew.note == nil {
		u.crew.note = func(string) {}
	}
	first := cluster.Instances[0]
	err = u.network(ctx, node.Addresses{OpenFlow: first.OpenFlow, API: first.API, Open: u.cfg.Node.API.Auth == "none",
		Name: first.Name}, nil)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// run looks at the instances, and kills and starts them, until the context ends.
func (c *crew) run(ctx context.Context) {
	var starting sync.WaitGroup
	defer starting.Wait()
	starting.Go(func() { c.read(ctx) })
	k := newKiller(c.cfg.KillEvery)
	tick := time.NewTicker(lookPeriod)
	defer tick.Stop()
	keys := c.cfg.Keys
	for {
		do, due := order{}, false
		select {
		case <-ctx.Done():
			return
		case text, ok := <-keys:
			if !ok {
				keys = nil
				continue
			}
			var err error
			if do, err = k.key(text, c.look(ctx)); err != nil {
				c.note(err.Error())
				continue
			}
			due = true
		case now := <-tick.C:
			list := c.look(ctx)
			c.mu.Lock()
			complete := c.complete
			c.mu.Unlock()
			do, due = k.tick(now, complete, list)
		}
		if due {
			c.do(do)
		}
	}
}

// do kills an instance, or starts it again.
func (c *crew) do(o order) {
	one := c.cluster.Instances[o.at]
	if !o.start {
		pid := one.PID()
		one.Kill()
		c.mu.Lock()
		c.kills++
		c.mu.Unlock()
		c.note(fmt.Sprintf("instance %s is killed (process %d)", one.Name, pid))
	} else if err := one.Begin(); err != nil {
		c.note(err.Error())
	} else {
		c.note(fmt.Sprintf("instance %s is started again", one.Name))
	}
}

// look asks the instances what they are, all at once.
func (c *crew) look(ctx context.Context) []Member {
	list := make([]Member, len(c.cluster.Instances))
	var asking sync.WaitGroup
	for i, one := range c.cluster.Instances {
		list[i] = Member{Name: one.Name, Running: one.Running()}
		if !list[i].Running {
			continue
		}
		asking.Go(func() {
			if m := one.Self(ctx); m != nil {
				list[i].State, list[i].Owner, list[i].Leader, list[i].Switches = m.State, m.Owner, m.Leader, m.Switches
			}
		})
	}
	asking.Wait()
	c.mu.Lock()
	c.members = list
	c.mu.Unlock()
	for i := range list {
		if m := &list[i]; m.Owner && m.Name != c.owner {
			if c.owner != "" {
				c.note(fmt.Sprintf("instance %s is the owner now", m.Name))
			}
			c.owner = m.Name
		}
	}
	return list
}

// killed is how often an instance was.
func (c *crew) killed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kills
}

// Members is what was last seen of the instances.
func (c *crew) Members() []Member {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.members
}

// ownerClient asks the instance that decides; nil: none does.
func (c *crew) ownerClient(context.Context) *client.Client {
	for i, m := range c.Members() {
		if m.Owner && m.Running {
			return c.cluster.Instances[i].Client()
		}
	}
	return nil
}

// read asks the owner what it knows, until the context ends. While there is none, what is known stays.
func (c *crew) read(ctx context.Context) {
	for wait(ctx, readPeriod) {
		if api := c.ownerClient(ctx); api != nil {
			c.readFrom(ctx, api)
		}
	}
}

func (c *crew) readFrom(ctx context.Context, api *client.Client) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	switches, err1 := api.Switches(ctx)
	links, err2 := api.Links(ctx)
	hosts, err3 := api.Hosts(ctx)
	alarms, err4 := api.Alarms(ctx, false)
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil {
		return
	}
	k := known{directions: len(links.Items), hosts: len(hosts.Items), alarms: len(alarms.Items)}
	for i := range switches.Items {
		if switches.Items[i].Connected {
			k.switches++
		}
	}
	for i := range links.Items {
		if l := &links.Items[i]; l.Up && l.State == "confirmed" {
			k.links++
		}
	}
	k.links /= 2
	if tenants, err := api.Tenants(ctx); err == nil {
		k.tenants = len(tenants.Items)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = k
}

// settled implements seen: all links are found, or as many as there are.
func (c *crew) settled() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.complete || 2*c.known.links >= c.allLinks && c.known.switches > 0
}

// knows implements seen.
func (c *crew) knows() known {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known
}

// answered notes that everything has answered: instances may be killed by the clock from now on.
func (c *crew) answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.complete = true
}
