package node

import (
	"encoding/binary"
	"log/slog"
	"net"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/discovery"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/flowsync"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/southbound"
)

// ups is an application that counts switches.
type ups struct{ atomic.Int64 }

// Name implements southbound.App.
func (u *ups) Name() string { return "ups" }

func (u *ups) SwitchUp(*southbound.Switch) southbound.Part {
	u.Add(1)
	return nil
}

// sixHops are rule sets of six hops over the switches of an emulated network, each with addresses
// of its own.
func sixHops(n *emu.Network, count int) []*ruleset.Set {
	list, switches := make([]*ruleset.Set, count), n.Switches()
	for i := range list {
		route := &ruleset.Route{}
		for hop := range 6 {
			dpid := netview.DPID(switches[(i*7+hop*31)%len(switches)].DatapathID())
			route.Hops = append(route.Hops, ruleset.HopTo(dpid, uint32(1+hop%2), uint32(2-hop%2)))
		}
		match := []byte{0x80, 0, 10, 2, 8, 0, 0x80, 0, 22, 4, 0, 0, 0, 0, 0x80, 0, 24, 4, 0, 0, 0, 0}
		binary.BigEndian.PutUint32(match[10:], uint32(i)|10<<24)
		binary.BigEndian.PutUint32(match[18:], uint32(i)|11<<24)
		list[i] = &ruleset.Set{
			Kind: plan.KindIntent, Number: uint32(i), Version: 1, Table: plan.TableForwarding, Priority: 20100,
			Legs: []ruleset.Leg{{Match: match, Route: route}},
		}
	}
	return list
}

// BenchmarkRuleSets has flowsync remove 20,000 paths of 100,000 from the 206 emulated switches of
// wan:206, over TCP, and install them again: all that a flow-mod costs at both ends, intents apart.
// Orders come 1,000 paths at a time, and not more than ten such are open.
func BenchmarkRuleSets(b *testing.B) {
	const held, moved, each = 100_000, 20_000, 1000
	top, err := topo.Parse("wan:206", 1)
	if err != nil {
		b.Fatal(err)
	}
	var told, refused, given atomic.Int64
	var up ups
	view := netview.New(netview.Limits{})
	registry, err := southbound.New(southbound.Config{View: view, Alarms: alarm.New(view), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	sync := flowsync.New(flowsync.Config{NoMonitor: true, ReadEvery: time.Hour,
		OnOutcomes: func(list []ruleset.Outcome) {
			for i := range list {
				if list[i].Result > ruleset.Removed {
					refused.Add(1)
				}
			}
			told.Add(int64(len(list)))
		}}, view)
	registry.Join(discovery.New(view.Facts(), discovery.Config{Key: make([]byte, 32), Seed: 1}), sync, &up)
	go sync.Run(b.Context())
	server := registry.Server
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	go server.Serve(ln)
	n, err := emu.New(emu.Config{Topology: top, Controllers: []string{ln.Addr().String()}, Silent: true,
		Versions: []openflow.Version{openflow.V13}})
	if err == nil {
		err = n.Start(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
	wait := func(until func() bool) {
		for end := time.Now().Add(time.Minute); !until(); time.Sleep(100 * time.Microsecond) {
			if time.Now().After(end) {
				b.Fatalf("%d switches, %d of %d orders answered", up.Load(), told.Load(), given.Load())
			}
		}
	}
	wait(func() bool { return up.Load() == int64(len(n.Switches())) })
	order := func(list []*ruleset.Set, remove bool) {
		for ; len(list) > 0; list = list[each:] {
			var orders []ruleset.Order
			for _, p := range list[:each] {
				for rule := range p.Len() {
					orders = append(orders, ruleset.Order{Rules: p, Rule: uint16(rule), Remove: remove})
				}
			}
			sync.Order(orders)
			given.Add(int64(len(orders)))
			wait(func() bool { return given.Load()-told.Load() <= 10*int64(len(orders)) })
		}
		wait(func() bool { return given.Load() == told.Load() })
	}
	all := sixHops(n, held)
	order(all, false)
	began, spent := given.Load(), processor()
	for b.Loop() {
		order(all[:moved], true)
		order(all[:moved], false)
	}
	mods := float64(given.Load() - began)
	b.ReportMetric(float64(processor()-spent)/mods, "cpu-ns/flow-mod")
	b.ReportMetric(mods/b.Elapsed().Seconds(), "flow-mods/s")
	if refused.Load() > 0 {
		b.Errorf("%d orders were refused, or rules lost", refused.Load())
	}
	_ = server.Close(b.Context())
	_ = n.Close(b.Context())
}

// processor is the time that this process has had of processors.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
