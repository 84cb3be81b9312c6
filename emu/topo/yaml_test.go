package topo

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/strictyaml"
)

// example is a network of the examples of the repository.
func example(t testing.TB, arg string) *Topology {
	t.Helper()
	n, err := Load(filepath.Join("../../examples", arg), 1)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestYAMLExample(t *testing.T) {
	n := example(t, "two-sites.yaml")
	if n.Name != "two sites" || len(n.Switches) != 4 || len(n.Links) != 4 || len(n.Hosts) != 3 || len(n.Schedule) != 5 {
		t.Fatalf("%q: %d switches, %d links, %d hosts, %d events", n.Name, len(n.Switches), len(n.Links),
			len(n.Hosts), len(n.Schedule))
	}
	if s := n.Switches; s[0].DPID != 0xb1 || *s[1].Lon != 2.35 || s[2].DPID != 1 || s[3].DPID != 2 || s[3].Lat != nil {
		t.Errorf("switches %+v", s)
	}
	radio := n.Links[1]
	want := LinkSpec{Delay: 9 * time.Millisecond, Jitter: 2 * time.Millisecond, Loss: 0.01, RateBPS: 50_000_000, Queue: 20}
	back := want
	back.RateBPS = 10_000_000
	if radio.ID != "radio" || radio.Forward != want || radio.Back != back || radio.A != (End{0, 2}) || radio.B != (End{1, 2}) {
		t.Errorf("%+v", radio)
	}
	if l := n.Links[2]; l.ID != "berlin-berlin-access" || l.A != (End{0, 3}) || l.B != (End{2, 1}) || l.Forward != (LinkSpec{}) {
		t.Errorf("%+v", l)
	}
	alice, bob, printer := n.Hosts[0], n.Hosts[1], n.Hosts[2]
	if alice.MAC.String() != "02:00:00:00:00:01" || alice.At != (End{2, 2}) ||
		bob.IPv4 != netip.MustParsePrefix("10.0.2.2/8") || bob.IPv6.String() != "fd00::2/64" {
		t.Errorf("%+v %+v", alice, bob)
	}
	if printer.VLAN != 20 || printer.IPv6.IsValid() || printer.At != (End{2, 9}) ||
		printer.Link.RateBPS != 100_000_000 || n.LinkID(&printer) != "printer-berlin-access" {
		t.Errorf("%+v", printer)
	}
}

var oneHost = Options{Hosts: 1} // as without options

func TestYAMLBeginsWithAWord(t *testing.T) {
	n, err := parseYAML([]byte(`
network: linear:3,mtu=1500
switches: [{name: extra, dpid: 0xff}]
links: [{ends: [s1, extra], mtu: 1600, back: {mtu: 0}}, ["extra:7", s3]]
hosts: [{name: probe, at: extra}]
schedule: [{at: 1s, link: s1-s2, up: false}]
`), 1, oneHost)
	if err != nil {
		t.Fatal(err)
	}
	if l := n.Links; l[0].Back.MTU != 1500 || l[2].Forward.MTU != 1600 || l[2].Back.MTU != 0 || l[3].Forward.MTU != 0 {
		t.Errorf("%+v", l)
	}
	if n.Name != "linear:3,mtu=1500" || len(n.Switches) != 4 || len(n.Hosts) != 4 || n.Links[2].ID != "s1-extra" ||
		n.Links[2].A != (End{0, 3}) || n.Links[3].A != (End{3, 7}) {
		t.Errorf("%+v", n)
	}
	if h := n.Hosts[3]; h.At != (End{3, 2}) || h.MAC.String() != "02:00:00:00:00:04" {
		t.Errorf("%+v", h)
	}
}

func TestYAMLHosts(t *testing.T) {
	const file = "switches: [a, b]\nlinks: [[a, b], [b, a]]\n"
	for _, c := range []struct {
		text  string
		o     Options
		hosts int
	}{
		{file, Options{Hosts: 1}, 2}, {file, Options{Hosts: 3}, 6}, {file, Options{}, 0},
		{file + "hosts: []\n", Options{Hosts: 3}, 0},
	} {
		n, err := parseYAML([]byte(c.text), 1, c.o)
		if err != nil || len(n.Hosts) != c.hosts {
			t.Fatalf("%v, want %d hosts", err, c.hosts)
		}
		if n.Links[0].ID != "a-b" || n.Links[1].ID != "b-a" {
			t.Errorf("%+v", n.Links)
		}
	}
	n, err := parseYAML([]byte(file), 1, Options{Link: LinkSpec{Delay: time.Second}})
	if err != nil || n.Links[1].Back.Delay != time.Second {
		t.Errorf("%v: options do not hold for links: %+v", err, n.Links)
	}
}

// TestBadYAML wants the line and the reason of everything that can be wrong with a file.
func TestBadYAML(t *testing.T) {
	const start = "switches: [s1, {name: s2, dpid: 7}]\n"
	for _, c := range []struct{ text, want string }{
		{"", "1: nothing given, want a mapping with name, network"},
		{"a: [", "not YAML"},
		{"\n\xff", "2: bytes that are not UTF-8"},
		{"- s1", "1: a list given, want a mapping with name, network, switches, links, hosts, schedule, such as `switches: [s1, s2]`"},
		{"links: []", "no switches given, want a list of them or a network"},
		{"switches: []", "0 switches given, want from 1"},
		{"switches: s1", `1: switches: "s1" given, want a list, such as ` + "`- {name: s1"},
		{"name: x\nspeed: 3\nswitches: [s1]", `2: unknown field "speed" given, want name, network`},
		{"name: ''\nswitches: [s1]", `1: name: "" given, want 1 to 64 bytes`},
		{"network: linear:0", `1: network: topology "linear:0": 0 switches given`},
		{"switches: [s1, s1]", `1: name "s1" given twice`},
		{"switches:\n- s1\n- {name: s 2}", `3: name: name "s 2" given, want 1 to 64 bytes of letters, digits`},
		{"switches:\n- s1\n- {dpid: 1}", "3: a switch without a name given, want one, such as `- {name: s1"},
		{"switches:\n- {name: a, dpid: 5}\n- {name: b, dpid: 5}",
			"3: switch b: datapath id 0000000000000005 given, which is that of a too"},
		{"switches: [{name: a, dpid: 0}]",
			`dpid: "0" given, want up to 16 hexadecimal digits and not 0, such as 0000000000000001`},
		{"switches: [{name: a, dpid: 12345678123456781}]", "want up to 16 hexadecimal digits"},
		{"switches: [{name: a, lat: 3}]", "1: switch a: one coordinate given"},
		{"switches: [{name: a, lat: 91, lon: 0}]", `lat: "91" given, want degrees from -90 to 90, such as 52.52`},
		{"switches: [{name: a, lat: NaN, lon: 0}]", `lat: "NaN" given`},
		{"switches: [{name: a, name: b}]", "name given twice, want it once"},
		{"switches: [&x {name: a}]", "an anchor or alias given"},
		{start + "links:\n- [s1]", "3: a list given, want two ends, such as [s1, s2]"},
		{start + "links:\n- [s1, s3]", `3: switch "s3" given, want one of the 2 switches of the network, such as s1`},
		{start + "links:\n- [s1, 's2:0']", `3: port "0" given, want a number from 1 to 65280`},
		{start + "links:\n- [s1, s1]", `3: s1 given twice, want two switches, or both ports of a cable that comes back to its switch, such as ["s1:1", "s1:2"]`},
		{start + "links:\n- [\"s1:1\", s1]", "3: s1 given twice"},
		{start + "hosts:\n- {name: a, at: s1, ipv4: 10.0.0.7/8}\n- {name: b, at: s2, ipv4: 10.0.0.7/24}",
			"4: host b: address 10.0.0.7 given, which is that of a too: want one of its own, or another VLAN"},
		{start + "hosts:\n- {name: a, at: s1, ipv6: \"fd00::9/64\"}\n- {name: b, at: s2, ipv6: \"fd00::9/64\"}",
			"4: host b: address fd00::9 given"},
		{start + "hosts:\n- {name: a, at: s1}\n- {name: b, at: s2, ipv4: 10.0.0.1/8}",
			"4: host b: address 10.0.0.1 given, which is that of a too"},
		{start + "links:\n- {delay: 5ms}", "3: a link without ends given, want two switches, such as `- {ends: [s1, s2]"},
		{start + "links:\n- {ends: [s1, s2], delay: 5}",
			`3: delay: "5" given, want a time with a unit from 0s to 10m0s, such as 5ms`},
		{start + "links:\n- {ends: [s1, s2], rate: -3M}", `3: rate: "-3M" given, want bits a second`},
		{start + "links:\n- {ends: [s1, s2], loss: 2}", `3: loss: "2" given, want a share from 0 to 1, such as 0.01 or 1%`},
		{start + "links:\n- {ends: [s1, s2], jitter: 2s}", "3: link s1-s2: a jitter of 2s given, want at most the delay"},
		{start + "links:\n- {ends: [s1, s2], back: {speed: 1}}", `3: unknown field "speed" given, want delay, jitter`},
		{start + "links:\n- {ends: [s1, s2], colour: red}", `3: unknown field "colour" given, want ends, id, delay`},
		{start + "links:\n- ['s1:1', s2]\n- ['s1:1', s2]",
			"4: link s1-s2.2: port 1 of s1 given, which is that of link s1-s2: want a free one"},
		{start + "links:\n- {ends: [s1, s2], id: x}\n- {ends: [s1, s2], id: x}", `4: link id "x" given twice`},
		{start + "hosts:\n- {name: h1}", "3: a host that is nowhere given, want its switch, such as `- {name: h1, at: s1}`"},
		{start + "hosts:\n- {name: s1, at: s1}", `3: name "s1" given twice`},
		{start + "hosts:\n- {name: h, at: s1, mac: 1}",
			`3: mac: "1" given, want six bytes in hexadecimal, such as 02:00:00:00:00:01`},
		{start + "hosts:\n- {name: h, at: s1, mac: 'ff:ff:ff:ff:ff:ff'}",
			"3: host h: MAC address ff:ff:ff:ff:ff:ff given, want one of a station"},
		{start + "hosts:\n- {at: s1}\n- {at: s1, mac: '02:00:00:00:00:01'}",
			"4: host h2: MAC address 02:00:00:00:00:01 given, which is that of h1 too"},
		{start + "hosts:\n- {name: h, at: s1, ipv4: 10.0.0.1}",
			`3: ipv4: "10.0.0.1" given, want an address with the length of its network, such as 10.0.0.1/8`},
		{start + "hosts:\n- {name: h, at: s1, ipv4: 'fd00::1/64'}",
			"3: host h: ipv4 fd00::1/64 given, want an address of a host"},
		{start + "hosts:\n- {name: h, at: s1, ipv6: 'ff02::1/64'}", "3: host h: ipv6 ff02::1/64 given"},
		{start + "hosts:\n- {name: h, at: s1, vlan: 4095}", `3: vlan: "4095" given, want a number from 1 to 4094`},
		{start + "hosts: [{name: h, at: }]", "at: nothing given, want one value"},
	} {
		_, err := parseYAML([]byte(c.text), 1, oneHost)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n   gives %v\n   want  %s", c.text, err, c.want)
		}
	}
}

