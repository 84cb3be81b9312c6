package intents

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/client/intentpb"
	"github.com/weirnet/weir/api/intents/wire"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// The paths that several routes, or texts, have.
const (
	intentsPath  = "/v1/intents"
	intentPath   = "/v1/intents/{id}"
	withdrawPath = "/v1/intents/withdraw"
)

// Engine is the engine of intents: an *intent.Engine, whose methods say what they do.
type Engine interface {
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

// Config is what the routes need of the rest of an instance.
type Config struct {
	Engine Engine // nil: every request answers 404
	// Flows asks a switch for the flow entries of an intent, by its number. nil: traffic answers 404.
	Flows     func(ctx context.Context, dpid netview.DPID, number uint32) ([]openflow.FlowStats, error)
	Revisions *revision.Clock
	Audit     rest.Auditor // records streams; nil: nothing is recorded
	Limits    rest.Limits
	Limited   func(field, text string) // is told of a limit of the configuration that was reached
	Now       func() time.Time
}

// Resource serves /v1/intents.
type Resource struct {
	reader  reader
	writer  writer
	streams streams
	traffic trafficMeter
	has     bool // intents are enabled
	limits  rest.Limits
}

// New makes the resource.
func New(cfg Config) *Resource {
	r := &Resource{has: cfg.Engine != nil, limits: cfg.Limits}
	r.traffic = trafficMeter{engine: cfg.Engine, revisions: cfg.Revisions, flows: cfg.Flows, askWait: cfg.Limits.AskWait,
		totals: newTrafficTable(), now: cfg.Now}
	r.reader = reader{engine: cfg.Engine, revisions: cfg.Revisions, traffic: &r.traffic, pageRows: cfg.Limits.PageRows,
		longest: cfg.Limits.IntentWait}
	r.writer = writer{engine: cfg.Engine, revisions: cfg.Revisions, limits: cfg.Limits, limited: cfg.Limited}
	r.streams = streams{engine: cfg.Engine, audit: cfg.Audit, limits: cfg.Limits, now: cfg.Now}
	return r
}

// Routes returns the routes. Those that take intents read their bodies by themselves: in one pass, strictly.
func (r *Resource) Routes() []rest.Route {
	return append(r.readRoutes(), r.writeRoutes()...)
}

func (r *Resource) readRoutes() []rest.Route {
	return []rest.Route{
		{Method: "GET", Path: intentsPath, ID: "intents", Handler: rest.Provided(r.has, intentsDisabled, r.reader.all),
			Summary: "All intents, in the order of their numbers"},
		{Method: "GET", Path: intentPath, ID: "intent",
			Handler: rest.Provided(r.has, intentsDisabled, r.reader.one), Summary: "One intent"},
		{Method: "GET", Path: intentPath + "/traffic", ID: "intent-traffic",
			Handler: rest.Provided(r.has, intentsDisabled, r.traffic.one),
			Summary: "What an intent's rules have counted where its packets come in: the switches are asked"},
	}
}

func (r *Resource) writeRoutes() []rest.Route {
	statuses := map[int]string{
		200: "Installed (?wait=installed); or the answers of a stream.",
		202: "Durable. Of several: each has a status of its own.",
		409: "The id has another content, or another intent has the same packets at the same place; the problem names it.",
		422: "Refused: the field, what was given, what was expected.",
		429: "Too much waits; Retry-After says when to try again. No request was accepted.",
		503: "The store cannot be written, or does not say whether it was; the problem says which.",
		507: "The store is full. No request was accepted.",
	}
	return []rest.Route{
		{Method: "DELETE", Path: intentPath, ID: "withdraw-intent",
			Handler: rest.Provided(r.has, intentsDisabled, r.writer.withdraw), AuditInStore: true,
			Status: http.StatusNoContent, Summary: "Withdraw an intent",
			Description: "Answered when it is durable. The intent vanishes when its rules are gone from the switches: " +
				"404 then, and its id is free. " +
				"Again, or of an id that is not there: 204."},
		{Method: "POST", Path: withdrawPath, ID: "withdraw-intents",
			Handler: rest.Provided(r.has, intentsDisabled, r.writer.withdrawSeveral), AuditInStore: true,
			Status: http.StatusAccepted, BodyBytes: r.limits.IntentBytes, MaxItems: r.limits.BatchItems,
			TooMany:     r.writer.tooMany,
			Summary:     "Withdraw several intents",
			Description: "Each has an answer of its own, in their order. Answered when they are durable."},
		{Method: "POST", Path: intentsPath, ID: "create-intents", AuditInStore: true, Keyed: true,
			Handler: rest.Described[createIntents, oneOrMoreAnswers](r.writer.post), BodyBytes: r.limits.IntentBytes,
			Status: http.StatusAccepted, Statuses: statuses, Stream: r.streams.serve,
			Streams: map[string]any{ndjson: client.IntentRequest{}, intentpb.ContentType: ""},
			Summary: "Ask for intents: one, a batch, or a stream",
			Description: "One intent, or {\"items\":[…]}, in JSON; or, with Content-Type " + ndjson +
				", a stream of lines, or, with " + intentpb.ContentType +
				", of delimited IntentRequest messages (/intents.proto). A stream is answered in its own form, one " +
				"answer for each request, in their order, while requests " +
				"still come; what is refused disturbs nothing else. Requests of a stream may create, put and withdraw (op)."},
		{Method: "PUT", Path: intentPath, ID: "replace-intent", AuditInStore: true,
			Handler: rest.Described[replaceIntent, oneAnswer](r.writer.put), Status: http.StatusAccepted, Statuses: statuses,
			Summary: "Give an intent another content, without loss; or make it"},
		{Method: "GET", Path: "/intents.proto", ID: "intents-proto", Handler: rest.Plain(protoFile), Content: "text/plain",
			Summary: "The protobuf form of streams of requests about intents"},
	}
}

// intentsDisabled is the answer of an instance without them.
var intentsDisabled = rest.Refuse(http.StatusNotFound, "intents are disabled on this instance: it serves tenants alone (role hypervisor)")

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
func refusedItem(a *wire.Answer) *rest.Refusal {
	detail := a.Detail
	if detail == "" {
		detail = "there is no intent " + strconv.Quote(a.ID)
	}
	return rest.Refuse(itemStatus(a), "%s", detail)
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
			detail = submitRefusal(failure).Detail
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

// waitQuery returns what ?wait= and ?timeout= ask for: 0 for nothing.
func waitQuery(wait, timeout string, most time.Duration) (time.Duration, error) {
	switch {
	case wait == "" && timeout == "":
		return 0, nil
	case wait != "installed":
		return 0, fmt.Errorf("wait=%q: want installed", rest.Truncate(wait))
	case timeout == "":
		return 5 * time.Second, nil
	}
	d, err := time.ParseDuration(timeout)
	if err != nil || d <= 0 || d > most {
		return 0, fmt.Errorf("timeout=%q: want a time such as 5s, up to %s", rest.Truncate(timeout), most)
	}
	return d, nil
}
