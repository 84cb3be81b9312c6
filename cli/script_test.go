package cli

import (
	"context"
	"errors"
	"math"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/weirnet/weir/api"
	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/stats"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "node" { // an instance that a test of this package has started
		os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	testscript.Main(m, map[string]func(){
		"weir": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// checkOf compares: what it finds is that a link is down.
func checkOf(v *netview.View) func(context.Context) (*client.Check, netview.Revision, error) {
	return func(context.Context) (*client.Check, netview.Revision, error) {
		c := &client.Check{Agrees: true, Switches: []client.SwitchCheck{
			{DPID: "0000000000000001", Reached: true, Wanted: 3, Compared: 3, Foreign: 1, Differences: []client.Difference{}},
			{DPID: "0000000000000002", Reached: true, Differences: []client.Difference{}},
		}}
		for l := range v.Snapshot().Links() {
			if !l.Up {
				c.Agrees = false
				c.Switches[0].Differences = []client.Difference{{
					Kind: "missing", Table: 1, Priority: 5002, Match: "{eth_type=0x0806}", Owner: "forward",
					Wanted: "apply:[output:1]",
				}}
				c.Switches[0].Shadowing = 1
				c.Switches[0].Shadows = []client.Shadow{{
					Table: 1, Priority: 60000, Match: "{eth_type=0x0800}", Cookie: "0x0000000000000000",
					Owner: "forward", Rule: "priority=5003 match={}",
				}}
				c.Switches[1] = client.SwitchCheck{DPID: "0000000000000002", Error: "the switch is not connected",
					Differences: []client.Difference{}}
			}
		}
		return c, v.Snapshot().Revision(), nil
	}
}

// ownLoopback is an address of this process's own. At 127.0.0.1 a port that is not chosen by the system may be taken,
// also by the near end of somebody's connection.
func ownLoopback() string {
	pid := os.Getpid() // below 1<<22
	return netip.AddrFrom4([4]byte{127, byte(64 + pid>>16), byte(pid >> 8), byte(pid)}).String()
}

// TestScripts runs testdata/*.txt against the API of a small view, at $API, with the token
// $WEIR_TOKEN. The command cut takes the link down and join brings a third switch. At $LOOPBACK
// every port is free.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("REWRITE") != "",
		Setup: func(e *testscript.Env) error {
			v := netview.New(netview.Limits{})
			facts := v.Facts()
			v.Masters().SetAll("weir-1")
			fill(v, facts)
			// Streams end when the context of the server's connections does, and Close waits for
			// that.
			srv := httptest.NewServer(api.New(api.Config{View: v, Paths: direct{}, Check: checkOf(v),
				Intents: newEngine(e, v), IntentFlows: intentFlows,
				StackConfig: rest.StackConfig{Access: rest.Access{Tokens: []rest.Token{
					{Role: rest.RoleViewer, Secret: "a-token-of-the-tests"},
					{Role: rest.RoleOperator, Secret: "an-operator-of-the-tests"}}}},
				Members: func() []client.Member {
					return []client.Member{{Name: "weir-1", Address: "127.0.0.1:8181", State: "ready", Owner: true, Leader: true,
						Switches: 2}}
				},
				Counters:    counters,
				IntentRules: rulesOfIntents, Groups: groups, Meters: meters,
				Apps: func() []client.App { return []client.App{{Name: "forward", Enabled: true, State: "running"}} },
			}))
			e.Defer(func() { srv.CloseClientConnections(); srv.Close() })
			e.Setenv("API", strings.TrimPrefix(srv.URL, "http://"))
			e.Setenv("LOOPBACK", ownLoopback())
			e.Setenv("WEIR_TOKEN", "a-token-of-the-tests")
			e.Setenv("OPERATOR", "an-operator-of-the-tests")
			e.Values["facts"] = facts
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"cut": func(ts *testscript.TestScript, _ bool, _ []string) {
				update(ts, func(tx *netview.FactsTx) { putLinks(tx, false) })
			},
			"usage": usage,
			"join": func(ts *testscript.TestScript, _ bool, _ []string) {
				update(ts, func(tx *netview.FactsTx) { putSwitch(tx, 3) })
			},
		},
	})
}

func update(ts *testscript.TestScript, do func(*netview.FactsTx)) {
	ts.Value("facts").(*netview.Facts).Update(do)
}

func fill(v *netview.View, facts *netview.Facts) {
	facts.Update(func(tx *netview.FactsTx) {
		putSwitch(tx, 1)
		putSwitch(tx, 2)
		putLinks(tx, true)
		for n := byte(1); n <= 2; n++ {
			tx.PutHost(&netview.Host{HostID: netview.HostID{MAC: packet.MAC{5: n}},
				IPs: []netip.Addr{netip.AddrFrom4([4]byte{10, 0, 0, n})},
				At:  netview.Point{DPID: netview.DPID(n), Port: 1}, Seen: time.Unix(1e9, 0), State: netview.HostConfirmed})
		}
	})
	v.Desired("forward").Update(func(tx *netview.DesiredTx) {
		tx.Set(1, []netview.Rule{{DPID: 1, Table: 1, Cookie: 0x10000,
			Instructions: []openflow.Instruction{openflow.Apply(openflow.OutputController(openflow.ControllerNoCut))}}})
	})
}

