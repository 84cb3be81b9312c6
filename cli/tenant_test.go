package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
)

// TestRestartedTablesAreShown: which of a tenant's switches have begun with empty tables, and why, is shown where there are any.
func TestRestartedTablesAreShown(t *testing.T) {
	of := &client.Tenant{State: &client.TenantState{Switches: []client.TenantSwitch{{DPID: "0000000000000001"},
		{DPID: "0000000000000002"}}}}
	show := func() string {
		var b strings.Builder
		if err := writeTenant(t.Context(), nil, &b, command.FormatWide, of); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got := show(); strings.Contains(got, "RESTARTED") {
		t.Errorf("none was restarted, and shown is\n%s", got)
	}
	of.State.Switches[1].Restarted = &client.TenantRestart{At: time.Unix(1e9, 0).UTC(), Reason: "it was changed"}
	if got := show(); !strings.Contains(got, "0000000000000002  2001-09-09T01:46:40Z  it was changed") {
		t.Errorf("shown is\n%s", got)
	}
}

// TestReactiveIsShown: where a tenant is served by micro-flows is shown, where it is.
func TestReactiveIsShown(t *testing.T) {
	of := &client.Tenant{State: &client.TenantState{Switches: []client.TenantSwitch{{DPID: "0000000000000001"},
		{DPID: "0000000000000002"}}}}
	of.Reactive = true
	show := func() string {
		var b strings.Builder
		if err := writeTenant(t.Context(), nil, &b, command.FormatWide, of); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got := show(); strings.Contains(got, "SERVED") || !strings.Contains(got, "reactive  yes") {
		t.Errorf("it may be reactive and is not, and shown is\n%s", got)
	}
	sw := &of.State.Switches[1]
	sw.Reactive, sw.MicroFlows, sw.Handled = true, 12, 31
	if got := show(); !strings.Contains(got, "0000000000000002  reactive  12           31") {
		t.Errorf("shown is\n%s", got)
	}
}

// TestLossesAreShown: what its limits have cost a tenant is shown at the switches where they have.
func TestLossesAreShown(t *testing.T) {
	of := &client.Tenant{State: &client.TenantState{Switches: []client.TenantSwitch{{DPID: "0000000000000001"},
		{DPID: "0000000000000002", LostIns: 3, Paced: 7}}}}
	show := func() string {
		var b strings.Builder
		if err := writeTenant(t.Context(), nil, &b, command.FormatWide, of); err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(b.String()), " ")
	}
	const want = "SWITCH PACKET-INS LOST LOST WAITING MESSAGES PACED 0000000000000002 3 0 7"
	if got := show(); !strings.HasSuffix(got, want) {
		t.Errorf("shown is %s, want %s", got, want)
	}
	of.State.Switches[1] = client.TenantSwitch{DPID: "0000000000000002"}
	if got := show(); strings.Contains(got, "LOST") {
		t.Errorf("without any, shown is %s", got)
	}
}

// TestMissingPorts: it is said of which ports there is nothing now, and why.
func TestMissingPorts(t *testing.T) {
	switches := []client.Switch{
		{DPID: "0000000000000001", Name: "s1", Connected: true, Ports: []client.Port{{Number: 1}}},
		{DPID: "0000000000000002", Ports: []client.Port{{Number: 1}}},
	}
	got := missingPorts(switches, []string{"*", "0000000000000001/*", "0000000000000001/1", "0000000000000001/11",
		"0000000000000002/1", "0000000000000002/*", "0000000000000003/1"})
	want := []string{"port 0000000000000001/11: switch s1 has no such port",
		"port 0000000000000002/1: switch 0000000000000002 is not connected",
		"port 0000000000000002/*: switch 0000000000000002 is not connected",
		"port 0000000000000003/1: no switch 0000000000000003 is known"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLimits: limits are read as they are said to be, and what is none is refused in the command's words.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		list []string
		want string // the limits, or what the error has
	}{
		{nil, "<nil>"}, {[]string{"entries=7", "mbps=0"}, "7"}, {[]string{"x=1"}, `--limit "x=1" given, want LIMIT=NUMBER`},
		{[]string{"entries=abc"}, `--limit "entries=abc" given, want a number after entries=`},
		{[]string{"entries=-1"}, "want a number"}, {[]string{"entries="}, "0 is the default"},
		{[]string{"entries"}, "want LIMIT=NUMBER"}, {[]string{"entries=99999999999"}, "want a number"},
	} {
		a := tenantArgs{limits: c.list}
		l, err := a.limit()
		got := "<nil>"
		switch {
		case err != nil:
			got = err.Error()
		case l != nil:
			got = fmt.Sprint(l.Entries)
		}
		if !strings.Contains(got, c.want) || strings.Contains(got, "strconv") || l == nil != (c.want != "7") {
			t.Errorf("%q: %s, want %s", c.list, got, c.want)
		}
	}
}

// FuzzTenantFile: what a file holds is read as a tenant of the name that was asked for, or refused.
func FuzzTenantFile(f *testing.F) {
	for _, text := range []string{"ports: ['*']", `{"name":"blue","ports":["1/1"],"etag":"a1","state":{"switches":[]}}`,
		"name: red", "space: [{priority: 10, match: {vlan_vid: 100, eth_type: 0x0800}}]", "- 1", "", "limit: 7"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, _, err := readTenant(strings.NewReader(text), "-", "blue")
		if err == nil && d.Name != "blue" {
			t.Fatalf("%q is read as %+v", text, d)
		}
	})
}

// FuzzRegion: a region is read as it is written.
func FuzzRegion(f *testing.F) {
	for _, text := range []string{"10:vlan_vid=100", "9:eth_dst=00:00:00:00:00:01,tcp_dst=80", "1:",
		"read-only:vlan_vid=5", "read-only:ipv6_dst=::1", "read-only:", "10:tcp_dst=80-90", "x:a=b", "1:a=b,a=c",
		"1:a"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := parseRegion(text)
		if err != nil {
			return
		}
		again, err := parseRegion(r.String())
		if err != nil || again.String() != r.String() {
			t.Fatalf("%q is read as %s, and that as %v: %v", text, r, again, err)
		}
	})
}
