package node_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

// killed is an instance that is killed again and again, and what it acknowledged in all its lives.
type killed struct {
	t *testing.T
	child
	ends [2]client.Point

	mu      sync.Mutex
	known   map[string]claim
	numbers map[string]int // of intents
	acked   map[string]int // by form: requests of this run
	enough  func() bool    // asked after each acknowledgement
	dead    bool           // it was killed
}

// claim is what is claimed of an object, "" being that it is not there: what was acknowledged, and
// what was asked for last.
type claim struct{ acked, asked string }

func (k *killed) number(id string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, ok := k.numbers[id]; !ok {
		k.numbers[id] = len(k.numbers)
	}
	return k.numbers[id]
}

// ask notes what an object is to be, before the request.
func (k *killed) ask(object, state string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known[object] = claim{k.known[object].acked, state}
}

// acknowledge notes that an object is what was asked for, and kills the instance if that was
// enough.
func (k *killed) acknowledge(form, object string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known[object] = claim{k.known[object].asked, k.known[object].asked}
	k.acked[form]++
	if !k.dead && k.enough() {
		k.dead = true
		k.cmd.Process.Kill()
	}
}

// workers ask beside each other in each form.
var workers = []string{"a", "b"}

// live has requests of all forms made, and kills the instance under them: once each form was
// acknowledged and further of any form, as many as the seed says.
func (k *killed) live(life int) {
	k.t.Helper()
	ctx, end := context.WithCancel(k.t.Context())
	defer end()
	forms := k.forms()
	k.acked, k.dead = make(map[string]int), false
	further := rand.New(rand.NewPCG(1, uint64(life))).IntN(200)
	k.enough = func() bool {
		if len(k.acked) == len(forms) {
			further--
		}
		return further < 0
	}
	var running sync.WaitGroup
	for name, request := range forms {
		for _, worker := range workers {
			running.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					if err := request(ctx, fmt.Sprint(worker, life), n); err != nil {
						k.mu.Lock()
						if !k.dead && ctx.Err() == nil {
							k.t.Errorf("%s, request %d of a living instance: %v", name, n, err)
						}
						k.mu.Unlock()
						end()
					}
				}
			})
		}
	}
	running.Wait()
	k.kill()
}

// found is what the instance shows of all objects.
func (k *killed) found() map[string]string {
	k.t.Helper()
	page, err := k.api.Intents(k.t.Context())
	if err != nil {
		k.t.Fatal(err)
	}
	have, parts := make(map[string]string), make(map[string]int)
	for _, i := range page.Items {
		if strings.HasPrefix(i.ID, "atomic-") {
			parts[i.ID[:strings.LastIndex(i.ID, "-")]]++
		} else if i.State != "withdrawing" {
			have["intent "+i.ID] = fmt.Sprint(i.Priority)
		}
	}
	for prefix, n := range parts {
		have[prefix] = fmt.Sprint(n)
	}
	c, err := k.api.Configuration(k.t.Context())
	if err != nil {
		k.t.Fatal(err)
	}
	have["configuration"] = c.Text
	drains, err := k.api.Drains(k.t.Context())
	if err != nil {
		k.t.Fatal(err)
	}
	for _, d := range drains.Items {
		have["drain "+d.Object] = "drained"
	}
	return have
}

// check holds a new life to what earlier ones acknowledged.
func (k *killed) check() {
	k.t.Helper()
	have := k.found()
	for object, state := range have {
		if _, ok := k.known[object]; !ok {
			k.t.Errorf("%s is %q, and was never asked for, or refused", object, state)
		}
	}
	for object, c := range k.known {
		if got := have[object]; got != c.acked && got != c.asked {
			k.t.Errorf("%s is %q after a kill; acknowledged was %q, asked for last %q", object, got, c.acked, c.asked)
		}
		k.known[object] = claim{have[object], have[object]}
	}
}

// agree waits for the switches, and wants in them what is desired.
func (k *killed) agree() {
	k.t.Helper()
	var last *client.Check
	await(k.t, "the switches to hold what is wanted", func() bool {
		c, err := k.api.Check(k.t.Context())
		last = c
		return err == nil && c.Agrees && len(c.Switches) == 2 && c.Intents["installing"]+c.Intents["withdrawing"]+
			c.Intents["waiting"] == 0
	}, func() string { return fmt.Sprintf("%+v", last) })
}

// await waits for what must come.
func await(t *testing.T, what string, ok func() bool, last func() string) {
	t.Helper()
	for late := time.After(patience); !ok(); {
		select {
		case <-time.After(poll):
		case <-late:
			t.Fatalf("waited in vain for %s: %s", what, last())
		}
	}
}

// network has emulated switches connect to addresses whenever somebody listens there.
func network(t *testing.T, spec string, addresses ...string) *emu.Network {
	t.Helper()
	top, err := topo.Parse(spec, 1)
	if err != nil {
		t.Fatal(err)
	}
	n, err := emu.New(emu.Config{Topology: top, Versions: []openflow.Version{openflow.V13}, Controllers: addresses, Seed: 1,
		BackoffMin: poll, BackoffMax: 10 * poll})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		n.Close(ctx)
	})
	if err := n.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return n
}

// killedOften kills an instance that many times under requests of every form: all that it
// acknowledged is there in the next life, nothing in part, nothing that it refused, and the
// switches come to hold what is desired: at the end, or in each life, which takes seconds, since a
// new life lets entries that it does not know stay until it has found the network.
func killedOften(t *testing.T, times int, agreeing bool) {
	k := &killed{t: t, known: map[string]claim{"backup": {}, "configuration": {}}, numbers: map[string]int{}}
	k.dir, k.openflow = t.TempDir(), freeAddress(t)
	n := network(t, "linear:2,hosts=6", k.openflow)
	for i, h := range []*emu.Host{n.Hosts()[0], n.Hosts()[len(n.Hosts())-1]} {
		at := h.Spec().At
		k.ends[i] = client.Point{DPID: fmt.Sprintf("%016x", n.Topology().Switches[at.Switch].DPID), Port: at.Port}
	}
	for life := range times {
		k.start(t)
		k.check()
		if agreeing || life == 0 {
			k.agree()
		}
		await(t, "the switches", func() bool {
			page, err := k.api.Switches(t.Context())
			return err == nil && len(page.Items) == 2
		}, func() string { return "" })
		k.live(life)
		if t.Failed() {
			return
		}
	}
	k.start(t)
	k.check()
	k.agree()
	t.Logf("%d objects", len(k.known))
}

// TestKilledUnderRequests: a few kills. TestKilledOften is its long twin.
func TestKilledUnderRequests(t *testing.T) { killedOften(t, 4, false) }
