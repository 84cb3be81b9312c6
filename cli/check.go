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
)

// errDiffers ends weir check with exit code 1.
var errDiffers = errors.New("the network is not as wanted")

func newCheck() *cobra.Command {
	var r remote
	f := formatTable
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Compare what is wanted, the view and what the switches hold",
		Long: `Compare what is wanted, the view and what the switches hold: every switch is read for it. Exit code 0 says that they agree, 1
that something differs or a switch was not reached, and what. A change that is under way is no difference, nor are entries
of others, which are counted. What differs is put right by the instance as soon as it is found.

RULES      firm rules wanted, and entries on their way out; the soft rules of paths are not among them (weir get flows), but
           compared with what they are for: a rule that does not lead to where the host is now, or a path of an intent over a link
           that is down, is a difference of the kind astray
COMPARED   of those: compared
IN_FLIGHT  of those: being written meanwhile
FAILED     of those: refused by the switch (weir get flows)
FOREIGN    entries of others, which are left alone
SHADOWING  of those: above a rule of ours whose packets they may take. The first 20 of a switch are listed, each with the
           first rule that it shadows; the alarm foreign-rule lasts as long as there are any. They do not change the exit
           code, because what is wanted is there: who wrote them has to take them away, if they are not meant
DIFFERENCES
           how many, or why the switch was not compared

The line intents: counts intents by state, if there are any. What is wanted for them is compared as all else; one that is waiting or has failed
wants nothing of switches, and is no difference: weir intent list --state failed. The line wide: lists those that take packets of others than those
at their ingress on links between switches, because their selector does not say who sends; the alarm wide-intents lasts as long as there are any.`,
		Example: `  weir check
  weir check -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := r.client()
			if err != nil {
				return err
			}
			defer c.Close()
			check, err := c.Check(cmd.Context())
			if err != nil {
				return hint(err)
			}
			if f.table() {
				err = writeCheck(cmd.OutOrStdout(), check)
			} else {
				err = writeValue(cmd.OutOrStdout(), f, check)
			}
			if err == nil && !check.Agrees {
				err = errDiffers
			}
			return atRun(err)
		},
	}
	r.addFlags(cmd)
	cmd.Flags().VarP(&f, "output", "o", "how to write the answer")
	return cmd
}

// writeCheck writes a line for each switch, then one for each difference, then one for each entry that shadows rules.
func writeCheck(w io.Writer, c *client.Check) error {
	rows := [][]string{{"DPID", "RULES", "COMPARED", "IN_FLIGHT", "FAILED", "FOREIGN", "SHADOWING", "DIFFERENCES"}}
	differences := [][]string{{"DPID", "DIFFERENCE", "TABLE", "PRIORITY", "MATCH", "OWNER", "WANTED", "HELD"}}
	shadows := [][]string{{"DPID", "TABLE", "PRIORITY", "MATCH", "COOKIE", "SHADOWS", "OWNER"}}
	for _, s := range c.Switches {
		found := fmt.Sprint(len(s.Differences))
		if !s.Reached {
			found = s.Error
		}
		rows = append(rows, []string{s.DPID, fmt.Sprint(s.Wanted), fmt.Sprint(s.Compared), fmt.Sprint(s.InFlight), fmt.Sprint(s.Failed),
			fmt.Sprint(s.Foreign), fmt.Sprint(s.Shadowing), found})
		for _, d := range s.Differences {
			differences = append(differences, []string{s.DPID, d.Kind, fmt.Sprint(d.Table), fmt.Sprint(d.Priority), d.Match, d.Owner,
				d.Wanted, d.Held})
		}
		for _, d := range s.Shadows {
			shadows = append(shadows, []string{s.DPID, fmt.Sprint(d.Table), fmt.Sprint(d.Priority), d.Match, d.Cookie, d.Rule, d.Owner})
		}
	}
	if err := writeTable(w, rows); err != nil {
		return err
	}
	for _, list := range [][][]string{differences, shadows} {
		if len(list) == 1 {
			continue
		}
		if err := writeTable(w, list); err != nil {
			return err
		}
	}
	if err := writeStates(w, c.Intents); err != nil {
		return err
	}
	return writeWide(w, c.Wide)
}

// writeWide writes which intents take packets of others, if there are any.
func writeWide(w io.Writer, wide *client.WideIntents) error {
	if wide == nil {
		return nil
	}
	list := strings.Join(wide.IDs, ", ")
	if wide.Count > len(wide.IDs) {
		list += fmt.Sprintf(" and %d more", wide.Count-len(wide.IDs))
	}
	_, err := fmt.Fprintf(w, "wide: %d, which take packets of others on links between switches: %s\n", wide.Count, list)
	return err
}

// writeStates writes how many intents are in which state, if there are any.
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

func writeTable(w io.Writer, rows [][]string) error {
	t := &table{w: w}
	t.fit(rows...)
	return t.write(rows...)
}
