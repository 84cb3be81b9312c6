package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/api/client"
)

// errNotInstalled ends commands that wait for an intent with exit code 1.
var errNotInstalled = errors.New("not installed")

// stateOf is an intent's state with its code: "waiting(host-unknown)".
func stateOf(in *client.Intent) string {
	if in.Code == "" {
		return in.State
	}
	return in.State + "(" + in.Code + ")"
}

// notInstalled says what became of an intent that was waited for: until its state was one that does not pass by itself, or for all of
// the time that --timeout gave. It is nil if it is installed.
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
			state += "; it is kept, and tried again on any change that could help"
		}
	case "degraded":
	default:
		return atRun(fmt.Errorf("intent %s is %w after %s (--timeout), but %s; it is kept: weir intent wait %s waits on", in.ID, errNotInstalled, limit, state, in.ID))
	}
	return atRun(fmt.Errorf("intent %s is %w, but %s", in.ID, errNotInstalled, state))
}

// writeAnswers shows answers to requests. The error ends the command with exit code 1 where something was refused, or is not installed though it
// was waited for: of several the first.
func (w *wish) writeAnswers(cmd *cobra.Command, c *client.Client, f format, list []client.IntentAnswer) error {
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
