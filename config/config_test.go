package config

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/strictyaml"
)

var rewrite = flag.Bool("rewrite", false, "write golden files anew")

// counter are the settings of an application.
type counter struct {
	Most  uint64        `yaml:"most" default:"16" min:"1" max:"64" doc:"How many are counted."`
	Sizes []uint64      `yaml:"sizes" min:"1" max:"9000" doc:"Sizes."`
	Every time.Duration `yaml:"every" default:"1s" min:"1s" max:"1h" restart:"true" doc:"The period."`
	Deep  bool          `yaml:"deep" doc:"Whether payloads are looked at."`
}

// testApps are the applications of an instance.
var testApps = []App{{Name: "forward"}, {Name: "guard"}, {Name: "proxyarp"}, {Name: "stats", Required: true},
	{Name: "counter", Settings: counter{}}}

const whole = `
name: west
domain: 7
role: hypervisor
openflow: {listen: "[::1]:6654", echo_interval: 1s, echo_misses: 5, tls_cert: c, tls_key: k, tls_ca: a, tls_unnamed: true, role: equal}
stats: {port_period: 1s, table_period: 2s, flow_period: 1h}
api:
  listen: 127.0.0.1:9999
  auth: none
  insecure: true
  tls_cert: a.pem
  tls_key: b.pem
  hosts: [weir.example, "10"]
peer: {listen: none, tls_cert: d.pem, tls_key: e.pem, tls_ca: f.pem}
discovery:
  lldp_period: 1m
  indirect: allow
  new_links: trust
  link_frame: 9018
  link_widths: find
  host_expiry: 1h
forward: {unknown: flood}
apps:
  disable: [forward]
  settings:
    counter: {most: 7, sizes: [1, 20], every: 2s}
limits: {connections: 9999, connections_per_source: 99, batch_items: 999, streams_per_token: 9, switch_ports: 48}
allow: [1, 00000000000000a1, "0xb2", 00:00:00:00:00:00:00:c3]
switches:
  1: {name: leaf 1, location: "row 3: rack 4"}
  0xa1:
    name: spine
  b2: # nothing is said of it
ports:
  1/local: {name: "1"}
  a1/3: {edge: true}
links:
  1/1->a1/1: {capacity_mbps: 1000, latency_us: 250}
  a1/1->1/1: {cost: 7}
  b2/2<->a1/2: {cost: 65535}
`

// TestParse reads a configuration that says all there is to say, writes it, and reads that again.
func TestParse(t *testing.T) {
	c, err := Parse([]byte(whole), testApps...)
	if err != nil {
		t.Fatal(err)
	}
	for what, ok := range map[string]bool{
		"name": c.Name == "west" && c.Domain == 7 && c.Role == RoleHypervisor,
		"openflow": c.OpenFlow == OpenFlow{Listen: "[::1]:6654", EchoInterval: time.Second, TLSCert: "c", TLSKey: "k", TLSCA: "a",
			TLSUnnamed: true, Role: OpenFlowEqual, EchoMisses: 5},
		"api": c.API.Auth == "none" && c.API.Insecure && c.API.TLSKey == "b.pem" &&
			reflect.DeepEqual(c.API.Hosts, []string{"weir.example", "10"}),
		"peer":      c.Peer == Peer{PeerNone, "d.pem", "e.pem", "f.pem"},
		"stats":     c.Stats == Stats{time.Second, 2 * time.Second, time.Hour},
		"discovery": c.Discovery == Discovery{time.Minute, "allow", "trust", 9018, "find", time.Hour},
		"apps": reflect.DeepEqual(c.Apps, Apps{[]string{"forward"},
			map[AppName]any{"counter": counter{7, []uint64{1, 20}, 2 * time.Second, false}}}),
		"limits": c.Limits == Limits{Connections: 9999, ConnectionsPerSource: 99, BatchItems: 999,
			StreamsPerToken: 9, SwitchPorts: 48},
		"allow": reflect.DeepEqual(c.Allow, []netview.DPID{1, 0xa1, 0xb2, 0xc3}),
		"switches": c.Switches[1] == Switch{"leaf 1", "row 3: rack 4"} && c.Switches[0xa1].Name == "spine" &&
			len(c.Switches) == 3,
		"ports": c.Ports[netview.Point{DPID: 1, Port: PortLocal}].Name == "1" &&
			c.Ports[netview.Point{DPID: 0xa1, Port: 3}].Edge,
		"links": c.Links[LinkRef{netview.Point{DPID: 0xa1, Port: 2}, netview.Point{DPID: 0xb2, Port: 2}, true}].Cost == 65535,
	} {
		if !ok {
			t.Errorf("%s: %+v", what, c)
		}
	}
	again, err := Parse([]byte(c.Text()), testApps...)
	if err != nil || !reflect.DeepEqual(c, again) {
		t.Errorf("%v: written and read again it is\n%s", err, c.Text())
	}
	if v := reflect.ValueOf(*c); v.NumField() != 15 {
		t.Errorf("%d fields: extend this test's configuration", v.NumField())
	}
	for i, v := 0, reflect.ValueOf(*c); i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Errorf("nothing is said of %s", v.Type().Field(i).Name)
		}
	}
}

