package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/atomicfile"
	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/datadir"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/store"
)

func newBackup() *cobra.Command {
	var r command.APIFlags
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write what a running instance has accepted to a file",
		Long: `Write what a running instance has accepted to FILE: intents, the network's configuration, drains, the cluster's key; all at one
revision, while the instance goes on. FILE appears when it is complete and its checksum verified. It holds secrets: only you can
read it. The instance's own configuration (name, addresses, TLS files: configuration.instance in its data directory), tokens in
files, certificates, the audit log and what was learned of the network are not in it. Needs an admin token.`,
		Example: `  weir backup weir.backup
  weir restore weir.backup --data-dir /var/lib/weir-new`,
		Args: command.WantArgs(1, 1, "FILE to write, such as weir.backup"),
		RunE: r.WithClient(func(cmd *cobra.Command, args []string, c *client.Client) error {
			if args[0] == "-" {
				return errors.New(
					"- given, want a FILE, such as weir.backup: a backup is verified before it appears, which a pipe cannot be")
			}
			var holds datadir.Inventory
			contents, err := writeBackup(cmd.Context(), c, args[0], &holds)
			if err != nil {
				return command.Explained(err)
			}
			return command.RuntimeError(printContents(cmd.OutOrStdout(), "written to "+args[0], &holds, contents))
		}),
	}
	r.AddFlags(cmd)
	return cmd
}

// writeBackup writes a temporary file beside path, verifies it, and renames it.
func writeBackup(ctx context.Context, c *client.Client, path string, holds *datadir.Inventory) (contents store.Contents,
	err error) {
	f, err := atomicfile.Create(path)
	if err != nil {
		return contents, err
	}
	defer f.Discard()
	if err := c.Backup(ctx, f); err != nil {
		return contents, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return contents, err
	}
	if contents, err = store.ReadSnapshot(f, holds.Add); err != nil {
		return contents, fmt.Errorf("the backup did not arrive whole: %w: the instance's log and weir get alarms say more", err)
	}
	return contents, f.Commit()
}

// printContents tells what a backup contains.
func printContents(w io.Writer, what string, holds *datadir.Inventory, c store.Contents) error {
	_, err := fmt.Fprintf(w, "%s: %s; %d objects of the store in all, of revision %d, hash %x\n", what, holds,
		c.Pairs, c.Revision, c.Sum)
	return err
}

// restoredTo returns the store that a backup was restored to.
func restoredTo(to *datadir.Config) string {
	if to.Store != datadir.Embedded {
		return to.Store
	}
	return to.Dir
}

func newRestore() *cobra.Command {
	defaults := node.Defaults()
	to := datadir.Config{Dir: defaults.DataDir, Store: defaults.Store, Log: slog.New(slog.DiscardHandler)}
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Make a data directory, or fill an etcd, from a backup",
		Long: `Make a store in --data-dir from a backup, or fill an etcd that --store names. FILE is verified before anything is made. A directory
that an instance uses is refused, and so is one that has a store already, and an etcd with keys of Weir: a restore never merges. Then
start an instance with the same --data-dir and --store, and with its name, addresses and TLS files by flags or --config, since a backup
has the network's part of the configuration only; it makes new tokens where there are none. Never run it beside the instance that
the backup was taken from: both would control the same switches.`,
		Example: `  weir restore weir.backup --data-dir /var/lib/weir-new
  weir restore weir.backup --store http://127.0.0.1:2379`,
		Args: command.WantArgs(1, 1, "FILE of weir backup, such as weir.backup"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			if err := to.Check(); err != nil {
				return err
			}
			contents, err := to.Restore(cmd.Context(), f)
			if errors.Is(err, datadir.ErrMemory) {
				return err
			} else if err != nil {
				return command.RuntimeError(err)
			}
			var holds datadir.Inventory
			if _, err := f.Seek(0, io.SeekStart); err != nil {
				return command.RuntimeError(err)
			}
			if _, err := store.ReadSnapshot(f, holds.Add); err != nil {
				return command.RuntimeError(err)
			}
			return command.RuntimeError(printContents(cmd.OutOrStdout(), "restored to "+restoredTo(&to), &holds, contents))
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&to.Dir, "data-dir", to.Dir, "data directory of the instance that is to use it")
	fs.StringVar(&to.Store, "store", to.Store,
		"where to: embedded (in --data-dir), or URLs of an etcd, with commas between them")
	return cmd
}
