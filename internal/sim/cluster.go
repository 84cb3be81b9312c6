package sim

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/etcd"
)

// instances are those of a cluster, and what they share: the wires between them, and the store that each has a member of.
//
// The store is one in memory, as a quorum of its members sees it. Who leads it is drawn; a member that does not reach the
// leader, or whose leader does not reach a quorum, has no store (handle.go).
type instances struct {
	w       *world
	members []*member
	paths   [][]path // from, to
	random  *rand.Rand

	memory     *store.Memory
	leases     []store.LeaseID
	leader     int            // -1: none
	since      time.Time      // of when nobody leads
	leaderless time.Duration  // for how long nobody has led, in sum: leases do not end meanwhile
	elections  int            // that were begun
	conns      int            // that were made
	rowed      store.Revision // of the owner's row, as it was seen last
	reigns     int
}

// path is the way from one instance to another.
type path struct {
	cuts int // how many events keep it cut
	slow time.Duration
	held []held // what waits for it to be mended: TCP sends it again
}

// held is a message that waits, of a connection.
type held struct {
	conn int
	do   func()
}

func newInstances(w *world, n int) *instances {
	c := &instances{w: w, random: w.random(randCluster, 0), leader: -1, since: w.now}
	c.memory = store.NewMemory(c.storeNow)
	c.paths = make([][]path, n)
	for i := range n {
		c.paths[i] = make([]path, n)
		m := newMachine(w, i)
		m.offset = w.plan.Offsets[i]
		m.member = &member{c: c, index: i, machine: m, random: w.random(randCluster, uint64(i+1)), conns: make([]int, n),
			sent: make([]int, n)}
		w.machines = append(w.machines, m)
		c.members = append(c.members, m.member)
	}
	w.After(0, func() { c.elect(c.elections) })
	c.tick()
	return c
}

// storeNow is the store's clock for leases, which stands still while nobody leads.
func (c *instances) storeNow() time.Time {
	now := c.w.now
	if c.leader < 0 {
		now = c.since
	}
	return now.Add(-c.leaderless)
}

// runs reports whether a member's process runs now.
func (c *instances) runs(i int) bool {
	m := c.members[i].machine
	return m.running != nil && !m.isPaused()
}

// joined reports whether two members reach each other.
func (c *instances) joined(a, b int) bool {
	return a == b || c.paths[a][b].cuts == 0 && c.paths[b][a].cuts == 0
}

// quorate reports whether a member reaches more than half of all.
func (c *instances) quorate(i int) bool {
	n := 0
	for j := range c.members {
		if c.runs(j) && c.joined(i, j) {
			n++
		}
	}
	return c.runs(i) && n > len(c.members)/2
}

// serves reports whether the store answers a member.
func (c *instances) serves(i int) bool {
	c.settle()
	return c.leader >= 0 && c.runs(i) && c.joined(i, c.leader)
}

// How long the members of a store wait for a leader before they elect one.
const (
	electsAfter = 500 * time.Millisecond
	electsMost  = time.Second
)

// settle has the leader end that cannot lead any more.
func (c *instances) settle() {
	if c.leader < 0 || c.quorate(c.leader) {
		return
	}
	c.w.say("%s leads the store no more", c.members[c.leader].machine.name())
	c.leader, c.since = -1, c.w.now
	c.electLater()
}

func (c *instances) electLater() {
	c.elections++
	mine := c.elections
	c.w.After(electsAfter+time.Duration(c.random.Int64N(int64(electsMost-electsAfter))), func() { c.elect(mine) })
}

// elect has one of those that reach a quorum lead.
func (c *instances) elect(mine int) {
	if mine != c.elections || c.leader >= 0 {
		return
	}
	for _, i := range c.random.Perm(len(c.members)) {
		if c.quorate(i) {
			c.leads(i)
			return
		}
	}
	c.electLater()
}

