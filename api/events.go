package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/weirnet/weir/api/render"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/netview"
)

// eventKinds are the kinds of events that have rows of the view, intent, and member.
var eventKinds = []string{"switch", "link", "host", "intent", "alarm", "member"}

// plurals are the kinds as lists are named, which are taken too.
var plurals = map[string]string{"switches": "switch", "links": "link", "hosts": "host", "intents": "intent",
	"alarms": "alarm", "members": "member"}

type eventsInput struct {
	LastEventID string `header:"Last-Event-ID" doc:"Go on after this event, or after the revision of a list. What this instance does not know gives reset and a snapshot. Without it, the stream begins now."`
	Kind        string `query:"kind" maxLength:"64" doc:"Only these kinds, with commas between them: switch, link, host, intent, alarm, member."`
}

// eventStreams serve the streams of events, and bound how many there are.
type eventStreams struct {
	feed     *feed
	metrics  *eventMetrics
	limits   rest.Limits
	limited  func(field, text string)
	watchers atomic.Int64
	tokens   tokenStreams
}

func newEventStreams(from *source, limits rest.Limits, m *eventMetrics, limited func(field, text string)) *eventStreams {
	return &eventStreams{feed: newFeed(from, limits.FeedBytes), metrics: m, limits: limits, limited: limited,
		tokens: tokenStreams{open: make(map[string]int)}}
}

func (s *eventStreams) routes() []rest.Route {
	return []rest.Route{
		{Method: "GET", Path: eventsPath, ID: "events", Handler: rest.Typed(s.open), Content: "text/event-stream", Endless: true,
			Summary: "Changes as they happen, as server-sent events", Statuses: map[int]string{200: "Events without end."},
			Description: "Each event has the name of its kind and as data the item of the REST interface with op: put " +
				"or delete. " +
				"An event `reset` says that the position asked for is not known; a snapshot of puts follows, and `synced` ends it. " +
				"An event `problem`, whose data is a problem, is the last: the token is over."},
	}
}

func (s *eventStreams) open(ctx context.Context, in *eventsInput) (*huma.StreamResponse, error) {
	kinds, err := parseKinds(in.Kind)
	if err != nil {
		return nil, rest.Refuse(http.StatusBadRequest, "%v", err)
	}
	if most := s.limits.Watchers; s.watchers.Add(1) > int64(most) {
		s.watchers.Add(-1)
		return nil, rest.Refuse(http.StatusTooManyRequests,
			"%d event streams are open, and no more are allowed: close one, or try again later", most).After(5 * time.Second)
	}
	by := rest.ActorOf(ctx)
	if most := s.limits.TokenStreams; !s.tokens.acquire(by.Name, most) {
		s.watchers.Add(-1)
		s.limited("streams_per_token", fmt.Sprintf("an event stream of token %s was refused: it has %d", by.Name, most))
		return nil, rest.Refuse(http.StatusTooManyRequests,
			"%d event streams of this token are open, and no more are allowed (limits.streams_per_token): close one, or try again later",
			most).After(5 * time.Second)
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		defer s.watchers.Add(-1)
		defer s.tokens.release(by.Name)
		s.metrics.streams.Inc()
		defer s.metrics.streams.Dec()
		r, w := humago.Unwrap(ctx)
		s.feed.join()
		defer s.feed.leave()
		st := newStream(s.feed, rest.NewPaced(w, s.limits.Write), s.metrics.resets, kinds)
		st.answer(r)
		until, done := by.Until(r.Context(), st.end)
		defer done()
		st.begin(in.LastEventID)
		st.run(until, s.limits.KeepAlive)
		if no := rest.EndOfToken(until); no != nil {
			st.refuse(no)
		}
	}}, nil
}

// parseKinds reads a list of kinds; none means all.
func parseKinds(list string) ([]string, error) {
	if list == "" {
		return eventKinds, nil
	}
	kinds := strings.Split(list, ",")
	for i, k := range kinds {
		if one, ok := plurals[k]; ok {
			kinds[i], k = one, one
		}
		if !slices.Contains(eventKinds, k) {
			return nil, fmt.Errorf("kind=%q: want some of %s, with commas between them", rest.Truncate(k),
				strings.Join(eventKinds, ", "))
		}
	}
	return kinds, nil
}

// item returns the JSON item of a change, or nil if its kind is no event.
func (f *source) item(snap *netview.Snapshot, c *netview.Change) any {
	switch c.Kind {
	case netview.KindSwitch:
		return render.Switch(snap, c.Switch)
	case netview.KindLink:
		return render.Link(snap, c.Link)
	case netview.KindHost:
		return render.Host(snap, c.Host)
	case netview.KindAlarm:
		return alarmItem(f.instance)(snap, c.Alarm)
	}
	return nil
}

// tokenStreams counts the event streams of each token, by its name.
type tokenStreams struct {
	mu   sync.Mutex
	open map[string]int
}

// acquire counts a stream of a token, and reports whether the token may have it.
func (t *tokenStreams) acquire(name string, most int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open[name] >= most {
		return false
	}
	t.open[name]++
	return true
}

func (t *tokenStreams) release(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open[name]--; t.open[name] == 0 {
		delete(t.open, name)
	}
}
