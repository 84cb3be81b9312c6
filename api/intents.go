package api

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/weirnet/weir/api/client/intentpb"
	"github.com/weirnet/weir/api/wire"
	"github.com/weirnet/weir/intent"
)

// Intents is the engine of intents: an *intent.Engine, whose methods say what they do.
type Intents interface {
	SubmitAsync(reqs []intent.Request, atomic bool, done func([]intent.Answer, error)) error
	Get(id string) (intent.Intent, bool)
	List(after uint32, limit int, keep func(*intent.Intent) bool) (list []intent.Intent, next uint32)
	Wait(ctx context.Context, id string, want ...intent.State) (intent.Intent, error)
	Changes(since uint64, max int) (list []intent.Change, upto uint64, ok bool)
	Changed(after uint64) <-chan struct{}
	Revision() uint64
	Counts() intent.Counts
	Wide(limit int) (count int, ids []string)
}

// intentsDisabled is the answer of an instance without them.
var intentsDisabled = refuse(http.StatusNotFound, "intents are disabled on this instance")

// itemStatus returns the HTTP status of an answer that is the only one.
func itemStatus(a *wire.Answer) int {
	switch intent.Status(a.Status) {
	case intent.Accepted, intent.Existing:
		return http.StatusAccepted
	case intent.NotFound:
		return http.StatusNotFound
	case intent.Invalid:
		return http.StatusUnprocessableEntity
	case intent.Mismatched:
		return http.StatusPreconditionFailed
	case intentpb.StatusFailed:
		return http.StatusServiceUnavailable
	}
	return http.StatusConflict
}

// refusedItem returns the problem of a request that was refused alone.
func refusedItem(a *wire.Answer) *refusal {
	detail := a.Detail
	if detail == "" {
		detail = "there is no intent " + strconv.Quote(a.ID)
	}
	return refuse(itemStatus(a), "%s", detail)
}

// wireAnswer returns the answer to a slot of a batch, as it is written. Failure is why the store
// did not take the batch.
func wireAnswer(slot *wire.Slot, index uint64, answers []intent.Answer, failure error) wire.Answer {
	if slot.Request < 0 {
		return wire.Answer{Index: index, Line: slot.Line, ID: slot.ID, Status: uint8(intent.Invalid), Detail: slot.Reason}
	}
	if slot.Request >= len(answers) || answers[slot.Request].Status == 0 {
		detail := "not done"
		if failure != nil {
			detail = submitRefusal(failure).detail
		}
		return wire.Answer{Index: index, Status: intentpb.StatusFailed, Detail: detail}
	}
	a := &answers[slot.Request]
	line := 0
	if a.Status != intent.Accepted && a.Status != intent.Existing {
		line = slot.Line
	}
	return wire.Answer{Index: index, Line: line, ID: a.ID, Status: uint8(a.Status), State: uint8(a.State),
		Detail: a.Text, ETag: a.ETag}
}

// retryAfter returns a time as the header Retry-After has it: whole seconds, at least one.
func retryAfter(d time.Duration) string {
	return strconv.Itoa(max(1, int(math.Ceil(d.Seconds()))))
}

// waitQuery returns what ?wait= and ?timeout= ask for: 0 for nothing.
func waitQuery(wait, timeout string, most time.Duration) (time.Duration, error) {
	switch {
	case wait == "" && timeout == "":
		return 0, nil
	case wait != "installed":
		return 0, fmt.Errorf("wait=%q: want installed", truncate(wait))
	case timeout == "":
		return 5 * time.Second, nil
	}
	d, err := time.ParseDuration(timeout)
	if err != nil || d <= 0 || d > most {
		return 0, fmt.Errorf("timeout=%q: want a time such as 5s, up to %s", truncate(timeout), most)
	}
	return d, nil
}

// intentStates returns how many intents are in which state.
func (s *Server) intentStates() map[string]int {
	if s.cfg.Intents == nil {
		return nil
	}
	states := make(map[string]int)
	for state, n := range s.cfg.Intents.Counts().ByState {
		if n > 0 && state > 0 {
			states[intent.State(state).String()] = n
		}
	}
	return states
}