func TestAllProblemsAreTold(t *testing.T) {
	_, err := parseYAML([]byte("switches: [s1, s2]\nlinks:\n- [s1, s9]\n- {ends: [s1, s2], loss: 3}\nhost: []\n"), 1, oneHost)
	if err == nil || strings.Count(err.Error(), "\n") != 2 || !strings.HasPrefix(err.Error(), "3: ") {
		t.Errorf("%v, want three problems in order of lines", err)
	}
	_, err = parseYAML([]byte("switches: [s1]\n"+strings.Repeat("x: 1\n", 180)), 1, oneHost)
	if err == nil || strings.Count(err.Error(), "\n") != strictyaml.MaxProblems ||
		!strings.HasSuffix(err.Error(), "and 80 more problems") {
		t.Errorf("%v", err)
	}
}

func TestLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lab.yaml")
	if err := os.WriteFile(file, []byte("switches: [a]\nlinks: 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for arg, want := range map[string]string{
		"linear:2,hosts=2":      "",
		file:                    file + `:2: links: "3" given, want a list`,
		file + ",hosts=x":       `hosts: "x" given`,
		file + ",edgehosts=1":   "edgehosts= given, want it with tree: or fattree: only",
		"missing.graphml":       "missing.graphml: there is no such file",
		"linear":                `given, want linear:N`,
		"lab.txt":               `topology "lab.txt" given, want one of single:N`,
		"../../examples":        "given, want one of",
		filepath.Dir(file) + "": "given, want one of",
	} {
		_, err := Load(arg, 1)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", arg, err, want)
		}
	}
	if n := example(t, "backbone.graphml,hosts=2,delay=1ms"); len(n.Hosts) != 10 ||
		n.Links[0].Forward.Delay != time.Millisecond || n.Name != "Backbone" {
		t.Errorf("%+v", n)
	}
}

