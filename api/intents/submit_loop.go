package intents

import (
	"context"
	"time"

	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/trace"
)

// makeDurable has requests made durable, within Limits.StoreAnswer. After that it is errStoreTimeout, and
// they may still become durable.
func (s *writer) makeDurable(ctx context.Context, reqs []intent.Request, atomic bool) ([]intent.Answer, error) {
	type outcome struct {
		answers []intent.Answer
		err     error
	}
	ended := make(chan outcome, 1)
	trace.At(trace.Request)
	err := s.engine.SubmitAsync(reqs, atomic, func(answers []intent.Answer, err error) { ended <- outcome{answers, err} })
	if err != nil {
		return nil, err
	}
	late := time.NewTimer(s.limits.StoreAnswer)
	defer late.Stop()
	select {
	case o := <-ended:
		return o.answers, o.err
	case <-late.C:
		return nil, errStoreTimeout
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
