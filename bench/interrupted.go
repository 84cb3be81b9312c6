package bench

import (
	"fmt"

	"github.com/weirnet/weir/bench/report"
)

// interrupted is the error of a scenario that was ended early: there is no report of some of its
// runs. It wraps the context's.
type interrupted struct {
	done, runs int
	cause      error
}

func (e *interrupted) Error() string {
	return fmt.Sprintf("interrupted after %d of %s: no report", e.done, report.Plural(e.runs, "run", "runs"))
}

func (e *interrupted) Unwrap() error { return e.cause }