func putSwitch(tx *netview.FactsTx, d netview.DPID) {
	tx.PutSwitch(&netview.Switch{DPID: d, Name: "s" + d.String()[15:], State: netview.SwitchReady, Connected: true,
		Version: openflow.V13,
		Address: "127.0.0.1:40000",
		Desc:    openflow.Desc{Hardware: "Open vSwitch", Software: "3.1.0"}, Since: time.Unix(1e9, 0),
		Ports: []netview.Port{{Number: 1, Name: "eth1", Up: true, SpeedMbps: 10000, Role: netview.PortEdge},
			{Number: 2, Name: "eth2", Up: true, Role: netview.PortLink}}})
}

func putLinks(tx *netview.FactsTx, up bool) {
	a, b := netview.Point{DPID: 1, Port: 2}, netview.Point{DPID: 2, Port: 2}
	for _, key := range []netview.LinkKey{{Src: a, Dst: b}, {Src: b, Dst: a}} {
		tx.PutLink(&netview.Link{LinkKey: key, Up: up, State: netview.LinkConfirmed, Since: time.Unix(1e9, 0)})
	}
}

// direct finds the one link between two neighbours.
type direct struct{}

func (direct) Paths(s *netview.Snapshot, q api.PathQuery) []api.Path {
	for l := range s.LinksFrom(q.Src) {
		if l.Up && l.Dst.DPID == q.Dst {
			return []api.Path{{Links: []netview.LinkKey{l.LinkKey}, Cost: 1, InUse: q.SrcHost != nil}}
		}
	}
	return nil
}

// usage runs a command and wants exit code 2 and one line on standard error. (exec knows only zero
// and not zero.)
func usage(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[0], args[1:]...)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != command.ExitUsage {
		ts.Fatalf("%v: %v, want exit code 2", args, err)
	}
	if lines := strings.Count(ts.ReadFile("stderr"), "\n"); lines != 1 {
		ts.Fatalf("%v: %d lines on standard error, want 1", args, lines)
	}
}

// counters are those of a switch's port 1; port 2 was not heard of.
func counters(dpid netview.DPID) *stats.Switch {
	p := stats.Port{Number: 1, Counts: [stats.Counters]uint64{1_234_567, 999, 1_850_000_000, 64_000, 3, stats.NotCounted, 0, 0}}
	for c := range p.Rates {
		p.Rates[c] = math.NaN()
	}
	p.Rates[stats.RxBytes] = 12.5e6
	return &stats.Switch{DPID: dpid, Ports: &stats.Ports{AsOf: time.Unix(1e9, 0), List: []stats.Port{p}}}
}

// rulesOfIntents are those of one intent, at switch 1.
func rulesOfIntents(dpid netview.DPID) []*netview.Rule {
	if dpid != 1 {
		return nil
	}
	return []*netview.Rule{{DPID: 1, Table: 0, Priority: 40100, Cookie: 0x20000, Owner: "intents", State: netview.RuleInstalled,
		Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(2))}}}
}

// groups are those of switch 1: one that is confirmed, one that has no number yet, and one that is not ours.
func groups(dpid netview.DPID) []client.Group {
	if dpid != 1 {
		return nil
	}
	number, other, port, local := uint32(1<<20), uint32(1<<20+7), uint32(2), uint32(openflow.PortLocal)
	return []client.Group{
		{DPID: dpid.String(), Group: &number, Type: "ff", Buckets: []client.Bucket{
			{WatchPort: &port, Actions: []string{"set_field:5->ip_dscp", "output:2"}},
			{WatchPort: &local, WatchGroup: &other, Actions: []string{"output:local"}}},
			ObjectStatus: client.ObjectStatus{State: "confirmed", Rules: 12, Owners: 3}},
		{DPID: dpid.String(), Group: &other, Type: "all", Buckets: []client.Bucket{},
			ObjectStatus: client.ObjectStatus{State: "deleting", Held: "group of others"}},
		{DPID: dpid.String(), Type: "select", Buckets: []client.Bucket{
			{Weight: 2, Actions: []string{"group:0"}}, {Weight: 1, Actions: []string{"output:3"}}},
			ObjectStatus: client.ObjectStatus{State: "waiting", Reason: "group without a number, which it uses, is not confirmed",
				Rules: 1, Owners: 1}},
	}
}

// meters are those of switch 1.
func meters(dpid netview.DPID) []client.Meter {
	if dpid != 1 {
		return nil
	}
	fixed, number := uint32(1), uint32(1<<20)
	return []client.Meter{
		{DPID: dpid.String(), Meter: &fixed, Unit: "pktps", Bands: []client.Band{{Type: "drop", Rate: 100, Burst: 10}},
			ObjectStatus: client.ObjectStatus{State: "sending", Held: "meter pktps {drop,rate=99}", Rules: 1, Owners: 1}},
		{DPID: dpid.String(), Meter: &number, Unit: "kbps", Bands: []client.Band{
			{Type: "dscp_remark", Rate: 64, PrecLevel: 1}, {Type: "drop", Rate: 128}},
			ObjectStatus: client.ObjectStatus{State: "refused", Reason: "the switch has no meters", Rules: 2, Owners: 1}},
	}
}
