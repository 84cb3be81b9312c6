package node_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/tenant"
	"github.com/weirnet/weir/tenant/tenancy"
)

// tenantsController is the controller of a tenant with one switch, by hand.
type tenantsController struct {
	t    *testing.T
	v    openflow.Version
	conn net.Conn
	in   *bufio.Reader
	xid  uint32
}

// meetSwitch accepts the connection of a tenant's switch.
func meetSwitch(t *testing.T, ln net.Listener, v openflow.Version) *tenantsController {
	conn, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	c := &tenantsController{t: t, v: v, conn: conn, in: bufio.NewReader(conn)}
	c.ask(&openflow.Hello{Versions: 1 << uint(v)})
	return c
}

func (c *tenantsController) send(m openflow.Message) {
	c.xid++
	b, err := openflow.Append(nil, c.v, c.xid, m)
	if err == nil {
		_, err = c.conn.Write(b)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// ask sends a message and a barrier, and returns what the switch says until it answers that. An error fails the test.
func (c *tenantsController) ask(m openflow.Message) (heard []openflow.Message) {
	c.t.Helper()
	c.send(m)
	c.send(&openflow.BarrierRequest{})
	for {
		m := c.next()
		if _, last := m.(*openflow.BarrierReply); last {
			return heard
		}
		heard = append(heard, m)
	}
}

// next is the next message, which is no error.
func (c *tenantsController) next() openflow.Message {
	c.t.Helper()
	head, err := c.in.Peek(openflow.HeaderLen)
	if err != nil {
		c.t.Fatal(err)
	}
	b := make([]byte, int(head[2])<<8|int(head[3]))
	if _, err := io.ReadFull(c.in, b); err != nil {
		c.t.Fatal(err)
	}
	h, m, err := openflow.Parse(b)
	if err != nil || h.Type == openflow.TypeError {
		c.t.Fatalf("the switch says %s (%v)", openflow.Text(h, m), err)
	}
	return m
}

// stats asks for statistics, of which there is one answer.
func (c *tenantsController) stats(body openflow.RequestBody) openflow.ReplyBody {
	c.t.Helper()
	for _, m := range c.ask(&openflow.MultipartRequest{Body: body}) {
		if r, ok := m.(*openflow.MultipartReply); ok {
			return r.Body
		}
	}
	c.t.Fatal("no answer")
	return nil
}

// counted is what the entry of IPv4 has counted, and what does not fit in what the switch says of all entries.
func (c *tenantsController) counted() (entry, wrong string) {
	c.t.Helper()
	filter := openflow.FlowFilter{Table: openflow.TableAll, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
	var packets, bytes uint64
	for _, e := range c.stats(&openflow.FlowRequest{FlowFilter: filter}).(*openflow.FlowStatsList).Flows {
		packets, bytes = packets+e.Packets, bytes+e.Bytes
		if e.Priority == 5 {
			entry = fmt.Sprintf("%d packets, %d bytes", e.Packets, e.Bytes)
		}
	}
	sum := c.stats(&openflow.AggregateRequest{FlowFilter: filter}).(*openflow.AggregateStats)
	matched := c.stats(&openflow.TableRequest{}).(*openflow.TableStatsList).Tables[0].Matched
	if packets != sum.Packets || bytes != sum.Bytes || matched < packets {
		wrong = fmt.Sprintf("entries have %d packets, %d bytes; together %d, %d; the table has matched %d", packets, bytes,
			sum.Packets, sum.Bytes, matched)
	}
	return entry, wrong
}

// TestTenantsCounters: a tenant's controller is told what its entries have counted, exactly, also of those that are several rules
// in the physical switch; another tenant's traffic is not in it.
func TestTenantsCounters(t *testing.T) {
	for _, x := range []struct{ physical, controller openflow.Version }{
		{openflow.V10, openflow.V10}, {openflow.V13, openflow.V13}, {openflow.V13, openflow.V10}, {openflow.V10, openflow.V13},
	} {
		t.Run(fmt.Sprintf("%s over %s", x.controller, x.physical), func(t *testing.T) {
			t.Parallel()
			testCounters(t, x.physical, x.controller)
		})
	}
}

// couple are two tenants, red and blue, with two hosts each at one emulated switch, and a controller each.
type couple struct {
	t           *testing.T
	weir        *instance
	net         *emu.Network
	tenants     *tenancy.Tenancies
	controllers []*tenantsController
}

func newCouple(t *testing.T, physical, v openflow.Version, limits tenant.Limits) *couple {
	return coupleOf(t, physical, v, func(d *tenant.Definition) { d.Limits = limits })
}

func coupleOf(t *testing.T, physical, v openflow.Version, change func(*tenant.Definition)) *couple {
	c := &couple{t: t}
	c.weir, c.net = emulateWith(t, "linear:1,hosts=4", physical, func(cfg *node.Config) {
		cfg.Tenants = func(of *tenancy.Tenancies) { c.tenants = of }
	})
	found(c.weir, c.net)
	hosts, all := c.net.Hosts(), tenant.New()
	var listeners []net.Listener
	for i, name := range []string{"red", "blue"} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ln.Close() })
		listeners = append(listeners, ln)
		d := tenant.Definition{Name: name, Number: uint16(i + 1),
			Controllers: []tenant.Controller{{Address: ln.Addr().String()}}}
		for _, h := range hosts[2*i : 2*i+2] {
			at := h.Spec().At
			d.Ports = append(d.Ports, netview.Point{DPID: netview.DPID(c.net.Switches()[at.Switch].DatapathID()), Port: at.Port})
			var m openflow.Match
			m.Set(openflow.FieldEthSrc, h.Spec().MAC[:], nil)
			d.Space = append(d.Space, tenant.Region{Priority: 10, Match: m})
		}
		change(&d)
		if err := all.Put(d); err != nil {
			t.Fatal(err)
		}
	}
	c.tenants.Set(all)
	for _, ln := range listeners {
		k := meetSwitch(t, ln, v)
		c.controllers = append(c.controllers, k)
		k.ask(floods(1, openflow.Match{}))
		k.ask(floods(5, ipv4(t)))
	}
	return c
}

