package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"syscall"
	"time"

	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/journal"
)

// errStoreTimeout is the error of requests for which the store has not answered in time.
var errStoreTimeout = fmt.Errorf("%w in time", store.ErrUnknown)

// storeProblem says why a change that is kept in the store was not made, or is not known to be.
func storeProblem(err error) *refusal {
	switch {
	case errors.Is(err, store.ErrFull), errors.Is(err, syscall.ENOSPC):
		return refuse(http.StatusInsufficientStorage, "%v", err)
	case errors.Is(err, store.ErrUnknown):
		return &refusal{status: http.StatusServiceUnavailable, retryAfter: time.Second, unknown: true,
			detail: "the outcome is unknown: the store has not said whether the change was kept; " +
				"it is made as soon as it is, and GET shows it then"}
	}
	return refuse(http.StatusServiceUnavailable, "%v", err).after(time.Second)
}

// outcomeHint is what a caller does whose outcome is not known.
const outcomeHint = "; GET " + intentsPath +
	"/ID shows it as soon as it is done, and the same request again, with the same ids or Idempotency-Key, does it once"

// submitRefusal says why the requests of a body were not taken, or not made durable.
func submitRefusal(err error) *refusal {
	var full *intent.Overload
	switch {
	case errors.As(err, &full):
		return refuse(http.StatusTooManyRequests, "no request was accepted: %s; try again", full.What).after(full.RetryAfter)
	case errors.Is(err, journal.ErrOverload):
		return refuse(http.StatusTooManyRequests, "no request was accepted: the store queue is full; try again").after(time.Second)
	case errors.Is(err, store.ErrFull):
		return refuse(http.StatusInsufficientStorage,
			"no request was accepted, because the store is full: make room on its disk, or raise its quota; what is there goes on")
	case errors.Is(err, store.ErrTooLarge):
		return refuse(http.StatusRequestEntityTooLarge,
			"no request was accepted, because the batch is too large for one transaction: send it in parts, or without atomic")
	case errors.Is(err, store.ErrUnknown), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &refusal{status: http.StatusServiceUnavailable, retryAfter: time.Second, unknown: true,
			detail: "the outcome is unknown: the store has not said whether it was done, and it may still be" + outcomeHint}
	}
	return refuse(http.StatusServiceUnavailable, "no request was accepted, because the store cannot be written: %v",
		err).after(time.Second)
}
