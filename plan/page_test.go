package plan

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/weirnet/weir/openflow"
)

// page is the table of docs/spec/switch-plan.md that stands first after a heading (or the nth), as
// rows of cells; the heading row is left out.
func page(t *testing.T, heading string, nth int) [][]string {
	t.Helper()
	text, err := os.ReadFile("../docs/spec/switch-plan.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("the page has no heading %q", heading)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	var tables [][][]string
	in := false
	for _, line := range strings.Split(rest, "\n") {
		if !strings.HasPrefix(line, "|") {
			in = false
			continue
		}
		if !in {
			tables = append(tables, nil)
			in = true
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		tables[len(tables)-1] = append(tables[len(tables)-1], cells)
	}
	if len(tables) <= nth || len(tables[nth]) < 3 {
		t.Fatalf("under %q there is no table %d", heading, nth)
	}
	return tables[nth][2:]
}

// numbers reads "a–b" or "a".
func numbers(t *testing.T, cell string) (int, int) {
	t.Helper()
	low, high, two := strings.Cut(cell, "–")
	a, err := strconv.Atoi(low)
	b := a
	if two && err == nil {
		b, err = strconv.Atoi(high)
	}
	if err != nil {
		t.Fatalf("%q is not a number or a range: %v", cell, err)
	}
	return a, b
}

func TestPageCookieLayout(t *testing.T) {
	all := Cookie{Domain: 0xfff, Kind: 0xf, Owner: 0xffffffff, Version: 0xffff}
	parts := map[string]Cookie{
		"domain": {Domain: all.Domain}, "kind of owner": {Kind: all.Kind},
		"owner number": {Owner: all.Owner}, "path version": {Version: all.Version},
	}
	for _, row := range page(t, "Cookies", 0) {
		_, name, _ := strings.Cut(row[2], "**")
		name, _, _ = strings.Cut(name, "**")
		part, ok := parts[name]
		if !ok {
			t.Errorf("the page names a part %q", name)
			continue
		}
		high, low := numbers(t, row[0])
		if want := (uint64(1)<<(high+1) - 1) &^ (uint64(1)<<low - 1); part.Encode() != want {
			t.Errorf("%s has bits %#x, on the page %#x", name, part.Encode(), want)
		}
		if width, _ := numbers(t, row[1]); width != high-low+1 {
			t.Errorf("%s: the page's width %d is not that of its bits", name, width)
		}
		delete(parts, name)
	}
	if len(parts) > 0 {
		t.Errorf("not on the page: %v", parts)
	}
}

// TestPageTenants: a tenant's cookie has its parts where the page says.
func TestPageTenants(t *testing.T) {
	parts := map[string]uint32{"tenant": TenantOwner(TenantMax, 0), "row": TenantOwner(0, TenantRowMax)}
	for _, row := range page(t, "Cookies", 2) {
		_, name, _ := strings.Cut(row[2], "**")
		name, _, _ = strings.Cut(name, "**")
		high, low := numbers(t, row[0])
		cookie := Cookie{Owner: parts[name]}.Encode()
		if want := (uint64(1)<<(high+1) - 1) &^ (uint64(1)<<low - 1); cookie != want {
			t.Errorf("%s has bits %#x, on the page %#x", name, cookie, want)
		}
		delete(parts, name)
	}
	if len(parts) > 0 {
		t.Errorf("not on the page: %v", parts)
	}
	for _, c := range []struct {
		tenant uint16
		row    uint32
	}{{0, 0}, {1, 0}, {TenantMax, TenantRowMax}, {5, 77}} {
		if tenant, row := TenantRow(TenantOwner(c.tenant, c.row)); tenant != c.tenant || row != c.row {
			t.Errorf("tenant %d, row %d: %d, %d", c.tenant, c.row, tenant, row)
		}
		if m := TenantMetadata(c.tenant); m&^MetadataTenant != 0 || m != uint64(c.tenant)<<54 {
			t.Errorf("tenant %d has metadata %#x", c.tenant, m)
		}
	}
	if app, rule := AppRule(AppOwner(AppMax, 9)); app != AppMax || rule != 9 {
		t.Errorf("application %d, rule %d", app, rule)
	}
}

func TestPageKinds(t *testing.T) {
	named := map[Kind]string{
		KindInfrastructure: "infrastructure", KindTree: "tree", KindPair: "pairs", KindOperator: "operators",
		KindIntent: "intents", KindTenant: "tenants", KindProtection: "protection", KindApp: "applications",
		KindMark: "marks",
	}
	for _, row := range page(t, "Cookies", 1) {
		low, high := numbers(t, row[0])
		for n := low; n <= high; n++ {
			word, known := named[Kind(n)]
			if !known {
				if row[1] != "reserved" {
					t.Errorf("kind %d is %q on the page, reserved in the code", n, row[1])
				}
				continue
			}
			if !strings.Contains(row[1], word) {
				t.Errorf("kind %d is %q on the page, %q in the code", n, row[1], word)
			}
			if soft := strings.Contains(row[2], "soft"); soft != Kind(n).Soft() {
				t.Errorf("kind %d soft: %v on the page, %v in the code", n, soft, Kind(n).Soft())
			}
			delete(named, Kind(n))
		}
	}
	if len(named) > 0 {
		t.Errorf("not on the page: %v", named)
	}
}

func TestPageTables(t *testing.T) {
	want := map[int]string{int(TableAdmission): "admission", int(TableForwarding): "forwarding", int(TableCopy): "copy"}
	rows := page(t, "Tables", 0)
	for _, row := range rows {
		if n, _ := numbers(t, row[0]); want[n] != row[1] {
			t.Errorf("table %d is %q on the page, %q in the code", n, row[1], want[n])
		}
	}
	if len(rows) != len(want) || len(rows) != tablesNeeded {
		t.Errorf("%d tables on the page, %d in the code", len(rows), len(want))
	}
}

func TestPageBands(t *testing.T) {
	bands := []Band{
		BandGuardProbes, BandDiscovery, BandProtection, BandTag, BandOperator, BandIntent, BandTenant, BandApp, BandPair,
		BandTree,
		BandGuardMiss, BandMiss,
	}
	rows := page(t, "Priorities", 0)
	if len(rows) != len(bands) {
		t.Fatalf("%d bands on the page, %d in the code", len(rows), len(bands))
	}
	for i, row := range rows {
		low, high := numbers(t, row[0])
		if want := (Band{uint16(low), uint16(high)}); bands[i] != want {
			t.Errorf("band of %s is %v in the code, %v on the page", row[1], bands[i], want)
		}
		if i > 0 && bands[i].High >= bands[i-1].Low {
			t.Errorf("bands %v and %v overlap", bands[i], bands[i-1])
		}
	}
}

func TestPageRows(t *testing.T) {
	code := map[string]bool{}
	add := func(table uint8, priority uint16, match string, kind Kind) {
		code[fmt.Sprintf("%d %d %s %d", table, priority, match, kind)] = true
	}
	add(TableAdmission, PriorityDiscovery, "eth_type=0x88cc", KindInfrastructure)
	add(TableAdmission, PriorityMiss, "", KindInfrastructure)
	add(TableForwarding, PriorityMiss, "", KindInfrastructure)
	add(TableForwarding, PriorityPair, "vlan_vid, eth_src, eth_dst", KindPair)
	add(TableForwarding, PriorityBroadcast, "eth_dst=ff:ff:ff:ff:ff:ff", KindTree)
	add(TableForwarding, PriorityMulticast, "eth_dst=01:00:00:00:00:00/01:00:00:00:00:00", KindTree)
	add(TableForwarding, PriorityARP, "eth_type=0x0806", KindTree)
	add(TableForwarding, PriorityND, "eth_type=0x86dd, ip_proto=58, icmpv6_type=135", KindTree)
	add(TableForwarding, PriorityUnknown, "", KindTree)
	add(TableCopy, PriorityCopySkip, "in_port=P", KindTree)
	add(TableCopy, PriorityCopyMeter, "", KindTree)
	for _, row := range page(t, "The rows of this version", 0) {
		if extra, ok := strings.CutPrefix(row[1], "tree priority + "); ok {
			if n, _ := numbers(t, extra); n != int(PriorityOffTree) {
				t.Errorf("rows for links outside the tree are at +%d on the page, +%d in the code", n, PriorityOffTree)
			}
			continue
		}
		match := ""
		if strings.HasPrefix(row[2], "`") {
			match, _, _ = strings.Cut(row[2][1:], "`")
		}
		key := fmt.Sprintf("%s %s %s %s", row[0], row[1], match, row[4])
		if !code[key] {
			t.Errorf("on the page but not in the code: %s", key)
		}
		delete(code, key)
	}
	for key := range code {
		t.Errorf("in the code but not on the page: %s", key)
	}
}

func TestPageIDs(t *testing.T) {
	want := map[string]bool{
		fmt.Sprintf("meter %d", MeterCopy):                                             true,
		fmt.Sprintf("meters %d–%d", MeterInfrastructureFirst, MeterInfrastructureLast): true,
		fmt.Sprintf("meters %d–%d", MeterProtectionFirst, MeterProtectionLast):         true,
		"meters D·2²⁰ – D·2²⁰ + 2²⁰−1":                                                 sharedAsOnPage(),
		fmt.Sprintf("groups %d–%d", GroupInfrastructureFirst, GroupInfrastructureLast): true,
		"groups D·2²⁰ – D·2²⁰ + 2²⁰−1":                                                 sharedAsOnPage(),
	}
	rows := page(t, "Groups and meters", 0)
	for _, row := range rows {
		if !want[row[0]] {
			t.Errorf("on the page but not in the code: %s", row[0])
		}
	}
	if len(rows) != len(want) {
		t.Errorf("%d ranges on the page, %d in the code", len(rows), len(want))
	}
}

// sharedAsOnPage reports whether domains have the numbers that the page gives them, and leave alone what it says.
func sharedAsOnPage() bool {
	for domain := uint16(1); domain <= DomainMax; domain++ {
		first, last, ok := SharedNumbers(domain)
		if ok != (domain <= 4078) || ok && (first != uint32(domain)<<20 || last != first+1<<20-1 || last > 0xffff0000-1<<24) {
			return false
		}
	}
	_, _, ok := SharedNumbers(0)
	return !ok
}

func TestMetersOfPorts(t *testing.T) {
	if id, ok := MeterOfPort(7); id != 1007 || !ok {
		t.Errorf("port 7 has meter %d, %v", id, ok)
	}
	if _, ok := MeterOfPort(openflow.PortLocal); ok {
		t.Error("a reserved port has a meter")
	}
}

func TestForms(t *testing.T) {
	for _, c := range []struct {
		version openflow.Version
		tables  uint8
		single  bool
	}{{openflow.V10, 254, true}, {openflow.V13, 254, false}, {openflow.V13, 3, false}, {openflow.V13, 2, true},
		{openflow.V13, 1, true}} {
		if got := SingleTable(c.version, c.tables); got != c.single {
			t.Errorf("OpenFlow %s with %d tables single: %v", c.version, c.tables, got)
		}
	}
}
