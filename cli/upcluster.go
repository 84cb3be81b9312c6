package cli

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weirnet/weir/cluster/local"
	"github.com/weirnet/weir/up"
)

// minKillEvery is the shortest time between two kills: the one that was killed is back by then.
const minKillEvery = time.Second

// checkInstances refuses what a cluster cannot be.
func (f *upFlags) checkInstances(given *pflag.FlagSet) error {
	switch {
	case f.instances < 1 || f.instances > local.MaxInstances:
		return fmt.Errorf("--instances=%d given, want 1 to %d, such as 3", f.instances, local.MaxInstances)
	case f.killEvery < 0 || f.killEvery > 0 && f.killEvery < minKillEvery:
		return fmt.Errorf("--kill-every=%v given, want %v or more, or 0", f.killEvery, minKillEvery)
	case f.killEvery > 0 && f.instances < 3:
		return fmt.Errorf("--kill-every given with --instances=%d, want 3 or more: fewer survive no loss", f.instances)
	case f.instances == 1:
		return nil
	case f.node.Store != "embedded":
		return fmt.Errorf("--store=%s given with --instances=%d, want embedded: the instances hold one store together", f.node.Store,
			f.instances)
	case f.log != "":
		return fmt.Errorf("--log given with --instances=%d: each logs to NAME.log in the directory of --data-dir", f.instances)
	}
	return nil
}

// cluster adds the instances to a configuration, and what is typed. It returns what brings the terminal back.
func (f *upFlags) cluster(cmd *cobra.Command, cfg *up.Config, s *upDisplay) (restore func(), err error) {
	if cfg.Node.DataDir, err = filepath.Abs(cfg.Node.DataDir); err != nil {
		return nil, err
	}
	if f.instances == 2 {
		fmt.Fprintln(cmd.ErrOrStderr(), "weir: --instances=2: with one of two lost, the other has no more than half of the votes, and its store takes nothing; 3 survive the loss of one")
	}
	args := []string{"--log-level", f.level, "--auth", f.node.API.Auth}
	if f.node.API.Insecure {
		args = append(args, "--insecure")
	}
	for _, h := range f.node.API.Hosts {
		args = append(args, "--api-host", h)
	}
	keys, restore := typed(cmd.InOrStdin())
	s.keys = fmt.Sprintf("\n  type        1 to %d to kill an instance, or to start it again; k: the owner", f.instances)
	cfg.Cluster = &up.Cluster{Instances: f.instances, OpenFlow: f.node.OpenFlow.Listen, API: f.node.API.Listen, Peer: f.peer,
		Args: args, KillEvery: f.killEvery, Keys: keys}
	return restore, nil
}
