package discovery

import (
	"bytes"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// What probes/pace.go promises.
const (
	wantBurst     = 8192
	wantRoundRate = 5_000
	wantLagFactor = 4
)

// crowd is a torus of switches that all connect at once, on a machine that handles only so many
// probes a second: what is sent beyond that waits.
type crowd struct {
	*world
	rows, columns int
	rate          int // probes handled a second
	queue         []queuedProbe
	most          int // that ever waited
	sends         int
	lost          int // links that were seen to be down
}

type queuedProbe struct {
	at    netview.Point
	frame []byte
}

func newCrowd(t *testing.T, rows, columns, rate int) *crowd {
	c := &crowd{world: newWorld(t, Config{}), rows: rows, columns: columns, rate: rate}
	for r := range rows {
		for col := range columns {
			right, below := c.dpid(r, col+1), c.dpid(r+1, col)
			c.join(netview.Point{DPID: c.dpid(r, col), Port: 1}, netview.Point{DPID: right, Port: 2})
			c.join(netview.Point{DPID: c.dpid(r, col), Port: 3}, netview.Point{DPID: below, Port: 4})
		}
	}
	return c
}

func (c *crowd) dpid(row, column int) netview.DPID {
	return netview.DPID(1 + row%c.rows*c.columns + column%c.columns)
}

// run lets time go by in steps, each a transaction that handles what may be handled in that time.
func (c *crowd) run(d time.Duration) {
	const step = 10 * time.Millisecond
	for end := c.now.Add(d); c.now.Before(end); {
		c.now = c.now.Add(step)
		due := c.queue[:min(c.rate*int(step/time.Millisecond)/1000, len(c.queue))]
		c.queue = c.queue[len(due):]
		c.transact(func() {
			for _, a := range due {
				c.core.LLDP(a.at, a.frame)
			}
			c.core.Tick()
		})
	}
}

func (c *crowd) transact(do func()) {
	c.facts.Update(func(tx *netview.FactsTx) {
		c.core.Begin(tx, c.now)
		do()
	})
	c.core.Sends(func(at netview.Point, frame []byte) bool {
		c.sends++
		if end, ok := c.cables[at]; ok {
			c.queue = append(c.queue, queuedProbe{end, bytes.Clone(frame)})
		}
		return true
	})
	c.core.Alarms(c.world)
	c.most = max(c.most, len(c.queue))
}

// links counts those that are up, and notes those that are not.
func (c *crowd) links() (up int) {
	for l := range c.view.Snapshot().Links() {
		if l.Up {
			up++
		} else {
			c.lost++
		}
	}
	return up
}

func (c *crowd) connect() {
	for i := range c.rows * c.columns {
		f := facts(netview.DPID(1+i), 4, "")
		c.transact(func() { c.core.SwitchUp(&f) })
	}
}

func TestManySwitchesAtOnceDoNotDrownDiscovery(t *testing.T) {
	c := newCrowd(t, 20, 40, 1500)
	c.connect()
	all := 4 * 800
	seconds := 0
	for ; c.links() < all && seconds < 60; seconds++ {
		c.run(time.Second)
	}
	if seconds == 60 {
		t.Errorf("after a minute %d of %d links are known", c.links(), all)
	}
	found := c.sends
	for range 60 {
		c.run(time.Second)
		c.links()
	}
	if c.lost > 0 || c.links() != all {
		t.Errorf("%d links, %d times one was down", c.links(), c.lost)
	}
	if len(c.alarms) > 0 {
		t.Errorf("alarms: %q", c.alarms[:min(len(c.alarms), 5)])
	}
	if c.most > 5*wantBurst {
		t.Errorf("%d probes waited at a time", c.most)
	}
	if rate := (c.sends - found) / 60; rate > wantRoundRate {
		t.Errorf("%d probes a second in rounds, %d at most are wanted", rate, wantRoundRate)
	}
	t.Logf("all found after %d s with %d probes, at most %d waited; then %d a second, period %s",
		seconds, found, c.most, (c.sends-found)/60, c.core.prober.Pace.Period)
}

// A machine that is busy for a while with something else hears late: no link is lost for it.
func TestABusyMachineLosesNoLinks(t *testing.T) {
	c := newCrowd(t, 10, 10, 6000)
	c.connect()
	c.run(10 * time.Second)
	if c.links() != 400 {
		t.Fatalf("%d links", c.links())
	}
	c.rate = 150 // a round of 400 probes takes longer than a period
	c.run(60 * time.Second)
	if c.links() != 400 || c.lost > 0 {
		t.Errorf("%d links, %d times one was down", c.links(), c.lost)
	}
	c.rate = 6000
	c.run(40 * time.Second)
	if c.core.prober.Pace.Period != 2*time.Second || c.core.prober.Pace.Settle != time.Second {
		t.Errorf("later the period is %s, silence of %s makes an edge", c.core.prober.Pace.Period, c.core.prober.Pace.Settle)
	}
}

// A port that comes and goes without end takes no more than one turn from the others.
func TestAFlappingPortHoldsUpNoOther(t *testing.T) {
	c := newCrowd(t, 2, 2, 6000)
	c.connect()
	c.run(3 * time.Second)
	port := ofPort(1, true)
	for range 2 * wantBurst {
		c.now = c.now.Add(time.Microsecond)
		c.transact(func() {
			for _, up := range []bool{false, true} {
				port = ofPort(1, up)
				c.core.PortStatus(1, openflow.PortModified, &port)
			}
		})
	}
	if wait := c.core.prober.Pace.Reserve(0).Sub(c.now); wait > 100*time.Millisecond {
		t.Errorf("others wait %v for their turn", wait)
	}
}

// Probes that find no room lengthen the period by what is configured, not by what it has become: it
// does not run away.
func TestDroppedProbesAreCountedOnce(t *testing.T) {
	c := newCrowd(t, 2, 2, 6000)
	c.connect()
	for range 20 {
		c.core.Counts.DroppedProbes.Add(1)
		c.run(50 * time.Millisecond)
	}
	if c.core.prober.Pace.Period > 2*wantLagFactor*2*time.Second {
		t.Errorf("the period is %s", c.core.prober.Pace.Period)
	}
}