// TestBad compares what is said of each of testdata/bad/*.yaml with the .txt beside it.
func TestBad(t *testing.T) {
	files, _ := filepath.Glob("testdata/bad/*.yaml")
	if len(files) < 5 {
		t.Fatalf("%d files", len(files))
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Parse(b, testApps...)
		if err == nil || c != nil {
			t.Errorf("%s is accepted", file)
			continue
		}
		golden(t, strings.TrimSuffix(file, ".yaml")+".txt", err.(strictyaml.Problems).In(filepath.Base(file))+"\n")
	}
}

// TestManyProblems: of a file that is something else altogether the first problems are told, and
// how many there are.
func TestManyProblems(t *testing.T) {
	for _, c := range []string{"n%d: 1\n", "? [%d]\n: 1\n"} {
		var b strings.Builder
		for n := range 20_000 {
			fmt.Fprintf(&b, c, n)
		}
		_, err := Parse([]byte(b.String()))
		list, _ := err.(strictyaml.Problems)
		if len(list) != strictyaml.MaxProblems+1 || list[0].Line != 1 ||
			list[strictyaml.MaxProblems].Text != "and 19900 more problems" ||
			len(err.Error()) > 64<<10 {
			t.Errorf("%q: %d problems, %d bytes, last %v", c, len(list), len(err.Error()), list[len(list)-1])
		}
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%swant\n%s(go test -rewrite writes it anew)", file, got, want)
	}
}

func TestNothing(t *testing.T) {
	for _, text := range []string{"", "\n", "# only a comment\n", "---\n", "{}", "discovery:\n", "switches: {}\n", "~"} {
		c, err := Parse([]byte(text), testApps...)
		if err != nil || len(c.entries()) != 0 {
			t.Errorf("%q: %+v, %v", text, c, err)
		}
	}
}

