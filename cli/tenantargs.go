package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/strictyaml"
)

// tenantArgs are the flags that define a tenant.
type tenantArgs struct {
	ports, space, controllers []string
	number                    uint16
	limits                    []string
	file                      string
	replace, dryRun, reactive bool
}

// definition is what the flags, or the file, say, with the etag of the file.
func (a *tenantArgs) definition(cmd *cobra.Command, c *client.Client, name string) (*client.TenantDefinition, string, error) {
	d := &client.TenantDefinition{Name: name, Number: a.number, Controllers: a.controllers, Reactive: a.reactive}
	if a.file != "" {
		for _, flag := range []string{"port", "space", "controller", "number", "limit", "reactive"} {
			if cmd.Flags().Changed(flag) {
				return nil, "", fmt.Errorf("--%s given with -f, want it in the file", flag)
			}
		}
		d, etag, err := readTenant(cmd.InOrStdin(), a.file, name)
		if err != nil {
			return nil, "", err
		}
		if d.Ports, err = tenantPorts(cmd.Context(), c, d.Ports); err != nil {
			return nil, "", fmt.Errorf("-f: %s: ports: %w", a.file, err)
		}
		return d, etag, nil
	}
	if len(a.ports) == 0 {
		return nil, "", fmt.Errorf("no --port given, want at least one, such as s1/1, or -f")
	}
	for _, text := range a.space {
		region, err := parseRegion(text)
		if err != nil {
			return nil, "", err
		}
		d.Space = append(d.Space, *region)
	}
	var err error
	if d.Ports, err = tenantPorts(cmd.Context(), c, a.ports); err != nil {
		return nil, "", err
	}
	d.Limits, err = a.limit()
	return d, "", err
}

// tenantPorts resolves ports, in which switches may have names.
func tenantPorts(ctx context.Context, c *client.Client, given []string) (ports []string, err error) {
	if len(given) == 0 {
		return given, nil
	}
	named := &intentArgs{}
	for _, text := range given {
		port, err := tenantPort(ctx, c, named, text)
		if err != nil {
			return nil, err
		}
		ports = append(ports, port)
	}
	return ports, nil
}

// limit is what --limit says; nil without.
func (a *tenantArgs) limit() (*client.TenantLimits, error) {
	if len(a.limits) == 0 {
		return nil, nil
	}
	l := &client.TenantLimits{}
	all := l.All()
	for _, text := range a.limits {
		name, value, ok := strings.Cut(text, "=")
		i := slices.IndexFunc(all, func(of client.TenantLimit) bool { return of.Name == name })
		if !ok || i < 0 {
			return nil, fmt.Errorf("--limit %q given, want LIMIT=NUMBER, such as entries=1000, with one of %s", text,
				limitNames(all))
		}
		n, err := strconv.ParseUint(value, 10, 31)
		if err != nil {
			return nil, fmt.Errorf("--limit %q given, want a number after %s=, such as %s=100000; 0 is the default", text, name,
				name)
		}
		*all[i].Value = int(n)
	}
	return l, nil
}

func limitNames(all []client.TenantLimit) string {
	var names []string
	for _, of := range all {
		names = append(names, of.Name)
	}
	return strings.Join(names, ", ")
}

// tenantPort resolves SWITCH/PORT, SWITCH/* or *. It asks the instance only for names.
func tenantPort(ctx context.Context, c *client.Client, named *intentArgs, text string) (string, error) {
	name, all := strings.CutSuffix(text, "/*")
	switch {
	case text == "*":
		return text, nil
	case !all:
		p, err := named.point(ctx, c, text)
		return fmt.Sprintf("%s/%d", p.DPID, p.Port), err
	}
	if dpid, err := client.ParseDPID(name); err == nil {
		return client.FormatDPID(dpid) + "/*", nil
	}
	sw, err := named.switchNamed(ctx, c, name)
	if err != nil {
		return "", err
	}
	return sw.DPID + "/*", nil
}