// send has a host send datagrams to another, and waits until as many have arrived as enough says.
func (c *couple) send(from, to int, spec host.FlowSpec, enough func(sent host.FlowReport, received uint64) bool) {
	c.t.Helper()
	hosts := c.net.Hosts()
	src, dst := hosts[from].Spec().IPv4.Addr(), hosts[to].Spec().IPv4.Addr()
	var f *host.Flow
	spec.Dst = dst
	hosts[from].Do(func(h *host.Host, now time.Duration, _ host.Output) {
		var err error
		if f, err = h.UDP(spec, now); err != nil {
			c.t.Fatal(err)
		}
	})
	c.weir.await("the datagrams to arrive", func() bool {
		var report host.FlowReport
		received := uint64(0)
		hosts[from].Do(func(*host.Host, time.Duration, host.Output) { report = f.Report() })
		hosts[to].Do(func(h *host.Host, _ time.Duration, _ host.Output) {
			if s := h.Sink(src, f.SrcPort(), dst, host.DefaultFlowPort); s != nil {
				received = s.Report().Received
			}
		})
		return enough(report, received)
	})
}

func testCounters(t *testing.T, physical, v openflow.Version) {
	c := newCouple(t, physical, v, tenant.Limits{})
	weir, red := c.weir, c.controllers[0]
	want := func(what, entry string) {
		t.Helper()
		got, sum := "", ""
		defer func() {
			if t.Failed() {
				t.Logf("the last answers: %s; %s", got, sum)
			}
		}()
		weir.await(what, func() bool {
			got, sum = red.counted()
			return got == entry
		})
		if sum != "" {
			t.Errorf("%s: %s", what, sum)
		}
	}
	send := func(from, to int, count uint64) {
		t.Helper()
		c.send(from, to, host.FlowSpec{Rate: 1000, Size: 100, Count: count},
			func(_ host.FlowReport, received uint64) bool { return received == count })
	}
	send(2, 3, 7)
	send(0, 1, 25)
	want("25 packets", "25 packets, 3550 bytes")
	if got, _ := c.controllers[1].counted(); got != "7 packets, 994 bytes" {
		t.Errorf("the other tenant is told of %s", got)
	}

	change := floods(5, ipv4(t))
	change.Command = openflow.FlowModifyStrict
	at := c.net.Hosts()[1].Spec().At.Port
	change.Instructions = []openflow.Instruction{openflow.Apply(openflow.Output(at), openflow.Output(at))}
	red.ask(change) // it stays the same entry
	want("the same", "25 packets, 3550 bytes")
	send(0, 1, 10)
	want("10 more", "35 packets, 4970 bytes")

	anew := floods(5, ipv4(t))
	if v != openflow.V10 {
		anew.Flags |= openflow.FlagResetCounts
	}
	red.ask(anew)
	want("none", "0 packets, 0 bytes")
	send(1, 0, 4)
	want("4 packets", "4 packets, 568 bytes")

	send(1, 0, 3)
	red.send(removal(5, ipv4(t)))
	for {
		if m, ok := red.next().(*openflow.FlowRemoved); ok && m.Priority == 5 {
			if m.Packets != 7 || m.Bytes != 7*142 {
				t.Errorf("the flow-removed has %d packets and %d bytes, want 7 and %d", m.Packets, m.Bytes, 7*142)
			}
			break
		}
	}

	list, _ := c.tenants.State("red")
	if len(list) != 1 || list[0].Counted.IsZero() || time.Since(list[0].Counted) > patience {
		t.Errorf("the state says %+v", list)
	}
}

