package node_test

import (
	"context"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/session/pipe"
)

// kinds counts the entries of an emulated network's switches by the kind that their cookies say.
func kinds(n *emu.Network, v openflow.Version) map[plan.Kind]int {
	count := make(map[plan.Kind]int)
	for _, sw := range n.Switches() {
		for _, f := range sw.Flows(v) {
			count[plan.Decode(f.Cookie).Kind]++
		}
	}
	return count
}

// TestTenantsAlone: hosts of tenants reach each other, and those of nobody reach nobody: switches have rules of tenants and of
// the infrastructure, and no others.
func TestTenantsAlone(t *testing.T) {
	s := newShared(t, "ring:3,hosts=5", openflow.V13, func(c *node.Config) { c.Role = "hypervisor" })
	s.defineAll()
	s.awaitServed(openflow.V13)
	s.checkPings(false)
	s.checkHosts()
	count := kinds(s.net, openflow.V13)
	if count[plan.KindTenant] == 0 || count[plan.KindInfrastructure] == 0 || len(count) != 2 {
		t.Errorf("the switches have entries of kinds %v", count)
	}
}

// TestFromControllerToHypervisor: an instance that forwarded, and had intents, starts again with the role: what switches had
// of these goes, the intents stay in the store, and are served again when the role is left.
func TestFromControllerToHypervisor(t *testing.T) {
	top, err := topo.Parse("linear:2,hosts=1", 1)
	if err != nil {
		t.Fatal(err)
	}
	var ln atomic.Pointer[pipe.Listener]
	ln.Store(pipe.Listen("weir"))
	n, err := emu.New(emu.Config{Topology: top, Versions: []openflow.Version{openflow.V13},
		Controllers: []string{"weir"}, Seed: 1,
		Dial: func(ctx context.Context, _ string) (net.Conn, error) { return ln.Load().Dial(ctx) }})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	as := func(role string) *instance {
		ln.Store(pipe.Listen("weir"))
		i := start(t, usual, func(c *node.Config) { c.DataDir, c.Pipes, c.Role = dir, ln.Load(), role })
		t.Cleanup(func() { _ = n.Close(context.Background()) }) // before the last instance is looked at
		return i
	}
	i := as("controller")
	if err := n.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	found(i, n)
	hosts := n.Hosts()
	hosts[0].Do(func(h *host.Host, now time.Duration, _ host.Output) {
		_, err = h.Ping(host.PingSpec{Dst: hosts[1].Spec().IPv4.Addr(), Count: 3, Interval: 500 * time.Millisecond,
			Timeout: 4 * time.Second}, now)
	})
	if err != nil {
		t.Fatal(err)
	}
	i.await("rules of a pair", func() bool { return kinds(n, openflow.V13)[plan.KindPair] > 0 })
	request := &client.IntentRequest{ID: "a", Kind: client.HostToHost, Src: client.HostEnd(hosts[0].Spec().MAC.String()),
		Dst: client.HostEnd(hosts[1].Spec().MAC.String())}
	if _, err := i.api.CreateIntent(t.Context(), request, client.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	i.await("rules of all kinds", func() bool {
		count := kinds(n, openflow.V13)
		return count[plan.KindIntent] > 0 && count[plan.KindTree] > 0 && count[plan.KindPair] > 0
	})
	if err := i.stop(); err != nil {
		t.Fatal(err)
	}

	i = as("hypervisor")
	i.await("what forwards to be gone", func() bool {
		count := kinds(n, openflow.V13)
		return len(count) == 1 && count[plan.KindInfrastructure] > 0
	})
	if _, err := i.api.Intents(t.Context()); err == nil || !strings.Contains(err.Error(), "serves tenants alone") {
		t.Errorf("intents: %v", err)
	}
	if err := i.stop(); err != nil {
		t.Fatal(err)
	}

	i = as("controller")
	i.await("the intent's rules", func() bool { return kinds(n, openflow.V13)[plan.KindIntent] > 0 })
}
