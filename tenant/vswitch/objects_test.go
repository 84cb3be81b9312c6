package vswitch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/tenant"
)

// orders writes down what a virtual switch orders.
type orders struct {
	sink
	lines []string
}

func (o *orders) Order(x ruleset.Order) {
	_, hop := x.Rules.At(0)
	o.lines = append(o.lines, fmt.Sprintf("remove=%t %v %v", x.Remove, hop.Do.Instructions(), hop.Do.Objects()))
}
func (o *orders) Refused(Origin, *flowtable.Error) {}
func (o *orders) Confirmed(Origin)                 {}

func (o *orders) take() string {
	text := strings.Join(o.lines, "\n")
	o.lines = nil
	return text
}

// TestGroupsByContent: rules have groups by content, again when a group or a port changes; a bucket that watches a port
// which is not the tenant's any more takes no part.
func TestGroupsByContent(t *testing.T) {
	tenants := tenant.New()
	red := tenant.Definition{Name: "red", Number: 1, Ports: []netview.Point{{DPID: 1, Port: 1}, {DPID: 1, Port: 2}}}
	if err := tenants.Put(red); err != nil {
		t.Fatal(err)
	}
	s := New(Config{Tenant: 1, DPID: 1, Tables: 1, Space: tenants.Space("red"), Rows: &Rows{}})
	out := &orders{}
	for port := uint32(1); port <= 2; port++ {
		s.SetPort(openflow.Port{Number: port}, 0, out)
	}
	bucket := func(port uint32) openflow.Bucket {
		return openflow.Bucket{WatchPort: port, WatchGroup: openflow.GroupAny, Actions: []openflow.Action{openflow.Output(port)}}
	}
	group := &openflow.GroupMod{Kind: openflow.GroupTypeFastFailover, Group: 7, Buckets: []openflow.Bucket{bucket(1), bucket(2)}}
	expect := func(what, want string, err error) {
		t.Helper()
		got := out.take()
		if err != nil {
			got += err.Error()
		}
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	expect("a group by itself", "", s.GroupMod(openflow.V13, group, Origin{}, 0, out))
	mod := &openflow.FlowMod{Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Instructions: []openflow.Instruction{openflow.Apply(openflow.Group(7))}}
	expect("a rule", "[apply:[group:0]] [group ff {watch_port=1,actions=[output:1]} {watch_port=2,actions=[output:2]} "+
		"of owner 1000100000007]",
		s.FlowMod(openflow.V13, mod, Origin{}, 0, out))
	s.RemovePort(1, 0, out)
	expect("without port 1", "[apply:[group:0]] [group ff {watch_port=2,actions=[output:2]} of owner 1000200000007]", nil)
	group.Command, group.Buckets = openflow.GroupModify, []openflow.Bucket{bucket(1)}
	expect("a foreign port watched", "OFPGMFC_BAD_WATCH", s.GroupMod(openflow.V13, group, Origin{}, 0, out))
	group.Buckets = []openflow.Bucket{{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny,
		Actions: []openflow.Action{openflow.Output(1)}}}
	group.Kind = openflow.GroupTypeAll
	expect("a foreign port", "OFPBAC_BAD_OUT_PORT", s.GroupMod(openflow.V13, group, Origin{}, 0, out))
	group.Buckets[0].Actions[0].Port = openflow.PortFlood
	expect("all ports at once", "OFPBAC_BAD_OUT_PORT", s.GroupMod(openflow.V13, group, Origin{}, 0, out))
	s.SetPort(openflow.Port{Number: 1}, 0, out)
	changed := openflow.Action{Type: openflow.ActionSetField}
	var m openflow.Match
	m.SetUint(openflow.FieldEthDst, 9)
	changed.Data = m.OXM
	group.Buckets = []openflow.Bucket{{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny,
		Actions: []openflow.Action{openflow.Output(2)}}, {WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny,
		Actions: []openflow.Action{changed, openflow.Output(1)}}}
	expect("a bucket that changes packets", "[apply:[group:0]] [group all {actions=[output:2]} {actions=[set_field",
		s.GroupMod(openflow.V13, group, Origin{}, 0, out))
	s.RemovePort(1, 0, out)
	expect("without its port", "[apply:[group:0]] [group all {actions=[output:2]} {actions=[]} of owner 1000500000007]", nil)
	expect("a group deleted", "remove=true",
		s.GroupMod(openflow.V13, &openflow.GroupMod{Command: openflow.GroupDelete, Group: 7}, Origin{}, 0, out))
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}
