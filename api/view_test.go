package api

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/intents"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/stats"
	"github.com/weirnet/weir/store"
	tenanttable "github.com/weirnet/weir/tenant/table"
	tokentable "github.com/weirnet/weir/tokens"
)

const (
	adminToken    = "admin-token-of-the-tests"
	operatorToken = "operator-token-of-the-tests"
	viewerToken   = "viewer-token-of-the-tests"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// small is a view of two switches with a link between them (in both directions), two hosts and some
// rules, and the server of it.
type small struct {
	*Server
	view  *netview.View
	facts *netview.Facts
	asked int // how often a switch was asked
	now   time.Time
	kept  *store.Memory // has tokens and tenants
	inputs
	issued  *tokentable.Table
	tenants *tenanttable.Table
}

func newSmall(t testing.TB, change func(*Config)) *small {
	t.Helper()
	v := netview.New(netview.Limits{Changes: 64})
	s := &small{view: v, facts: v.Facts(), now: noon}
	v.Masters().SetAll("weir-1")
	s.facts.Update(func(tx *netview.FactsTx) {
		for d := netview.DPID(1); d <= 2; d++ {
			tx.PutSwitch(testSwitch(d))
		}
		a, b := netview.Point{DPID: 1, Port: 2}, netview.Point{DPID: 2, Port: 2}
		tx.PutLink(&netview.Link{LinkKey: netview.LinkKey{Src: a, Dst: b}, Up: true, State: netview.LinkConfirmed, Since: noon})
		tx.PutLink(&netview.Link{LinkKey: netview.LinkKey{Src: b, Dst: a}, Up: true, State: netview.LinkConfirmed, Since: noon})
		tx.PutHost(testHost(1, 0))
		tx.PutHost(testHost(2, 7))
	})
	w := v.Desired("forward")
	w.Update(func(tx *netview.DesiredTx) {
		tx.Set(1, []netview.Rule{{DPID: 1, Table: 1, Priority: 5003, Cookie: 0x0011_0000_0000_0001,
			Match:        testMatch(),
			Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(1), openflow.Output(2)), openflow.GotoTable(2)}}})
	})
	cfg := Config{
		StackConfig: rest.StackConfig{Version: "1.2.3", Access: rest.Access{Listen: "127.0.0.1:8181",
			Tokens: []rest.Token{{Role: rest.RoleAdmin, Secret: adminToken, Name: "root"},
				{Role: rest.RoleOperator, Secret: operatorToken}, {Role: rest.RoleViewer, Secret: viewerToken}}}},
		View: v, Switches: s, Paths: direct{},
		SoftRules: softRules, Counters: counters, Check: checked, Sync: synced, Groups: testGroups, Meters: testMeters,
		Members: func() []client.Member {
			return []client.Member{{Name: "weir-1", Address: "127.0.0.1:8181", State: "ready", Owner: true, Leader: true,
				Switches: 2}}
		},
		Apps:          func() []client.App { return []client.App{{Name: "forward", Enabled: true, State: "running"}} },
		Now:           func() time.Time { return s.now },
		Backup:        func(_ context.Context, w io.Writer) error { _, err := io.WriteString(w, "pairs"); return err },
		Configuration: &s.inputs, Drains: (*drainedInputs)(&s.inputs), Audit: &s.log, IntentFlows: s.intentFlows,
	}
	s.kept = store.NewMemory(nil)
	files := slices.Clone(cfg.Access.Tokens)
	for i, name := range []string{rest.AdminTokenFile, rest.OperatorTokenFile, rest.ViewerTokenFile} {
		files[i].File = name
	}
	s.tenants = tenanttable.New(tenanttable.Config{Store: s.kept, Answer: time.Second, Now: cfg.Now})
	cfg.Tenants, cfg.TenantStates = s.tenants, servedTenants{}
	s.issued = tokentable.New(tokentable.Config{Store: s.kept, Files: files, Tenants: s.tenants, Answer: time.Second,
		Now: cfg.Now})
	cfg.Tokens, cfg.Access.Issued = s.issued, s.issued
	if change != nil {
		change(&cfg)
	}
	s.Server = New(cfg)
	s.Run = "e"
	return s
}

func testSwitch(d netview.DPID) *netview.Switch {
	return &netview.Switch{DPID: d, Name: fmt.Sprintf("s%d", d), State: netview.SwitchReady, Connected: true,
		Version: openflow.V13, Address: "127.0.0.1:40001", Tables: 254, Since: noon,
		Desc: openflow.Desc{Manufacturer: "Nicira, Inc.", Hardware: "Open vSwitch", Software: "3.1.0", Serial: "None"},
		Ports: []netview.Port{
			{Number: 1, Name: "eth1", MAC: packet.MAC{2, 0, 0, 0, byte(d), 1}, Up: true, SpeedMbps: 10000,
				Role: netview.PortEdge},
			{Number: 2, Name: "eth2", MAC: packet.MAC{2, 0, 0, 0, byte(d), 2}, Up: true, Role: netview.PortLink,
				SpeedMbps: uint64(d) * 1000},
			{Number: 3, Name: "eth3", MAC: packet.MAC{2, 0, 0, 0, byte(d), 3}},
		}}
}

