package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/strictyaml"
)

func newTenant() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tenant",
		Short: "Add, change, show and remove tenants",
		Long: `Add, change, show and remove tenants: parts of the network with controllers of their own (docs/tenants.md). Changing them needs a token
of role admin.`,
		Example: `  weir tenant add blue --port s1/1 --port s2/1 --space 10:vlan_vid=100 --controller tcp:192.0.2.1:6653
  weir tenant list
  weir tenant show blue
  weir tenant rm blue`,
		Args: command.WantCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newTenantAdd(), newTenantList(), newTenantShow(), newTenantRemove())
	return cmd
}

// tenantArgs are the flags that define a tenant.
type tenantArgs struct {
	ports, space, controllers []string
	number                    uint16
	limits                    map[string]int
	file                      string
	replace, dryRun, reactive bool
}

func newTenantAdd() *cobra.Command {
	var r command.AnswerFlags
	var a tenantArgs
	cmd := &cobra.Command{
		Use:   "add NAME --port PORT ...",
		Short: "Make a tenant, or change it",
		Long: `Make a tenant; with --replace, give the one that there is another definition. It is printed what changed; with --dry-run, what would.

--port, once for each, is where the tenant's packets come in and go out: SWITCH/PORT, SWITCH/* for all ports of a switch, or * for all
ports of all switches. --space, once for each region, says which packets are the tenant's: PRIORITY:FIELD=VALUE,... with the fields of
OpenFlow 1.3; VALUE may be VALUE/MASK, or a range LOW-HIGH. A range is as many regions as it takes: prefixes, or one for each value of a
field without masks, such as a port; a tenant has 1000 regions at most. Of the regions of all tenants that a packet is in, the one of
the highest priority says whose it is. With read-only in place of the priority the tenant is shown copies of others' packets in the
region, and may not write entries for them nor send them. Without --space all packets at the ports are the tenant's, and the ports no other tenant's.
Weir connects each of the tenant's switches to the controllers.

-f reads all that from a file, as weir tenant show NAME -o yaml writes it (what is no definition in it is left out of account, but for
the etag: with --replace, the definition is changed only if it still has that).`,
		Example: `  weir tenant add blue --port s1/1 --port s2/1 --space 10:vlan_vid=100 --controller tcp:192.0.2.1:6653
  weir tenant add red --port '*' --space 20:eth_type=0x0800,ipv4_dst=10.1.0.0/16 --controller ssl:[2001:db8::1]:6653
  weir tenant add web --port '*' --space 30:tcp_dst=8000-8099 --controller tcp:192.0.2.1:6653
  weir tenant add monitor --port '*' --space read-only:vlan_vid=100 --controller tcp:192.0.2.1:6653
  weir tenant add blue --replace --dry-run --port 's1/*'
  weir tenant show blue -o yaml >blue.yaml; weir tenant add blue --replace -f blue.yaml`,
		Args: command.WantArgs(1, 1, "NAME, such as blue: weir tenant add blue --port s1/1"),
		RunE: r.WithClient(func(cmd *cobra.Command, args []string, c *client.Client) error {
			d, etag, err := a.definition(cmd, c, args[0])
			if err != nil {
				return err
			}
			o := client.TenantOptions{New: !a.replace, DryRun: a.dryRun}
			if a.replace {
				o.IfMatch = etag
			}
			made, err := c.PutTenant(cmd.Context(), d, o)
			var refused *client.Problem
			switch {
			case errors.As(err, &refused) && refused.Status == http.StatusPreconditionFailed && !a.replace:
				return command.RuntimeError(fmt.Errorf("%s: --replace changes it", refused.Detail))
			case err != nil:
				return command.Explained(err)
			}
			return r.Format.Write(cmd.OutOrStdout(), made, func(w io.Writer) error { return writeTenantChange(w, args[0], made) })
		}),
	}
	r.AddFlags(cmd)
	cmd.Flags().StringArrayVar(&a.ports, "port", nil, "SWITCH/PORT, SWITCH/* or *; once for each")
	cmd.Flags().StringArrayVar(&a.space, "space", nil, "a region, PRIORITY:FIELD=VALUE,... or read-only:FIELD=VALUE,...; once for each (default: all packets)")
	cmd.Flags().StringArrayVar(&a.controllers, "controller", nil, "tcp:HOST:PORT or ssl:HOST:PORT; once for each")
	cmd.Flags().StringToIntVar(&a.limits, "limit", nil,
		"what it may have at each switch: entries, groups, meters, messages and packet_ins a second, waiting_bytes, mbps; as entries=1000")
	cmd.Flags().BoolVar(&a.reactive, "reactive", false,
		"at switches with one table for all, have what does not fit into it handled by Weir, and by micro-flows")
	cmd.Flags().Uint16Var(&a.number, "number", 0, "its number, 1 to 1023 (default: one that no tenant had)")
	cmd.Flags().StringVarP(&a.file, "file", "f", "", "a file with the definition, YAML or JSON; - is standard input")
	cmd.Flags().BoolVar(&a.replace, "replace", false, "change the tenant if there is one")
	cmd.Flags().BoolVar(&a.dryRun, "dry-run", false, "say what would change, and change nothing")
	return cmd
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
		return readTenant(cmd.InOrStdin(), a.file, name)
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
	named := &intentArgs{}
	for _, text := range a.ports {
		port, err := tenantPort(cmd.Context(), c, named, text)
		if err != nil {
			return nil, "", err
		}
		d.Ports = append(d.Ports, port)
	}
	var err error
	d.Limits, err = a.limit()
	return d, "", err
}

