package cli

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
)

// resolve returns the id of a switch given by name, of a host given by an address, and of a link
// given by its switches. Everything else is returned as it is: the instance refuses what is no id.
func resolve(ctx context.Context, c *client.Client, kind, id string) (string, error) {
	switch kind {
	case "links", "link":
		if _, err := client.ParseDPID(id); id != "" && err != nil {
			return linkNamed(ctx, c, id)
		}
	case "switches", "switch", "ports", "port", "flows", "flow",
		"groups", "group", "meters", "meter":
		if _, err := client.ParseDPID(id); id != "" && err != nil {
			return switchNamed(ctx, c, id)
		}
	case "hosts", "host":
		if ip, err := netip.ParseAddr(id); err == nil {
			return hostWith(ctx, c, ip)
		}
		mac, _, _ := strings.Cut(id, "/")
		if _, err := net.ParseMAC(mac); id != "" && err != nil {
			return "", fmt.Errorf(
				"host %q given, want an IP address, such as 10.0.0.1, or an id: a MAC, such as 00:00:00:00:00:01, or MAC/vlan", id)
		}
	}
	return id, nil
}

// switchNamed returns the datapath id of a switch by its name.
func switchNamed(ctx context.Context, c *client.Client, name string) (string, error) {
	p, err := c.Switches(ctx)
	if err != nil {
		return "", command.Explained(err)
	}
	var found []string
	for _, s := range p.Items {
		if s.Name == name {
			found = append(found, s.DPID)
		}
	}
	return single(found, unknownSwitch(name), fmt.Errorf("switch %[2]q given, which is the name of %[1]d (%[3]s): want a datapath id",
		len(found), name, strings.Join(found, ", ")))
}

// single returns what was found, if it is one; else the error of none, or of several, at run time.
func single[T any](found []T, none, several error) (one T, err error) {
	switch len(found) {
	case 0:
		return one, command.RuntimeError(none)
	case 1:
		return found[0], nil
	}
	return one, command.RuntimeError(several)
}

func unknownSwitch(name string) error {
	return fmt.Errorf("switch %q given, want the datapath id or name of one that is known: weir get switches lists both", name)
}

// linkNamed returns the datapath id of one switch, or those of two with a hyphen between, given by
// name: s1-s2, as the emulator names links; the .2 of a second one between the two is ignored.
func linkNamed(ctx context.Context, c *client.Client, id string) (string, error) {
	p, err := c.Switches(ctx)
	if err != nil {
		return "", command.Explained(err)
	}
	named := func(name string) string {
		for _, s := range p.Items {
			if s.Name == name || sameDPID(s.DPID, name) {
				return s.DPID
			}
		}
		return ""
	}
	first := id
	if i := strings.LastIndex(id, "."); i > 0 && strings.Trim(id[i+1:], "0123456789") == "" {
		first = id[:i]
	}
	for _, id := range []string{id, first} {
		for i, r := range id {
			if r != '-' {
				continue
			}
			if a, b := named(id[:i]), named(id[i+1:]); a != "" && b != "" {
				return a + "-" + b, nil
			}
		}
	}
	if !strings.Contains(id, "-") || named(id) != "" {
		return switchNamed(ctx, c, id)
	}
	emulated := ""
	if slices.ContainsFunc(p.Items, func(s client.Switch) bool { return s.Hardware == "emulated switch" }) {
		emulated = "; links of emulated hosts are in the emulator's own API only"
	}
	return "", command.RuntimeError(fmt.Errorf("%q given, want a switch, or two with a hyphen between, by datapath id or name: "+
		"weir get switches lists both%s", id, emulated))
}

// drainObject returns X of weir drain and undrain as the API takes it: a link that is given by its
// switches, as weir get links takes it, becomes SWITCH/PORT->SWITCH/PORT. A link that is drained
// may be gone: undrain looks among the drains first.
func drainObject(ctx context.Context, c *client.Client, kind, x string, undrain bool) (string, error) {
	if kind != "link" || strings.Contains(x, "/") {
		return x, nil
	}
	id, err := linkNamed(ctx, c, x)
	if err != nil {
		return "", err
	}
	if !strings.Contains(id, "-") {
		return "", fmt.Errorf("link %q given, want two switches, such as s1-s2, or SWITCH/PORT->SWITCH/PORT", x)
	}
	var found []string
	if undrain {
		drains, err := c.Drains(ctx)
		if err != nil {
			return "", command.Explained(err)
		}
		for _, d := range drains.Items {
			a, b, _ := strings.Cut(d.Object, "<->")
			from, _, _ := strings.Cut(a, "/")
			to, _, _ := strings.Cut(b, "/")
			if d.Kind == kind && linkMatches(client.Link{Src: client.Point{DPID: from}, Dst: client.Point{DPID: to}}, id) {
				found = append(found, d.Object)
			}
		}
	}
	if len(found) == 0 {
		links, err := c.Links(ctx)
		if err != nil {
			return "", command.Explained(err)
		}
		for _, l := range links.Items {
			back := point(l.Dst) + "->" + point(l.Src)
			if linkMatches(l, id) && !slices.Contains(found, back) {
				found = append(found, point(l.Src)+"->"+point(l.Dst))
			}
		}
	}
	var shown names
	if len(found) > 1 {
		if shown, err = switchNames(ctx, c); err != nil {
			return "", command.Explained(err)
		}
	}
	return single(found,
		fmt.Errorf("link %q given, and there is none between the two: weir get links lists those that there are", x),
		fmt.Errorf("link %q given, want one of those between the two: %s", x, shown.replace(strings.Join(found, ", "))))
}

// hostWith returns the id of a host by one of its addresses.
func hostWith(ctx context.Context, c *client.Client, ip netip.Addr) (string, error) {
	p, err := c.Hosts(ctx)
	if err != nil {
		return "", command.Explained(err)
	}
	var found []string
	for _, h := range p.Items {
		if slices.Contains(h.IPs, ip.String()) {
			found = append(found, h.ID)
		}
	}
	return single(found, fmt.Errorf("address %s given, want that of a known host: weir get hosts lists them", ip),
		fmt.Errorf("address %[2]s given, which %[1]d hosts have (%[3]s): want an id", len(found), ip, strings.Join(found, ", ")))
}
