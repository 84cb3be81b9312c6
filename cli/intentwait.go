package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
)

// errNotInstalled ends commands that wait for an intent, with exit code 1.
var errNotInstalled = errors.New("not installed")

// stateOf formats an intent's state with its code: "waiting(host-unknown)".
func stateOf(in *client.Intent) string {
	if in.Code == "" {
		return in.State
	}
	return in.State + "(" + in.Code + ")"
}

// notInstalled is the error for an intent that was waited for and is not installed: it has failed,
// is degraded, or the time of --timeout is over. It is nil if the intent is installed.
func notInstalled(in *client.Intent, limit time.Duration) error {
	state := stateOf(in)
	if in.Detail != "" {
		state += ": " + in.Detail
	}
	switch in.State {
	case "installed":
		return nil
	case "failed":
		if in.Retrying {
			state += "; it is kept, and retried on any change that could help"
		}
	case "degraded":
	default:
		return command.RuntimeError(fmt.Errorf("intent %s is %w after %s (--timeout), but %s; it is kept: weir intent wait %s goes on waiting", in.ID, errNotInstalled, limit, state, in.ID))
	}
	return command.RuntimeError(fmt.Errorf("intent %s is %w, but %s", in.ID, errNotInstalled, state))
}

// writeAnswers prints answers to requests. Its error is about the first one that was refused, or
// that is not installed though --wait was given.
func (w *intentArgs) writeAnswers(cmd *cobra.Command, c *client.Client, f command.Format, list []client.IntentAnswer) error {
	if err := writeAnswers(cmd.OutOrStdout(), f, list, false); err != nil || !w.wait {
		return err
	}
	for i := range list {
		a := &list[i]
		if a.State == "installed" {
			continue
		}
		reached := &client.Intent{ID: a.ID, State: a.State, Detail: a.Detail}
		if now, err := c.Intent(cmd.Context(), a.ID); err == nil && now.State == a.State { // the answer has no code
			reached = now
		}
		return notInstalled(reached, w.timeout)
	}
	return nil
}
