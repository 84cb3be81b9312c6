package cli

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/weirnet/weir/api/client"
)

// resolve is the id of what people name otherwise: a switch by its name, a host by one of its addresses. What is an id
// already, or cannot be found so, is returned as it was: the instance says what is wrong with it.
func resolve(ctx context.Context, c *client.Client, kind, id string) (string, error) {
	switch kind {
	case "links", "link":
		if _, err := client.ParseDPID(id); id != "" && err != nil {
			return linkNamed(ctx, c, id)
		}
	case "switches", "switch", "ports", "port", "flows", "flow":
		if _, err := client.ParseDPID(id); id != "" && err != nil {
			return switchNamed(ctx, c, id)
		}
	case "hosts", "host":
		if ip, err := netip.ParseAddr(id); err == nil {
			return hostWith(ctx, c, ip)
		}
	}
	return id, nil
}

// switchNamed finds a switch by its name.
func switchNamed(ctx context.Context, c *client.Client, name string) (string, error) {
	p, err := c.Switches(ctx)
	if err != nil {
		return "", hint(err)
	}
	var found []string
	for _, s := range p.Items {
		if s.Name == name {
			found = append(found, s.DPID)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", atRun(fmt.Errorf("%q is neither a datapath id nor the name of a switch: weir get switches lists both", name))
	}
	return "", atRun(fmt.Errorf("%d switches are named %q (%s): give a datapath id", len(found), name, strings.Join(found, ", ")))
}

// linkNamed finds a switch by its name, or two of them by both names with a hyphen between: s1-s2, as the emulator names links, where a
// second one between the two has .2 behind it.
func linkNamed(ctx context.Context, c *client.Client, id string) (string, error) {
	p, err := c.Switches(ctx)
	if err != nil {
		return "", hint(err)
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
	return "", atRun(fmt.Errorf("%q is neither a datapath id, nor the name of a switch, nor those of two with a hyphen between: "+
		"weir get switches lists them; links of emulated hosts are known to the emulator's own API only", id))
}

// hostWith finds a host by one of its addresses.
func hostWith(ctx context.Context, c *client.Client, ip netip.Addr) (string, error) {
	p, err := c.Hosts(ctx)
	if err != nil {
		return "", hint(err)
	}
	var found []string
	for _, h := range p.Items {
		if slices.Contains(h.IPs, ip.String()) {
			found = append(found, h.ID)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", atRun(fmt.Errorf("no host is known by the address %s: weir get hosts lists those that are", ip))
	}
	return "", atRun(fmt.Errorf("%d hosts are known by the address %s (%s): give an id", len(found), ip, strings.Join(found, ", ")))
}
