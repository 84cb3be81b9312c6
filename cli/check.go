package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
)

// errDiffers ends weir check with exit code 1.
var errDiffers = errors.New("the switches do not hold the desired rules")

func newCheck() *cobra.Command {
	var r command.AnswerFlags
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Compare desired rules, the view and the switches' tables",
		Long: `Compare desired rules, the view and the switches' tables: every switch is read for it. Exit code 0 means that they agree, 1
that something differs or a switch was not reached. A change in flight is no difference, nor are foreign entries, which are
counted. The instance corrects what differs as soon as it is found.

RULES      firm rules desired, and entries being removed. The soft rules of paths are not counted here (weir get flows), but
           checked against their purpose: a rule that does not lead to where the host is now, or a path of an intent over a link
           that is down, is a difference of the kind astray
COMPARED   of those: compared
IN_FLIGHT  of those: being written meanwhile
FAILED     of those: refused by the switch (weir get flows)
FOREIGN    entries of other controllers or operators, which are left alone
SHADOWING  of those: with a higher priority than a rule of ours, and packets in common. The first 20 of a switch are listed, each
           with the first rule that it shadows; the alarm foreign-rule is raised while there are any. They do not change the exit
           code, because the desired rules are installed: whoever wrote them has to remove them, if they are not meant
DIFFERENCES
           how many, or why the switch was not compared

Switches are shown by name; with -o wide by datapath id.

The line "intents:" counts intents by state, if there are any. Their rules are compared as all others; an intent that waits or has failed
has no rules, and is no difference: weir intent list --state failed. The line "wide:" lists intents that also match packets of other senders
on links between switches, because their selector does not name the sender; the alarm wide-intents is raised while there are any.`,
		Example: `  weir check
  weir check -o json`,
		Args: command.WantNoArgs,
		RunE: r.WithClient(func(cmd *cobra.Command, _ []string, c *client.Client) error {
			check, err := c.Check(cmd.Context())
			if err != nil {
				return command.Explained(err)
			}
			shown, err := namesForFormat(cmd.Context(), c, r.Format)
			if err != nil {
				return command.Explained(err)
			}
			err = r.Format.Write(cmd.OutOrStdout(), check, func(w io.Writer) error { return writeCheck(w, check, shown) })
			if err == nil && !check.Agrees {
				err = errDiffers
			}
			return command.RuntimeError(err)
		}),
	}
	r.AddFlags(cmd)
	return cmd
}

// writeCheck prints a line for each switch, then one for each difference, then one for each entry
// that shadows rules.
func writeCheck(w io.Writer, c *client.Check, shown names) error {
	rows := [][]string{{"SWITCH", "RULES", "COMPARED", "IN_FLIGHT", "FAILED", "FOREIGN", "SHADOWING", "DIFFERENCES"}}
	differences := [][]string{{"SWITCH", "DIFFERENCE", "TABLE", "PRIORITY", "MATCH", "OWNER", "DESIRED", "INSTALLED"}}
	shadows := [][]string{{"SWITCH", "TABLE", "PRIORITY", "MATCH", "COOKIE", "SHADOWS", "OWNER"}}
	for _, s := range c.Switches {
		found := fmt.Sprint(len(s.Differences))
		if !s.Reached {
			found = s.Error
		}
		rows = append(rows, cells(s.DPID, s.Wanted, s.Compared, s.InFlight, s.Failed, s.Foreign, s.Shadowing, found))
		for _, d := range s.Differences {
			differences = append(differences, cells(s.DPID, d.Kind, d.Table, d.Priority, d.Match, d.Owner, d.Wanted, d.Held))
		}
		for _, d := range s.Shadows {
			shadows = append(shadows, cells(s.DPID, d.Table, d.Priority, d.Match, d.Cookie, d.Rule, d.Owner))
		}
	}
	for i, list := range [][][]string{rows, differences, shadows} {
		if i > 0 && len(list) == 1 {
			continue
		}
		shown.replaceIn(list[1:])
		if err := command.WriteTable(w, list); err != nil {
			return err
		}
	}
	if err := writeStates(w, c.Intents); err != nil {
		return err
	}
	return writeWide(w, c.Wide)
}

// writeWide lists the intents that match packets of other senders, if there are any.
func writeWide(w io.Writer, wide *client.WideIntents) error {
	if wide == nil {
		return nil
	}
	list := strings.Join(wide.IDs, ", ")
	if wide.Count > len(wide.IDs) {
		list += fmt.Sprintf(" and %d more", wide.Count-len(wide.IDs))
	}
	_, err := fmt.Fprintf(w, "wide: %d that match packets of other senders on links between switches: %s\n", wide.Count, list)
	return err
}

// writeStates counts the intents by state, if there are any.
func writeStates(w io.Writer, states map[string]int) error {
	if len(states) == 0 {
		return nil
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(states)) {
		list = append(list, fmt.Sprintf("%d %s", states[name], name))
	}
	_, err := fmt.Fprintf(w, "intents: %s\n", strings.Join(list, ", "))
	return err
}

// cells are the texts of values.
func cells(values ...any) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = fmt.Sprint(v)
	}
	return list
}