// limit is what --limit says; nil without.
func (a *tenantArgs) limit() (*client.TenantLimits, error) {
	if len(a.limits) == 0 {
		return nil, nil
	}
	l := &client.TenantLimits{}
	all := l.All()
	for name, n := range a.limits {
		i := slices.IndexFunc(all, func(of client.TenantLimit) bool { return of.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("--limit %s=%d given, want one of %s", name, n, limitNames(all))
		}
		*all[i].Value = n
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
			"read-only:FIELD=VALUE,...", text)
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

// writeTenantChange writes what changed of a tenant, a line each.
func writeTenantChange(w io.Writer, name string, made *client.TenantChange) error {
	if len(made.Changes) == 0 {
		_, err := fmt.Fprintf(w, "tenant %s: no change\n", name)
		return err
	}
	rows := [][]string{{"FIELD", "OLD", "NEW"}}
	for _, f := range made.Changes {
		rows = append(rows, []string{f.Path, f.Old, f.New})
	}
	if err := command.WriteTable(w, rows); err != nil || !made.DryRun {
		return err
	}
	_, err := fmt.Fprintln(w, "dry run: nothing was changed")
	return err
}

var tenantResource = &resource[client.Tenant]{
	single: true,
	header: []string{"NAME", "NUMBER", "PORTS", "REGIONS", "SWITCHES", "CONTROLLERS", "CONNECTED", "ENTRIES", "PROBLEM"},
	cells: func(t client.Tenant) []string {
		ports := command.Plural(len(t.Ports), "port", "ports")
		if len(t.Ports) == 1 {
			ports = t.Ports[0]
		}
		switches, connected, entries := "", "", ""
		if t.State != nil {
			up, all, n := tenantTotals(t.State)
			switches, connected, entries = fmt.Sprint(len(t.State.Switches)), fmt.Sprintf("%d/%d", up, all), fmt.Sprint(n)
		}
		return cells(t.Name, t.Number, ports, len(t.Space), switches, strings.Join(t.Controllers, ","), connected, entries,
			t.Problem)
	},
	key:  func(t client.Tenant) string { return t.Name },
	list: listOrOne((*client.Client).Tenants, (*client.Client).Tenant),
}

// tenantTotals are how many connections there are to be, and are, and how many entries.
func tenantTotals(s *client.TenantState) (up, all, entries int) {
	for _, sw := range s.Switches {
		entries += sw.Entries
		all += len(sw.Controllers)
		for _, c := range sw.Controllers {
			if c.State == "connected" {
				up++
			}
		}
	}
	return up, all, entries
}

func newTenantList() *cobra.Command {
	var r command.AnswerFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List tenants",
		Long: `List the tenants, as weir get tenants does. CONNECTED is how many of the connections of their switches to controllers there are, of how
many; PROBLEM why one is not in force.`,
		Example: `  weir tenant list
  weir tenant list -o json`,
		Args: command.WantNoArgs,
		RunE: r.WithClient(func(cmd *cobra.Command, _ []string, c *client.Client) error {
			return command.Explained(tenantResource.get(cmd.Context(), c, cmd.OutOrStdout(), "", r.Format))
		}),
	}
	r.AddFlags(cmd)
	return cmd
}

func newTenantShow() *cobra.Command {
	var r command.AnswerFlags
	cmd := &cobra.Command{
		Use:               "show NAME",
		Short:             "Show the definition of a tenant, and its switches",
		Long:              `Show the definition of a tenant, and at each of its switches its connections to controllers and what it has there.`,
		Example:           "  weir tenant show blue\n  weir tenant show blue -o yaml",
		Args:              command.WantArgs(1, 1, "NAME, such as blue: weir tenant list shows them"),
		ValidArgsFunction: completeTenant(&r.APIFlags),
		RunE: r.WithClient(func(cmd *cobra.Command, args []string, c *client.Client) error {
			t, err := c.Tenant(cmd.Context(), args[0])
			if err != nil {
				return command.Explained(err)
			}
			return r.Format.Write(cmd.OutOrStdout(), t, func(w io.Writer) error {
				return writeTenant(cmd.Context(), c, w, r.Format, t)
			})
		}),
	}
	r.AddFlags(cmd)
	return cmd
}

// writeTenant shows a tenant: its definition, and a row for each connection.
func writeTenant(ctx context.Context, c *client.Client, w io.Writer, f command.Format, t *client.Tenant) error {
	rows := [][]string{{"FIELD", "VALUE"}, {"name", t.Name}, {"number", fmt.Sprint(t.Number)}}
	if t.Problem != "" {
		rows = append(rows, []string{"problem", t.Problem})
	}
	for _, p := range t.Ports {
		rows = append(rows, []string{"port", p})
	}
	for _, region := range t.Space {
		rows = append(rows, []string{"space", region.String()})
	}
	for _, to := range t.Controllers {
		rows = append(rows, []string{"controller", to})
	}
	if l := t.Limits; l != nil {
		for _, of := range l.All() {
			if *of.Value != 0 {
				rows = append(rows, []string{"limit", fmt.Sprintf("%s=%d%s", of.Name, *of.Value, notEnforced(t.State, of.Name))})
			}
		}
	}
	if t.Reactive {
		rows = append(rows, []string{"reactive", "yes"})
	}
	if t.Created != nil {
		rows = append(rows, []string{"created", timestamp(*t.Created)}, []string{"by", t.By}, []string{"etag", t.ETag})
	}
	if err := command.WriteTable(w, rows); err != nil || t.State == nil {
		return err
	}
	shown, err := namesForFormat(ctx, c, f)
	var refused *client.Problem
	switch {
	case errors.As(err, &refused) && refused.Status == http.StatusForbidden: // a token of the tenant reads no switches
		shown = names{}
	case err != nil:
		return err
	}
	rows = [][]string{{"SWITCH", "UP", "ENTRIES", "GROUPS", "METERS", "WAITING", "COUNTED", "CONTROLLER", "STATE", "ROLE",
		"SINCE", "ERROR"}}
	for _, sw := range t.State.Switches {
		row := cells(sw.DPID, yesNo(sw.Connected), sw.Entries, sw.Groups, sw.Meters, sw.Waiting,
			optionalTimestamp(sw.CountersAsOf))
		if len(sw.Controllers) == 0 {
			rows = append(rows, append(row, "", "", "", "", ""))
		}
		for _, k := range sw.Controllers {
			rows = append(rows, append(row[:len(row):len(row)], k.Address, k.State, k.Role, optionalTimestamp(k.Since), k.Error))
		}
	}
	shown.replaceIn(rows[1:])
	fmt.Fprintln(w)
	if err := command.WriteTable(w, rows); err != nil {
		return err
	}
	rows = [][]string{{"SWITCH", "SERVED", "MICRO_FLOWS", "HANDLED_BY_WEIR"}}
	for _, sw := range t.State.Switches {
		if sw.Reactive {
			rows = append(rows, cells(sw.DPID, "reactive", sw.MicroFlows, sw.Handled))
		}
	}
	if err := writeIfAny(w, rows, shown); err != nil {
		return err
	}
	rows = [][]string{{"SWITCH", "RESTARTED", "ITS TABLES WERE EMPTY THEN: WHY"}}
	for _, sw := range t.State.Switches {
		if sw.Restarted != nil {
			rows = append(rows, []string{sw.DPID, timestamp(sw.Restarted.At), sw.Restarted.Reason})
		}
	}
	return writeIfAny(w, rows, shown)
}

// writeIfAny writes a table after others, if it has more than its header.
func writeIfAny(w io.Writer, rows [][]string, shown names) error {
	if len(rows) == 1 {
		return nil
	}
	shown.replaceIn(rows[1:])
	fmt.Fprintln(w)
	return command.WriteTable(w, rows)
}

// notEnforced says where a limit is not in force, and why.
func notEnforced(s *client.TenantState, limit string) (text string) {
	if s == nil || !slices.Contains(s.NotEnforced, limit) {
		return ""
	}
	for _, sw := range s.Switches {
		if sw.BandwidthProblem != "" {
			text += fmt.Sprintf("; not in force at %s: %s", sw.DPID, sw.BandwidthProblem)
		}
	}
	return text
}

func newTenantRemove() *cobra.Command {
	var r command.AnswerFlags
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "rm NAME",
		Short: "Remove a tenant",
		Long: `Remove a tenant: its connections end, its rules are removed, and tokens that are bound to it are not taken any more. Its number is given
to another only when all have been.`,
		Example:           "  weir tenant rm blue\n  weir tenant rm blue --dry-run",
		Args:              command.WantArgs(1, 1, "NAME, such as blue: weir tenant list shows them"),
		ValidArgsFunction: completeTenant(&r.APIFlags),
		RunE: r.WithClient(func(cmd *cobra.Command, args []string, c *client.Client) error {
			made, err := c.DeleteTenant(cmd.Context(), args[0], client.TenantOptions{DryRun: dryRun})
			if err != nil {
				return command.Explained(err)
			}
			return r.Format.Write(cmd.OutOrStdout(), made, func(w io.Writer) error { return writeTenantChange(w, args[0], made) })
		}),
	}
	r.AddFlags(cmd)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would change, and change nothing")
	return cmd
}

// completeTenant completes the names of tenants; none where the instance does not answer soon.
func completeTenant(r *command.APIFlags) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		c, err := r.Client()
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer c.Close()
		ctx, cancel := context.WithTimeout(cmd.Context(), time.Second)
		defer cancel()
		if p, err := c.Tenants(ctx); err == nil {
			for _, t := range p.Items {
				names = append(names, t.Name)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