func testHost(n byte, vlan uint16) *netview.Host {
	return &netview.Host{HostID: netview.HostID{MAC: packet.MAC{0, 0, 0, 0, 0, n}, VLAN: vlan},
		IPs: []netip.Addr{netip.AddrFrom4([4]byte{10, 0, 0, n})}, At: netview.Point{DPID: netview.DPID(n), Port: 1}, Seen: noon,
		State: netview.HostConfirmed}
}

func testMatch() openflow.Match {
	var m openflow.Match
	if err := m.SetText("eth_dst", "ff:ff:ff:ff:ff:ff"); err != nil {
		panic(err)
	}
	return m
}

func softRules(dpid netview.DPID) iter.Seq[*netview.Rule] {
	return func(yield func(*netview.Rule) bool) {
		if dpid == 2 {
			yield(&netview.Rule{DPID: 2, Owner: "forward", Table: 1, Priority: 10000, Cookie: 0x0012_0000_0000_0000,
				Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(1))}, State: netview.RuleInstalled})
		}
	}
}

// Flows answers for switch 1; switch 2 is silent and switch 3 is not connected.
func (s *small) Flows(ctx context.Context, dpid netview.DPID) ([]openflow.FlowStats, error) {
	if err := s.ask(ctx, dpid); err != nil {
		return nil, err
	}
	entries := make([]openflow.FlowStats, 3)
	for i := range entries {
		entries[i] = openflow.FlowStats{Priority: uint16(100 - i), Cookie: uint64(i), Packets: 1 << 60, Bytes: 7,
			Match:        testMatch(),
			Instructions: []openflow.Instruction{openflow.Apply(openflow.OutputController(openflow.ControllerNoCut))}}
	}
	return entries, nil
}

// intentFlows answers for switch 1 that the intent's rules in by ports 1 and 2 have counted.
func (s *small) intentFlows(ctx context.Context, dpid netview.DPID, _ uint32) ([]openflow.FlowStats, error) {
	if err := s.ask(ctx, dpid); err != nil {
		return nil, err
	}
	entries := make([]openflow.FlowStats, 2)
	for i := range entries {
		entries[i] = openflow.FlowStats{Packets: 1 << 40, Bytes: 7}
		entries[i].Match.SetUint(openflow.FieldInPort, uint64(i+1))
	}
	return entries, nil
}

// counters are those of switch 1: of ports 1, 2 and of its own; of tables; of its firm rule.
// Nothing was heard of switch 2.
func counters(dpid netview.DPID) *stats.Switch {
	if dpid != 1 {
		return nil
	}
	none := math.NaN()
	port := func(n uint32, counts [stats.Counters]uint64, rate float64) stats.Port {
		return stats.Port{Number: n, Counts: counts,
			Rates: [stats.Counters]float64{rate, none, 10 * rate, none, none, none, none, none}}
	}
	m := testMatch()
	return &stats.Switch{DPID: 1,
		Ports: &stats.Ports{AsOf: noon, Sum: [stats.Counters]uint64{7, 0, 7000}, List: []stats.Port{
			port(1, [stats.Counters]uint64{1, 2, 3, 4, 5, 6, 7, 1 << 63}, none),
			port(2, [stats.Counters]uint64{10, 0, 1000, 0, stats.NotCounted, 0, 0, 0}, 2.5),
			port(openflow.PortLocal, [stats.Counters]uint64{}, none),
		}},
		Tables: &stats.Tables{AsOf: noon, List: []stats.Table{
			{Number: 0, Entries: 3, Lookups: 100, Matched: 50, LookupsRate: 2, MatchedRate: 1, Rated: true},
			{Number: 1, Entries: 1, MaxEntries: 1000, Lookups: 50, Matched: stats.NotCounted},
		}},
		Totals: &stats.Totals{AsOf: noon, Entries: 5, Packets: 60, Bytes: 6000},
		Flows: &stats.Flows{AsOf: noon, Entries: map[stats.FlowKey]stats.Flow{
			{Table: 1, Priority: 5003, Match: m.Key()}: {Cookie: 0x0011_0000_0000_0001, Packets: 9, Bytes: 900},
		}},
	}
}

func (s *small) ask(ctx context.Context, dpid netview.DPID) error {
	s.asked++
	switch dpid {
	case 1:
		return nil
	case 2:
		<-ctx.Done()
		return ctx.Err()
	}
	return fmt.Errorf("dpid %s: %w", dpid, intents.ErrNotConnected)
}

// direct finds the one link between two neighbours.
type direct struct{}

func (direct) Paths(s *netview.Snapshot, q PathQuery) []Path {
	if q.Src == q.Dst {
		return []Path{{}}
	}
	var paths []Path
	for l := range s.LinksFrom(q.Src) {
		if l.Dst.DPID == q.Dst && len(paths) < q.K {
			paths = append(paths, Path{Links: []netview.LinkKey{l.LinkKey}, Cost: 1})
		}
	}
	return paths
}

// do asks as the viewer, or as h changes it.
func (s *small) do(method, path string, h ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	r.Host = "127.0.0.1:8181"
	r.Header.Set("Authorization", "Bearer "+viewerToken)
	for _, f := range h {
		f(r)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func (s *small) get(path string) *httptest.ResponseRecorder { return s.do("GET", path) }