func parse(t *testing.T, text string) *Config {
	t.Helper()
	c, err := Parse([]byte(text), testApps...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return c
}

func TestDiff(t *testing.T) {
	from := parse(t,
		"name: a\nallow: [1, 2]\nswitches: {1: {name: x, location: here}, 2: {name: y}}\ndiscovery: {lldp_period: 2s}\n")
	to := parse(t, "allow: [2, 3]\nswitches: {1: {name: z, location: here}, 3: {name: y}}\ndiscovery: {lldp_period: 2000ms}\nforward: {unknown: flood}\n")
	got := Diff(from, to)
	want := []Change{
		{"name", "a", "", true, true, OfInstance},
		{"allow[0000000000000001]", "0000000000000001", "", false, true, OfNetwork},
		{"switches[0000000000000001].name", "x", "z", false, false, OfNetwork},
		{"switches[0000000000000002].name", "y", "", false, false, OfNetwork},
		{"forward.unknown", "", "flood", true, false, OfNetwork},
		{"allow[0000000000000003]", "", "0000000000000003", false, true, OfNetwork},
		{"switches[0000000000000003].name", "", "y", false, false, OfNetwork},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	if d := Diff(to, to); len(d) != 0 {
		t.Errorf("to itself: %+v", d)
	}
}

func TestMerge(t *testing.T) {
	file := parse(t, "name: a\nallow: [1, 2]\nswitches: {1: {name: x, location: here}}\ndiscovery: {lldp_period: 1s}\n")
	flags := parse(t, "name: b\nallow: [3]\nswitches: {1: {name: z}, 2: {name: y}}\n")
	got := Merge(Defaults(), file, flags)
	want := parse(t, `
name: b
domain: 1
role: controller
openflow: {listen: "127.0.0.1:6653", echo_interval: 5s, role: master, echo_misses: 3}
api: {listen: "127.0.0.1:8181", auth: token}
peer: {listen: "127.0.0.1:9876"}
discovery: {lldp_period: 1s, indirect: deny, new_links: evidence, link_frame: 1522, link_widths: ignore, host_expiry: 30m}
stats: {port_period: 5s, table_period: 15s, flow_period: 30s}
forward: {unknown: controller}
allow: [3]
switches: {1: {name: z, location: here}, 2: {name: y}}`)
	want.Limits = Defaults().Limits
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %s", got.Text())
	}
	if file.Name != "a" || len(file.Switches) != 1 || file.Switches[1].Name != "x" {
		t.Errorf("what was merged changed: %s", file.Text())
	}
}

// FuzzParse: whatever is given is refused with a text, or says what its own text says.
func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	for _, s := range []string{"", "a: &x [*x]", "switches: {1: {name: 5}}", "allow: []", "links: {1/1->2/2: {}}",
		"? [a]\n: b", "<<: {name: x}", "name: !!binary aGk=", "---\n---\n", "name: \"\\u0007\"", "domain: 0x1",
		"apps: {settings: {counter: {most: 65}, forward: {}, x: 1}}", "apps: {settings: {counter: }}"} {
		f.Add([]byte(s))
	}
	files, _ := filepath.Glob("testdata/bad/*.yaml")
	for _, file := range files {
		b, _ := os.ReadFile(file)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := Parse(b, testApps...)
		if err != nil {
			if p, ok := err.(strictyaml.Problems); !ok || len(p) == 0 || p.Error() == "" {
				t.Fatalf("refused without a reason: %v", err)
			}
			return
		}
		again, err := Parse([]byte(c.Text()), testApps...)
		if err != nil {
			t.Fatalf("%q\nis written as\n%s\nand that is refused: %v", b, c.Text(), err)
		}
		if d := Diff(c, again); len(d) != 0 {
			t.Fatalf("%q\nis written as\n%s\nwhich differs: %v", b, c.Text(), d)
		}
		c.Tree()
	})
}

// TestRunning: of what needs a restart the old is in force, of the rest the new, and Pending is the
// difference.
func TestRunning(t *testing.T) {
	began := Merge(Defaults(), parse(t, "name: a\nforward: {unknown: flood}\nallow: [1]\ndiscovery: {lldp_period: 3s}\n"))
	now := Merge(Defaults(), parse(t, "name: b\napps: {disable: [guard]}\ndiscovery: {lldp_period: 4s}\n"))
	running := Running(began, now)
	if running.Name != "a" || running.Forward.Unknown != "flood" || running.Allow != nil ||
		running.Apps.Disable != nil || running.Discovery.LLDPPeriod != 4*time.Second {
		t.Errorf("running: %s", running.Text())
	}
	want := []Change{{"name", "a", "b", true, true, OfInstance},
		{"forward.unknown", "flood", "controller", true, false, OfNetwork},
		{"apps.disable[guard]", "", "guard", true, false, OfNetwork}}
	if got := Pending(began, now); !reflect.DeepEqual(got, want) {
		t.Errorf("pending: %+v", got)
	}
}

// TestAllProblemsAtOnce: what is wrong between fields is said beside what is wrong with one.
func TestAllProblemsAtOnce(t *testing.T) {
	_, err := Parse([]byte("nonsense: 1\nswitches:\n  1: {name: a}\n  2: {name: a}\n"))
	if err == nil || !strings.Contains(err.Error(), "nonsense") || !strings.Contains(err.Error(), "is the name of switch") {
		t.Errorf("%v", err)
	}
}
