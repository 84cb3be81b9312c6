package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
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
			warnOfPorts(cmd.Context(), c, cmd.ErrOrStderr(), d.Ports)
			return r.Format.Write(cmd.OutOrStdout(), made, func(w io.Writer) error { return writeTenantChange(w, args[0], made) })
		}),
	}
	r.AddFlags(cmd)
	cmd.Flags().StringArrayVar(&a.ports, "port", nil, "SWITCH/PORT, SWITCH/* or *; once for each")
	cmd.Flags().StringArrayVar(&a.space, "space", nil, "a region, PRIORITY:FIELD=VALUE,... or read-only:FIELD=VALUE,...; once for each (default: all packets)")
	cmd.Flags().StringArrayVar(&a.controllers, "controller", nil, "tcp:HOST:PORT or ssl:HOST:PORT; once for each")
	cmd.Flags().StringSliceVar(&a.limits, "limit", nil,
		"what it may have at each switch: entries, groups, meters, messages and packet_ins a second, waiting_bytes, mbps; as entries=1000 "+
			"(0: the default, which --limit left out is too)")
	cmd.Flags().BoolVar(&a.reactive, "reactive", false,
		"at switches with one table for all, have what does not fit into it handled by Weir, and by micro-flows")
	cmd.Flags().Uint16Var(&a.number, "number", 0, "its number, 1 to 1023 (default: one that no tenant had)")
	cmd.Flags().StringVarP(&a.file, "file", "f", "", "a file with the definition, YAML or JSON; - is standard input")
	cmd.Flags().BoolVar(&a.replace, "replace", false, "change the tenant if there is one")
	cmd.Flags().BoolVar(&a.dryRun, "dry-run", false, "say what would change, and change nothing")
	return cmd
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
