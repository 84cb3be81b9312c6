package topo

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/strictyaml"
)

// Examples of the parts of a network.
const (
	switchExample = "`- {name: s1, dpid: 0000000000000001}`"
	linkExample   = "`- {ends: [s1, s2], delay: 5ms}`"
	hostExample   = "`- {name: h1, at: s1}`"
)

func (f *networkFile) add(p part, n *yaml.Node) { f.lines[p] = append(f.lines[p], n.Line) }

// readSwitch reads a switch, or its name alone. One without a datapath id has 0 until
// numberSwitches.
func (f *networkFile) readSwitch(n *yaml.Node) {
	var s Switch
	name := strictyaml.Into("name", &s.Name, parseName)
	if n.Kind == yaml.ScalarNode {
		f.Wrong(n, name.Read(n))
	} else if seen := f.Mapping(n, switchExample, []strictyaml.Field{
		name,
		strictyaml.Into("dpid", &s.DPID, ParseDPID),
		strictyaml.Maybe("lat", &s.Lat, func(s string) (float64, error) { return parseDegrees(s, 90) }),
		strictyaml.Maybe("lon", &s.Lon, func(s string) (float64, error) { return parseDegrees(s, 180) }),
		strictyaml.Into("profile", &s.Profile, f.profileNamed),
	}); !seen["name"] && n.Kind == yaml.MappingNode {
		f.Wrong(n, fmt.Errorf("a switch without a name given, want one, such as %s", switchExample))
	}
	f.byName[s.Name] = len(f.Switches)
	f.Switches = append(f.Switches, s)
	f.add(ofSwitch, n)
}

// profileNamed is a built-in profile, one for all switches that name it.
func (f *networkFile) profileNamed(name string) (*profile.Profile, error) {
	if p := f.profiles[name]; p != nil {
		return p, nil
	}
	p, err := profile.Named(name)
	if err != nil {
		return nil, err
	}
	if f.profiles == nil {
		f.profiles = map[string]*profile.Profile{}
	}
	f.profiles[name] = &p
	return &p, nil
}

// numberSwitches gives the lowest free datapath ids to switches that have none.
func (f *networkFile) numberSwitches() {
	used := map[uint64]bool{0: true}
	for _, s := range f.Switches {
		used[s.DPID] = true
	}
	next := uint64(1)
	for i := range f.Switches {
		if f.Switches[i].DPID != 0 {
			continue
		}
		for used[next] {
			next++
		}
		f.Switches[i].DPID = next
		next++
	}
}

// readLink reads a link, or its two ends alone.
func (f *networkFile) readLink(n *yaml.Node) {
	var l Link
	var both, back Change
	ends := func(n *yaml.Node) error { return f.readEnds(n, &l) }
	if n.Kind == yaml.SequenceNode {
		f.Wrong(n, ends(n))
	} else {
		own := append([]strictyaml.Field{{Name: "ends", Read: ends}, strictyaml.Into("id", &l.ID, parseName)}, both.fields()...)
		own = append(own, strictyaml.Field{Name: "back", Read: func(n *yaml.Node) error {
			f.Mapping(n, "`back: {delay: 9ms}`", back.fields())
			return nil
		}})
		if seen := f.Mapping(n, linkExample, own); !seen["ends"] && n.Kind == yaml.MappingNode {
			f.Wrong(n, fmt.Errorf("a link without ends given, want two switches, such as %s", linkExample))
		}
	}
	l.Forward = both.Over(f.options.Link)
	l.Back = back.Over(l.Forward)
	f.Links = append(f.Links, l)
	f.add(ofLink, n)
}

func (f *networkFile) readEnds(n *yaml.Node, l *Link) error {
	if n.Kind != yaml.SequenceNode || len(n.Content) != 2 {
		return fmt.Errorf("%s given, want two ends, such as [s1, s2] or [\"s1:3\", \"s2:1\"]", strictyaml.Given(n))
	}
	for i, to := range []*End{&l.A, &l.B} {
		if err := strictyaml.Text(into(to, f.parseEnd))(n.Content[i]); err != nil {
			return err
		}
	}
	// with both ports it is meant: a cable from one to the other
	if l.A.Switch == l.B.Switch && (l.A.Port == 0 || l.B.Port == 0) {
		name := f.Switches[l.A.Switch].Name
		return fmt.Errorf("%s given twice, want two switches, or both ports of a cable that comes back to its switch, such as [\"%s:1\", \"%s:2\"]",
			name, name, name)
	}
	return nil
}