// parseRegion reads PRIORITY:FIELD=VALUE,FIELD=VALUE, or read-only: in place of the priority.
func parseRegion(text string) (*client.TenantRegion, error) {
	priority, fields, ok := strings.Cut(text, ":")
	readOnly := priority == client.ReadOnlyRegion
	n, err := strconv.ParseUint(priority, 10, 16)
	if !ok || err != nil && !readOnly {
		return nil, fmt.Errorf("--space %q given, want PRIORITY:FIELD=VALUE,..., such as 10:vlan_vid=100, or "+
			"read-only:vlan_vid=100", text)
	}
	m, err := parseFields("--space", strings.Split(fields, ","))
	return &client.TenantRegion{Priority: uint16(n), Match: m, ReadOnly: readOnly}, err
}

// tenantFileMax bounds a file, in bytes: more is no definition that the API takes.
const tenantFileMax = 2 << 20

// readTenant reads a file with a tenant, or with its definition alone.
func readTenant(in io.Reader, file, name string) (*client.TenantDefinition, string, error) {
	text, err := readFile(file, in, tenantFileMax)
	if err != nil {
		return nil, "", fmt.Errorf("-f: %w", err)
	}
	root, err := strictyaml.Open(text, tenantFileMax)
	if err != nil {
		return nil, "", strictyaml.InFile(file, err)
	}
	var value any
	if err := root.Decode(&value); err != nil {
		return nil, "", fmt.Errorf("-f: %s: %w", file, err)
	}
	b, err := json.Marshal(value)
	if err != nil {
		return nil, "", fmt.Errorf("-f: %s: %w", file, err)
	}
	fields := json.NewDecoder(bytes.NewReader(b))
	fields.DisallowUnknownFields()
	var t client.Tenant
	if err := fields.Decode(&t); err != nil {
		return nil, "", fmt.Errorf("-f: %s: %w, want a tenant as weir tenant show -o yaml writes it", file, err)
	}
	if t.Name != "" && t.Name != name {
		return nil, "", fmt.Errorf("-f: %s: name %q given, want %q, as in the command, or none", file, t.Name, name)
	}
	t.Name = name
	return &t.TenantDefinition, t.ETag, nil
}

// portWarnings bounds the lines of warnOfPorts.
const portWarnings = 10

// warnOfPorts says which ports of a definition, as tenantPorts returns them, are not there now: the definition is in force, and
// has them when they come.
func warnOfPorts(ctx context.Context, c *client.Client, w io.Writer, ports []string) {
	page, err := c.Switches(ctx)
	if err != nil {
		fmt.Fprintf(w, "warning: the instance does not say which ports there are: %v\n", err)
		return
	}
	missing := missingPorts(page.Items, ports)
	for i, text := range missing {
		if i == portWarnings {
			fmt.Fprintf(w, "warning: %d more ports are not there\n", len(missing)-i)
			break
		}
		fmt.Fprintf(w, "warning: %s: the tenant gets it when it is there\n", text)
	}
}

// missingPorts says of each port that is not there why.
func missingPorts(switches []client.Switch, ports []string) (list []string) {
	for _, text := range ports {
		dpid, port, _ := strings.Cut(text, "/")
		if dpid == "*" {
			continue
		}
		i := slices.IndexFunc(switches, func(sw client.Switch) bool { return sw.DPID == dpid })
		switch {
		case i < 0:
			list = append(list, fmt.Sprintf("port %s: no switch %s is known", text, dpid))
		case !switches[i].Connected:
			list = append(list, fmt.Sprintf("port %s: switch %s is not connected", text, cmp.Or(switches[i].Name, dpid)))
		case port != "*" && !hasPort(&switches[i], port):
			list = append(list, fmt.Sprintf("port %s: switch %s has no such port", text, cmp.Or(switches[i].Name, dpid)))
		}
	}
	return list
}

func hasPort(sw *client.Switch, number string) bool {
	return slices.ContainsFunc(sw.Ports, func(p client.Port) bool { return fmt.Sprint(p.Number) == number })
}