// leads makes a member the leader. Leases have their whole time again.
func (c *instances) leads(i int) {
	c.w.say("%s leads the store", c.members[i].machine.name())
	if c.leader < 0 {
		c.leaderless += c.w.now.Sub(c.since)
	}
	c.leader = i
	c.elections++
	c.leases = slices.DeleteFunc(c.leases, func(id store.LeaseID) bool {
		return c.memory.KeepAlive(context.Background(), id) != nil
	})
	c.look()
}

// campaign is of a member that asks for the lead.
func (c *instances) campaign(i int) {
	c.w.After(time.Duration(c.random.Int64N(int64(30*time.Millisecond))), func() {
		if c.settle(); c.quorate(i) && c.leader != i {
			c.leads(i)
		}
	})
}

// revision is that of the store.
func (c *instances) revision() store.Revision {
	now, err := c.memory.Status(context.Background())
	if err != nil {
		c.w.fail("the store: %v", err)
	}
	return now.Revision
}

// tick has leases end, and the owner be off the lead of the store.
func (c *instances) tick() {
	c.settle()
	if c.leader >= 0 {
		_, _ = c.memory.Status(context.Background())
		c.look()
	}
	for i, b := range c.members {
		if b.keeper == nil || c.leader != i {
			continue
		}
		for _, j := range c.random.Perm(len(c.members)) {
			if j != i && c.quorate(j) && c.joined(i, j) {
				c.leads(j)
				break
			}
		}
	}
	c.w.After(time.Second, c.tick)
}

// look tells those that wait to own the store when the owner's row has changed, as their watches do: each in its time.
func (c *instances) look() {
	page, err := c.memory.Range(context.Background(), store.Query{Span: store.Prefix("instances/"), KeysOnly: true})
	if err != nil {
		c.w.fail("the store: %v", err)
		return
	}
	var row store.Revision
	for _, p := range page.Pairs {
		if string(p.Key) == "instances/owner" {
			row = p.Mod
		}
	}
	if row != c.rowed {
		c.rowed = row
		c.tellAll()
	}
}

// tellAll has those that wait look at the owner's row. A watch that lags is one that comes late.
func (c *instances) tellAll() {
	for i, b := range c.members {
		l := b.machine.running
		if l == nil {
			continue
		}
		l.after(b.take()+time.Duration(c.random.Int64N(int64(20*time.Millisecond))), func() {
			if c.serves(i) {
				b.try()
			}
		})
	}
}

// roster are the members as one of them knows them.
func (c *instances) roster(self int) (list []etcd.Member) {
	for i, b := range c.members {
		list = append(list, etcd.Member{ID: b.id(), Name: b.machine.name(), Address: b.machine.name() + ":9876",
			Leader: i == c.leader && (i == self || c.joined(i, self)), Self: i == self})
	}
	return list
}

// cut cuts the path from one instance to another, or mends it.
func (c *instances) cut(from, to int, on bool) {
	p := &c.paths[from][to]
	if on {
		p.cuts++
		return
	}
	if p.cuts--; p.cuts > 0 {
		return
	}
	late := p.held
	p.held = nil
	for _, h := range late {
		c.w.After(c.members[from].take(), h.do)
	}
}

// send carries a message of a connection between two instances: do is called when it has arrived.
func (c *instances) send(from, to, conn int, do func()) {
	p := &c.paths[from][to]
	if p.cuts > 0 {
		p.held = append(p.held, held{conn, do})
		return
	}
	c.w.After(c.members[from].take()+p.slow, do)
}

// drop forgets what waits on a path for a connection that is over.
func (c *instances) drop(from, to, conn int) {
	p := &c.paths[from][to]
	p.held = slices.DeleteFunc(p.held, func(h held) bool { return h.conn == conn })
}

// check holds the cluster to what must be when all is repaired: exactly one instance owns the store, and decides.
func (c *instances) check() (found []string) {
	if c == nil {
		return nil
	}
	owners := 0
	for _, b := range c.members {
		switch {
		case b.machine.running == nil:
			found = append(found, fmt.Sprintf("%s does not run", b.machine.name()))
		case b.machine.running.decides:
			owners++
		}
	}
	if owners != 1 {
		found = append(found, fmt.Sprintf("%d instances own the store", owners))
	}
	return found
}
