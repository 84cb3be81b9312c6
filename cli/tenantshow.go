package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
)

func newTenantShow() *cobra.Command {
	var r command.AnswerFlags
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Show the definition of a tenant, and its switches",
		Long: `Show the definition of a tenant, and at each of its switches its connections to controllers and what it has there;
and, where there are any, packet-ins and messages that its limits have cost it, and which of its tables were empty after a start of Weir.`,
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
	if s := t.State; s != nil {
		rows = append(rows, []string{"cpu", fmt.Sprintf("%v used; its messages waited %s for a turn, %v",
			time.Duration(s.UsedMS)*time.Millisecond, command.Plural(int(s.TurnsWaited), "time", "times"),
			time.Duration(s.WaitedMS)*time.Millisecond)})
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
	reactive := [][]string{{"SWITCH", "SERVED", "MICRO_FLOWS", "HANDLED_BY_WEIR"}}
	lost := [][]string{{"SWITCH", "PACKET-INS LOST", "LOST WAITING", "MESSAGES PACED"}}
	restarted := [][]string{{"SWITCH", "RESTARTED", "ITS TABLES WERE EMPTY THEN: WHY"}}
	for _, sw := range t.State.Switches {
		if sw.Reactive {
			reactive = append(reactive, cells(sw.DPID, "reactive", sw.MicroFlows, sw.Handled))
		}
		if sw.LostIns > 0 || sw.LostWaiting > 0 || sw.Paced > 0 {
			lost = append(lost, cells(sw.DPID, sw.LostIns, sw.LostWaiting, sw.Paced))
		}
		if sw.Restarted != nil {
			restarted = append(restarted, []string{sw.DPID, timestamp(sw.Restarted.At), sw.Restarted.Reason})
		}
	}
	for _, rows := range [][][]string{reactive, lost, restarted} {
		if len(rows) == 1 {
			continue
		}
		shown.replaceIn(rows[1:])
		fmt.Fprintln(w)
		if err := command.WriteTable(w, rows); err != nil {
			return err
		}
	}
	return nil
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
