package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
)

func newToken() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Add, list and revoke tokens of the API",
		Long: `Add, list and revoke tokens of the API, while the instance runs. Needs a token of role admin, such as that of the file token in the
data directory: docs/access.md.`,
		Example: `  weir token add ci --role operator --expires 30d
  weir token list
  weir token rm ci`,
		Args: command.WantCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newTokenAdd(), newTokenList(), newTokenRemove())
	return cmd
}

// tokenRoles are the roles that a token can have.
var tokenRoles = []string{"viewer", "operator", "admin", "tenant"}

func newTokenAdd() *cobra.Command {
	var r command.AnswerFlags
	var role, expires, of string
	cmd := &cobra.Command{
		Use:   "add NAME --role ROLE",
		Short: "Make a token",
		Long: `Make a token, and print it: alone on standard output, so that a script can take it, and what it is on standard error. It is shown this
once: the instance keeps its SHA-256 only. It is valid at once, and over restarts. NAME is who asks, in the audit log.

A viewer reads; an operator changes the network; an admin may do all; one of role tenant reads what is of --tenant, until that tenant is
deleted, and nothing else. With --expires the token ends by itself, a while from now (36h, 30d,
4w) or at a time (2026-12-24T18:00:00Z).`,
		Example: `  weir token add ci --role operator --expires 30d
  WEIR_TOKEN=$(weir token add dashboard --role viewer)
  weir token add of-blue --role tenant --tenant blue
  weir token add anna --role admin --expires 2026-12-24T18:00:00Z -o json`,
		Args: command.WantArgs(1, 1, "NAME, such as ci: weir token add ci --role viewer"),
		RunE: r.WithClient(func(cmd *cobra.Command, args []string, c *client.Client) error {
			q := client.TokenRequest{Name: args[0], Role: role, Tenant: of}
			switch {
			case role == "":
				return fmt.Errorf("no --role given, want viewer, operator, admin or tenant")
			case (role == "tenant") != (of != ""):
				return fmt.Errorf("--role %s with --tenant %q given, want --tenant NAME with --role tenant, and only there", role, of)
			}
			if expires != "" {
				at, err := parseExpires(expires, time.Now())
				if err != nil {
					return err
				}
				q.Expires = &at
			}
			made, err := c.AddToken(cmd.Context(), q)
			if err != nil {
				return command.Explained(err)
			}
			return r.Format.Write(cmd.OutOrStdout(), made, func(w io.Writer) error {
				until := "until it is revoked"
				if made.Expires != nil {
					until = "until " + timestamp(*made.Expires)
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "weir: token %s of role %s, valid %s; it is not shown again\n", made.Name, made.Role, until)
				_, err := fmt.Fprintln(w, made.Value)
				return err
			})
		}),
	}
	r.AddFlags(cmd)
	cmd.Flags().Var(command.Enum(&role, tokenRoles...), "role", "what it allows")
	cmd.Flags().StringVar(&of, "tenant", "", "whose it is, of role tenant")
	cmd.Flags().StringVar(&expires, "expires", "", "when it ends: how long from now, or a time (default: when it is revoked)")
	cmd.RegisterFlagCompletionFunc("role", cobra.FixedCompletions(tokenRoles, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// parseExpires reads a time, given as such or as how long from now it is.
func parseExpires(s string, now time.Time) (time.Time, error) {
	wrong := fmt.Errorf("--expires %q given, want how long from now, such as 36h, 30d or 4w, or a time, such as "+
		"2026-12-24T18:00:00Z", s)
	if at, err := time.Parse(time.RFC3339, s); err == nil {
		return at, nil
	}
	unit := map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour}[s[len(s)-1:]]
	d, err := time.ParseDuration(s)
	if unit > 0 {
		var n uint64
		n, err = strconv.ParseUint(s[:len(s)-1], 10, 16)
		if d = time.Duration(n) * unit; n > uint64(100*365*24*time.Hour/unit) {
			return time.Time{}, wrong
		}
	}
	if err != nil || d <= 0 {
		return time.Time{}, wrong
	}
	return now.Add(d).UTC().Truncate(time.Second), nil
}

// tokenResource is not among the kinds of weir get: weir token list shows it.
var tokenResource = &resource[client.Token]{
	header: []string{"NAME", "ROLE", "TENANT", "STATE", "FROM", "BY", "CREATED", "EXPIRES", "USED", "NOTE"},
	cells: func(t client.Token) []string {
		return []string{t.Name, t.Role, t.Tenant, t.State, strings.TrimSpace(t.From + " " + t.File), t.By,
			optionalTimestamp(t.Created), optionalTimestamp(t.Expires), optionalTimestamp(t.Used), t.Note}
	},
	key: func(t client.Token) string { return t.Name },
	list: func(ctx context.Context, c *client.Client, _ string) (*client.Page[client.Token], error) {
		return c.Tokens(ctx)
	},
}

func newTokenList() *cobra.Command {
	var r command.AnswerFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List tokens",
		Long: `List the tokens that the instance takes, without their values: those of files of the data directory first, then those that were made
with weir token add. Those whose time is over are listed for a month. USED is when a token was used last since the instance was started, to
the minute.`,
		Example: `  weir token list
  weir token list -o json`,
		Args: command.WantNoArgs,
		RunE: r.WithClient(func(cmd *cobra.Command, _ []string, c *client.Client) error {
			return command.Explained(tokenResource.get(cmd.Context(), c, cmd.OutOrStdout(), "", r.Format))
		}),
	}
	r.AddFlags(cmd)
	return cmd
}

func newTokenRemove() *cobra.Command {
	var r command.APIFlags
	cmd := &cobra.Command{
		Use:   "rm NAME",
		Short: "Revoke a token",
		Long: `Revoke a token. It ends at once, with the event streams and streams of intents that were opened with it. Tokens of files of the data
directory cannot be revoked: to replace one, stop the instance, delete the file, and start it again.`,
		Example: `  weir token rm ci`,
		Args:    command.WantArgs(1, 1, "NAME, such as ci: weir token list shows them"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return tokenNames(cmd.Context(), &r, args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: r.WithClient(func(cmd *cobra.Command, args []string, c *client.Client) error {
			return command.Explained(c.RemoveToken(cmd.Context(), args[0]))
		}),
	}
	r.AddFlags(cmd)
	return cmd
}

// tokenNames are the names of tokens that can be revoked; none where the instance does not answer soon.
func tokenNames(ctx context.Context, r *command.APIFlags, args []string) (names []string) {
	c, err := r.Client()
	if err != nil || len(args) > 0 {
		return nil
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	p, err := c.Tokens(ctx)
	if err != nil {
		return nil
	}
	for _, t := range p.Items {
		if t.From == "store" {
			names = append(names, t.Name)
		}
	}
	return names
}
