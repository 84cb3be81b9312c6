package up

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// living is a network of which everything has answered.
func living() State {
	return State{
		Topology: "wan:206", API: "http://127.0.0.1:8181", Age: 3723 * time.Second,
		Switches: Progress{206, 206}, Links: Progress{416, 416}, Hosts: Progress{206, 206}, Learned: 206,
		Flows: 12345, PacketIns: 41.4, FlowMods: 231.2, Hops: 1234567, Pings: 9.96, Lost: 1042,
		P50: 740 * time.Microsecond, P99: 12340 * time.Microsecond, Answered: 1870 * time.Millisecond,
	}
}

func TestPage(t *testing.T) {
	s := living()
	want := `weir up wan:206   1:02:03   all answered after 1.87 s

  switches    [########################]  206 connected
  links       [########################]  416 found
  hosts       [########################]  206 answered, 206 known to the instance

  flows             12,345  entries in all tables            231 flow-mods/s
  packets        1,234,567  hops/s                            41 packet-ins/s
  pings               10.0  answered/s, 1,042 lost     round trip p50 740 µs, p99 12.34 ms

  alarms      0 active   API http://127.0.0.1:8181
`
	if got := s.Page(0); got != want {
		t.Errorf("page:\n%s\nwant:\n%s", got, want)
	}
	if got, want := s.Announcement(), "all 206 switches, 416 links and 206 hosts have answered after 1.87 s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	want = "1:02:03: switches 206, links 416, hosts 206, flows 12,345, packet-ins/s 41, hops/s 1,234,567, pings/s 10.0, lost 1,042, " +
		"round trip p50 740 µs p99 12.34 ms, alarms 0"
	if got := s.Line(); got != want {
		t.Errorf("line %q, want %q", got, want)
	}
}

// TestPageOf80 wants lines wrapped between words, and none cut.
func TestPageOf80(t *testing.T) {
	s := living()
	want := `  pings               10.0  answered/s, 1,042 lost     round trip p50 740 µs,
              p99 12.34 ms
`
	page := s.Page(80)
	if !strings.Contains(page, want) {
		t.Errorf("%q is not in\n%s", want, page)
	}
	words := func(page string) string { return strings.Join(strings.Fields(page), " ") }
	for width := 40; width < 120; width++ {
		if got, want := words(s.Page(width)), words(s.Page(0)); got != want {
			t.Errorf("at %d characters the page says\n%s\nwant\n%s", width, got, want)
		}
	}
}

// TestUnreachableHosts wants hosts that nobody can ping listed, and singular and plural forms.
func TestUnreachableHosts(t *testing.T) {
	s := State{Switches: Progress{1, 1}, Unreachable: 2, Answered: 20 * time.Millisecond, Topology: "single:1,hosts=2"}
	if got, want := s.Announcement(),
		"1 switch, 0 links and 0 hosts have answered after 20.00 ms; besides: 2 hosts that nobody can ping"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := s.Page(0); !strings.Contains(got, "0 known to the instance, 2 hosts that nobody can ping\n") {
		t.Error(got)
	}
	if got := s.Line(); !strings.Contains(got, "hosts 0 (and 2 hosts that nobody can ping), flows") {
		t.Error(got)
	}
}

// TestTenantsOnThePage: that hosts may be tenants' is said beside how many have answered.
func TestTenantsOnThePage(t *testing.T) {
	s := State{Hosts: Progress{0, 9}, Tenants: 2}
	if got := s.Line(); !strings.Contains(got, "hosts 0 of 9 (2 tenants have hosts that Weir does not connect), flows") {
		t.Error(got)
	}
	s.Tenants = 1
	if got := s.Page(0); !strings.Contains(got, "0 known to the instance, 1 tenant has hosts that Weir does not connect\n") {
		t.Error(got)
	}
}

func TestPageOfAnUnfinishedNetwork(t *testing.T) {
	s := State{Topology: "ring:4", Switches: Progress{2, 4}, Links: Progress{0, 4}, Hosts: Progress{1, 4}}
	page := s.Page(60)
	for _, want := range []string{"starting", "[############............]  2 of 4",
		"[........................]  0 of 4", "[######..................]  1 of 4"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in\n%s", want, page)
		}
	}
	for _, l := range strings.Split(page, "\n") {
		if utf8.RuneCountInString(l) > 60 {
			t.Errorf("a line of %d characters on a terminal of 60: %s", utf8.RuneCountInString(l), l)
		}
	}
	s = living()
	if s.Links.Now--; !strings.Contains(s.Page(0), "something is missing") {
		t.Error("a link went, and the page says nothing")
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("%d is %q", n, got)
		}
	}
	for d, want := range map[time.Duration]string{0: "-", 999: "0 µs", 1500 * time.Microsecond: "1.50 ms",
		150 * time.Millisecond: "150 ms",
		2 * time.Second:        "2.00 s", 3 * time.Hour: "3:00:00"} {
		if got := duration(d); got != want {
			t.Errorf("%d is %q", d, got)
		}
	}
}

func TestPageSaysWhenTheNetworkIsLate(t *testing.T) {
	s := State{Lagging: "this machine does not keep up"}
	if page := s.Page(80); !strings.Contains(page, "  late        this machine does not keep up") {
		t.Errorf("the page says\n%s", page)
	}
	if line := s.Line(); !strings.HasSuffix(line, "; "+s.Lagging) {
		t.Errorf("the line says %s", line)
	}
	if page := (&State{}).Page(80); strings.Contains(page, "late") {
		t.Errorf("the page of a network in time says\n%s", page)
	}
}