func FuzzParseYAML(f *testing.F) {
	for _, name := range []string{"two-sites.yaml"} {
		b, err := os.ReadFile(filepath.Join("../../examples", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte("network: ring:3\nlinks: [[s1, s2]]\n"))
	f.Add([]byte("switches: [s1, {name: s2, dpid: 7}]\nlinks:\n- {ends: [s1, s2], back: {rate: 1M}}\nhosts: [{at: s1}]\nschedule: [{at: 1s, switch: all, down: true}]\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if strings.Contains(string(b), "network") && !strings.Contains(string(b), "ring:3") {
			return // the word's own target has them; big ones take time
		}
		n, err := parseYAML(b, 1, oneHost)
		if err == nil && n.Check() != nil {
			t.Errorf("makes a network that is none: %v", n.Check())
		}
	})
}

func TestYAMLProfileOfASwitch(t *testing.T) {
	n, err := parseYAML([]byte("switches:\n- {name: s1, profile: aruba-3810m}\n- s2\n"), 1, oneHost)
	if err != nil {
		t.Fatal(err)
	}
	if p := n.Switches[0].Profile; p == nil || p.Name != "aruba-3810m" || n.Switches[1].Profile != nil {
		t.Errorf("profiles %v, %v", p, n.Switches[1].Profile)
	}
	_, err = parseYAML([]byte("switches:\n- s1\n- {name: s2, profile: cisco}\n"), 1, oneHost)
	if err == nil || err.Error() != `3: profile: profile "cisco" given, want ideal, ovs, aruba-3810m` {
		t.Errorf("%v", err)
	}
}
