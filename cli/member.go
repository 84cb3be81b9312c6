package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
)

func newMember() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "member",
		Short: "List, add and remove the instances of a cluster",
		Long: `List, add and remove the instances of a cluster (docs/cluster.md). A new instance needs no more than weir node --join; add is for who
wants to know before which one comes.`,
		Example: `  weir node --name b --data-dir b --peer 10.0.0.2:9876 --join 10.0.0.1:9876 …
  weir member list
  weir member remove b`,
		Args: command.WantCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newMemberList(), newMemberAdd(), newMemberRemove())
	return cmd
}

func newMemberList() *cobra.Command {
	var r command.AnswerFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the instances of the cluster",
		Long: `List the instances of the cluster, as the one that is asked knows them. OWNER decides for the network, and is the master of its
switches; LEADER leads the store. The store takes changes as long as more than half of the members are alive.`,
		Example: `  weir member list
  weir member list -o json`,
		Args: command.WantNoArgs,
		RunE: r.WithClient(func(cmd *cobra.Command, _ []string, c *client.Client) error {
			return command.Explained(memberResource.get(cmd.Context(), c, cmd.OutOrStdout(), "", r.Format))
		}),
	}
	r.AddFlags(cmd)
	return cmd
}

func newMemberAdd() *cobra.Command {
	var r command.AnswerFlags
	cmd := &cobra.Command{
		Use:   "add PEER",
		Short: "Add an instance to the cluster before it begins",
		Long: `Add an instance to the cluster before it begins, by the address of its peer port. It has no vote, and counts for nothing, before it has
begun (weir node --join) and has been sent what the others know.`,
		Example: `  weir member add 10.0.0.3:9876`,
		Args:    command.WantArgs(1, 1, "PEER, the address of its --peer, such as 10.0.0.3:9876: weir member add 10.0.0.3:9876"),
		RunE: r.WithClient(func(cmd *cobra.Command, args []string, c *client.Client) error {
			m, err := c.AddMember(cmd.Context(), args[0])
			if err != nil {
				return command.Explained(err)
			}
			return r.Format.Write(cmd.OutOrStdout(), m, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "member at %s added; begin it with: weir node --peer %s --join PEER, where PEER is another one's\n",
					m.Peer, m.Peer)
				return err
			})
		}),
	}
	r.AddFlags(cmd)
	return cmd
}

func newMemberRemove() *cobra.Command {
	var r command.APIFlags
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove an instance from the cluster",
		Long: `Remove an instance from the cluster: for good, or to take it in anew with an empty data directory. Its process ends, if it runs. One that
decides for the network is refused: stop it first. So is one without which too few would be alive.`,
		Example: `  weir member remove b`,
		Args:    command.WantArgs(1, 1, "NAME, as weir member list shows it: weir member remove b"),
		RunE: r.WithClient(func(cmd *cobra.Command, args []string, c *client.Client) error {
			if err := c.RemoveMember(cmd.Context(), args[0]); err != nil {
				return command.Explained(err)
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "member %s removed\n", args[0])
			return err
		}),
	}
	r.AddFlags(cmd)
	return cmd
}
