package intents

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/journal"
)

// errStoreTimeout is the error of requests for which the store has not answered in time.
var errStoreTimeout = fmt.Errorf("%w in time", store.ErrUnknown)

// outcomeHint is what a caller does whose outcome is not known.
const outcomeHint = "; GET " + intentsPath +
	"/ID shows it as soon as it is done, and the same request again, with the same ids or Idempotency-Key, does it once"

// submitRefusal says why the requests of a body were not taken, or not made durable.
func submitRefusal(err error) *rest.Refusal {
	var full *intent.Overload
	switch {
	case errors.As(err, &full):
		return rest.Refuse(http.StatusTooManyRequests, "no request was accepted: %s; try again", full.What).After(full.RetryAfter)
	case errors.Is(err, journal.ErrOverload):
		return rest.Refuse(http.StatusTooManyRequests, "no request was accepted: the store queue is full; try again").After(time.Second)
	case errors.Is(err, store.ErrFull):
		return rest.Refuse(http.StatusInsufficientStorage,
			"no request was accepted, because the store is full: make room on its disk, or raise its quota; what is there goes on")
	case errors.Is(err, store.ErrTooLarge):
		return rest.Refuse(http.StatusRequestEntityTooLarge,
			"no request was accepted, because the batch is too large for one transaction: send it in parts, or without atomic")
	case errors.Is(err, store.ErrUnknown), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &rest.Refusal{Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Unknown: true,
			Detail: "the outcome is unknown: the store has not said whether it was done, and it may still be" + outcomeHint}
	}
	return rest.Refuse(http.StatusServiceUnavailable, "no request was accepted, because the store cannot be written: %v",
		err).After(time.Second)
}