// TestTenantsBandwidth: of a tenant that sends more than its limit the packets above it are dropped at the switch, and those of
// another one with the same limit are not. A switch without meters says that it does not limit.
func TestTenantsBandwidth(t *testing.T) {
	const sent, few = 10_000, 20 // datagrams of a kilobyte: 80 Mbit, and less than the meter takes at once
	c := newCouple(t, openflow.V13, openflow.V13, tenant.Limits{Mbps: 1})
	passed := uint64(0)
	c.send(0, 1, host.FlowSpec{Rate: sent, Size: 1000, Count: sent}, func(r host.FlowReport, received uint64) bool {
		passed = received
		return r.Done && received > 0
	})
	if passed > sent/2 {
		t.Errorf("of %d kilobytes of red's %d pass, at a megabit a second", sent, passed)
	}
	c.send(2, 3, host.FlowSpec{Rate: sent, Size: 1000, Count: few},
		func(_ host.FlowReport, received uint64) bool { return received == few })
	for _, name := range []string{"red", "blue"} {
		if list, _ := c.tenants.State(name); len(list) != 1 || list[0].Bandwidth != "" {
			t.Errorf("the state of %s says %+v", name, list)
		}
	}
	without := newCouple(t, openflow.V10, openflow.V10, tenant.Limits{Mbps: 1})
	if list, _ := without.tenants.State("red"); len(list) != 1 || list[0].Bandwidth == "" {
		t.Errorf("at a switch of OpenFlow 1.0 the state says %+v", list)
	}
}

// ipv4 is a match of IPv4.
func ipv4(t *testing.T) (m openflow.Match) {
	if err := m.SetText("eth_type", "0x0800"); err != nil {
		t.Fatal(err)
	}
	return m
}

// removal removes an entry.
func removal(priority uint16, match openflow.Match) *openflow.FlowMod {
	m := floods(priority, match)
	m.Command = openflow.FlowDeleteStrict
	return m
}

// floods is an entry that floods.
func floods(priority uint16, match openflow.Match) *openflow.FlowMod {
	return &openflow.FlowMod{Priority: priority, Match: match, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny, Flags: openflow.FlagSendFlowRemoved,
		Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(openflow.PortFlood))}}
}