// switchExample is an example of a switch of the network.
func (f *networkFile) switchExample() string {
	for _, s := range f.Switches {
		if s.Name != "" {
			return ", such as " + s.Name
		}
	}
	return ""
}

// parseEnd reads a switch with or without a port: "s1", "s1:3". Port 0 is the next free one.
func (f *networkFile) parseEnd(s string) (End, error) {
	name, port, given := strings.Cut(s, ":")
	at, ok := f.byName[name]
	if !ok {
		return End{}, fmt.Errorf("switch %s given, want one of the %d switches of the network%s",
			strictyaml.Quote(name), len(f.Switches), f.switchExample())
	}
	if !given {
		return End{Switch: at}, nil
	}
	n, err := strictyaml.Number(1, MaxPort, "3")(port)
	if err != nil {
		return End{}, fmt.Errorf("port %w", err)
	}
	return End{at, uint32(n)}, nil
}

// readHost reads a host. What it does not say of its addresses follows from its place.
func (f *networkFile) readHost(n *yaml.Node) {
	h := defaultHost(len(f.Hosts), End{})
	var link Change
	seen := f.Mapping(n, hostExample, append([]strictyaml.Field{
		strictyaml.Into("name", &h.Name, parseName),
		strictyaml.Into("at", &h.At, f.parseEnd),
		strictyaml.Into("mac", &h.MAC, parseMAC),
		strictyaml.Into("ipv4", &h.IPv4, func(s string) (netip.Prefix, error) { return parsePrefix(s, "10.0.0.1/8") }),
		strictyaml.Into("ipv6", &h.IPv6, func(s string) (netip.Prefix, error) { return parsePrefix(s, "fd00::1/64") }),
		strictyaml.Into("vlan", &h.VLAN, strictyaml.Number[uint16](1, 4094, "100")),
	}, link.fields()...))
	if !seen["at"] && n.Kind == yaml.MappingNode {
		f.Wrong(n, fmt.Errorf("a host that is nowhere given, want its switch, such as %s", hostExample))
	}
	h.Link = link.Over(LinkSpec{})
	f.Hosts = append(f.Hosts, h)
	f.add(ofHost, n)
}

// assignPorts gives the lowest free ports, to links first; then hosts to switches, if nothing was
// said of hosts.
func (f *networkFile) assignPorts() {
	used := map[End]bool{}
	var ends []*End
	for i := range f.Links {
		ends = append(ends, &f.Links[i].A, &f.Links[i].B)
	}
	if !f.noHosts {
		for i := range f.Switches {
			for range f.options.Hosts {
				f.Hosts = append(f.Hosts, defaultHost(len(f.Hosts), End{Switch: i}))
			}
		}
	}
	for i := range f.Hosts {
		ends = append(ends, &f.Hosts[i].At)
	}
	for _, e := range ends {
		used[*e] = true
	}
	next := make([]uint32, len(f.Switches))
	for _, e := range ends {
		if e.Port != 0 {
			continue
		}
		for e.Port = next[e.Switch] + 1; used[*e]; e.Port++ {
		}
		next[e.Switch] = e.Port
	}
}

func parseName(s string) (string, error) {
	return s, checkName(s, map[string]bool{})
}

func parseMAC(s string) (packet.MAC, error) {
	m, err := packet.ParseMAC(s)
	if err != nil {
		return m, fmt.Errorf("%s given, want six bytes in hexadecimal, such as 02:00:00:00:00:01", strictyaml.Quote(s))
	}
	return m, nil
}

// parsePrefix reads an address with the length of its network; "none" is no address.
func parsePrefix(s, example string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(s)
	if err != nil && s != "none" {
		return p, fmt.Errorf("%s given, want an address with the length of its network, such as %s, or none",
			strictyaml.Quote(s), example)
	}
	return p, nil
}

// parseDegrees reads a coordinate.
func parseDegrees(s string, most float64) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= -most && v <= most) {
		return 0, fmt.Errorf("%s given, want degrees from -%v to %v, such as 52.52", strictyaml.Quote(s), most, most)
	}
	return v, nil
}
