package revision

import (
	"context"
	"net/http"
	"time"

	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/netview"
)

// Freshness are the parameters by which a reader waits for what it knows to have happened.
type Freshness struct {
	AtLeast string `query:"at_least" maxLength:"64" doc:"Wait until the instance has seen this revision. 412 if that takes too long, or if it is of another run of the instance."`
}

// Intents are the revisions of intents.
type Intents interface {
	Revision() uint64
	Changed(after uint64) <-chan struct{} // closed at the next change after a revision
}

// Clock says which state of the network an answer shows, and waits for the one that a reader knows of.
type Clock struct {
	Run     Run
	View    *netview.View
	intents Intents       // nil: there are none
	Wait    time.Duration // for a revision that is asked for
}

// New makes the clock of one run of an instance. Intents may be nil.
func New(view *netview.View, intents Intents, wait time.Duration) *Clock {
	return &Clock{Run: newRun(), View: view, intents: intents, Wait: wait}
}

// At returns a revision of the view as clients see it.
func (c *Clock) At(rev netview.Revision) string { return c.Run.Text(Position{Revision: rev}) }

// Of returns that of a snapshot.
func (c *Clock) Of(snap *netview.Snapshot) string { return c.At(snap.Revision()) }

// Now returns where the view and the intents are now.
func (c *Clock) Now() Position {
	p := Position{Revision: c.View.Snapshot().Revision()}
	if c.intents != nil {
		p.Intents = c.intents.Revision()
	}
	return p
}

// Text returns now as clients see it.
func (c *Clock) Text() string { return c.Run.Text(c.Now()) }

// Fresh returns the view as it is now, or, once it has got there, at the revision asked for or
// after it.
func (c *Clock) Fresh(ctx context.Context, in Freshness) (*netview.Snapshot, error) {
	if in.AtLeast == "" {
		return c.View.Snapshot(), nil
	}
	p, err := c.Run.Parse(in.AtLeast)
	switch {
	case err == errOtherRun:
		return nil, rest.Refuse(http.StatusPreconditionFailed, "at_least=%s is %v: read without it",
			rest.Truncate(in.AtLeast), err)
	case err != nil:
		return nil, rest.Refuse(http.StatusBadRequest, "at_least: %v", err)
	case !c.await(ctx, p.Revision):
		return nil, c.unseen(in)
	}
	return c.View.Snapshot(), nil
}

// FreshIntents waits for the view likewise, and for the intents.
func (c *Clock) FreshIntents(ctx context.Context, in Freshness) error {
	if _, err := c.Fresh(ctx, in); err != nil || in.AtLeast == "" {
		return err
	}
	p, err := c.Run.Parse(in.AtLeast)
	if err != nil || p.Intents <= c.intents.Revision() {
		return nil
	}
	if !c.awaitIntents(ctx, p.Intents) {
		return c.unseen(in)
	}
	return nil
}

func (c *Clock) unseen(in Freshness) error {
	return rest.Refuse(http.StatusPreconditionFailed, "revision %s was not seen within %s: try again",
		rest.Truncate(in.AtLeast), c.Wait)
}
