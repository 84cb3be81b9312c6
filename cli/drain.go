package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
)

const drainText = `KIND is switch, port or link. X is a switch by datapath id or name; a port as SWITCH/PORT, by number or name; a link, which
means both directions, as two switches with a hyphen between, s1-s2, or, where several links join them, SWITCH/PORT->SWITCH/PORT.`

func newDrain() *cobra.Command {
	var r command.AnswerFlags
	var wait bool
	limit := time.Minute
	cmd := &cobra.Command{
		Use:   "drain KIND X",
		Short: "Take a switch, port or link out of use without loss",
		Long: `Take a switch, port or link out of use without loss: paths leave it, and no new ones use it. The drain survives restarts, until
weir undrain; weir get drains lists what is drained and what still passes there. With --wait the command returns when nothing passes
that could take another path.

STATE is draining while paths are still to leave; then it is drained, or bound if pairs of hosts or intents without another path
remain. PASSING counts the paths that are still to leave. BOUND counts the pairs and intents that remain, since one of their ends is
there or they have no other path: they lose their connection when it is switched off. With --wait they are listed on standard error, which is
no failure.

` + drainText,
		Example: `  weir drain switch spine-1 --wait
  weir drain port 00000000000000a1/3
  weir drain link spine-1-leaf-4
  weir drain link 'spine-1/2->leaf-4/1'`,
		RunE: r.WithClient(func(cmd *cobra.Command, args []string, c *client.Client) error {
			object, err := drainObject(cmd.Context(), c, args[0], args[1], false)
			if err != nil {
				return err
			}
			d, err := c.Drain(cmd.Context(), args[0], object)
			if err == nil && wait {
				d, err = waitDrained(cmd.Context(), c, d, limit)
			}
			if err != nil {
				return command.Explained(err)
			}
			if wait {
				warnBound(cmd.ErrOrStderr(), d)
			}
			if d.Note != "" {
				fmt.Fprintf(cmd.ErrOrStderr(), "weir: warning: %s\n", d.Note)
			}
			return r.Format.Write(cmd.OutOrStdout(), d, func(w io.Writer) error {
				return command.WriteTable(w, [][]string{drainResource.header, drainResource.cells(*d)})
			})
		}),
	}
	command.TakeKindAndName(cmd, "switch", "port", "link")
	r.AddFlags(cmd)
	cmd.Flags().BoolVar(&wait, "wait", false, "return when nothing passes any more that could take another path")
	cmd.Flags().DurationVar(&limit, "timeout", limit, "how long --wait waits")
	return cmd
}

func newUndrain() *cobra.Command {
	var r command.APIFlags
	cmd := &cobra.Command{
		Use:   "undrain KIND X",
		Short: "Take a switch, port or link into use again",
		Long:  "Take a switch, port or link into use again.\n\n" + drainText,
		Example: `  weir undrain switch spine-1
  weir undrain link 'spine-1/2->leaf-4/1'`,
		RunE: r.WithClient(func(cmd *cobra.Command, args []string, c *client.Client) error {
			object, err := drainObject(cmd.Context(), c, args[0], args[1], true)
			if err != nil {
				return err
			}
			return command.Explained(c.Undrain(cmd.Context(), args[0], object))
		}),
	}
	command.TakeKindAndName(cmd, "switch", "port", "link")
	r.AddFlags(cmd)
	return cmd
}

// waitDrained polls until a drain has ended in drained or bound, or was removed.
func waitDrained(ctx context.Context, c *client.Client, d *client.Drain, limit time.Duration) (*client.Drain, error) {
	const every = 200 * time.Millisecond
	late := time.After(limit)
	for {
		p, err := c.Drains(ctx)
		if err != nil {
			return nil, err
		}
		found := false
		for _, now := range p.Items {
			if now.Kind == d.Kind && now.Object == d.Object {
				found, d = true, &now
			}
		}
		switch {
		case !found:
			return nil, fmt.Errorf("%s %s was undrained meanwhile", d.Kind, d.Object)
		case d.State == "drained", d.State == "bound":
			return d, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-late:
			return nil, fmt.Errorf("after %s %s %s is still in use: %s still to leave it; it stays draining", limit,
				d.Kind, d.Object, countOr(d.Passing, "an unknown number"))
		case <-time.After(every):
		}
	}
}

// warnBound names the pairs and intents that remain at a drained object.
func warnBound(w io.Writer, d *client.Drain) {
	if d.Bound == nil || *d.Bound == 0 {
		return
	}
	what, pairs := d.Object, *d.Bound
	if d.Name != "" {
		what += " (" + d.Name + ")"
	}
	var stay []string
	if in := d.Intents; in != nil {
		pairs -= in.Ends + in.NoOther
		if in.Ends > 0 {
			stay = append(stay, command.Plural(in.Ends, "intent comes in or goes out", "intents come in or go out")+" there")
		}
		if in.NoOther > 0 {
			stay = append(stay, command.Plural(in.NoOther, "intent has", "intents have")+" no other path")
		}
	}
	if pairs > 0 {
		stay = append([]string{command.Plural(pairs, "pair has", "pairs have") + " no other path"}, stay...)
	}
	fmt.Fprintf(w, "weir: warning: %s %s is not free: %s and would lose their connection\n", d.Kind, what,
		strings.Join(stay, ", "))
	if in := d.Intents; in != nil && len(in.First) > 0 {
		more := ""
		if in.Ends+in.NoOther > len(in.First) {
			more = ", …"
		}
		fmt.Fprintf(w, "weir: intents that remain: %s%s (weir intent show ID; replace or withdraw them)\n",
			strings.Join(in.First, ", "), more)
	}
}

func countOr(n *int, otherwise string) string {
	if n == nil {
		return otherwise
	}
	return fmt.Sprint(*n)
}
