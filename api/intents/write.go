package intents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/weirnet/weir/api/client/intentpb"
	"github.com/weirnet/weir/api/intents/wire"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/intent/schema"
)

// writer are the routes that take requests about intents, but for streams.
type writer struct {
	engine    Engine // nil: there are none
	revisions *revision.Clock
	limits    rest.Limits
	limited   func(field, text string)
}

// BodyHint says what to do with a body that is too long.
const BodyHint = "; a stream (" + ndjson + ", or " + intentpb.ContentType + ") may be as long as you like"

// post takes one intent, or a batch, in JSON. Streams go another way (streams).
func (s *writer) post(w http.ResponseWriter, r *http.Request, o *IntentOptions) {
	s.take(w, r, o, intent.Create, "")
}

// put replaces an intent, or makes it.
func (s *writer) put(w http.ResponseWriter, r *http.Request, o *IntentOptions) {
	s.take(w, r, o, intent.Replace, r.PathValue("id"))
}

// postedIntents is a request with intents in JSON.
type postedIntents struct {
	batch wire.Batch
	doc   wire.Document
	wait  time.Duration
}

func (s *writer) take(w http.ResponseWriter, r *http.Request, o *IntentOptions, op intent.Op, id string) {
	if s.engine == nil {
		intentsDisabled.Write(w)
		return
	}
	p, no := s.read(r, o, op, id)
	if no == nil && o.DryRun {
		no = rest.Refuse(http.StatusNotImplemented, "dry_run is not served yet: GET /v1/paths shows the way between two ends")
	} else if no == nil {
		no = s.submit(w, r, p)
	}
	if no != nil {
		no.Write(w)
	}
}

// read reads a body and all that goes with it.
func (s *writer) read(r *http.Request, o *IntentOptions, op intent.Op, id string) (*postedIntents, *rest.Refusal) {
	wait, err := waitQuery(o.Wait, o.Timeout, s.limits.IntentWait)
	if err != nil {
		return nil, rest.Refuse(http.StatusUnprocessableEntity, "%v", err)
	}
	if no := wantJSON(r); no != nil {
		return nil, no
	}
	p := &postedIntents{wait: wait}
	body, err := rest.Body(r)
	if err != nil {
		return nil, rest.TooLong(err, s.limits.IntentBytes, BodyHint)
	}
	reader := wire.NewJSON()
	reader.MaxItems = s.limits.BatchItems
	if p.doc, err = reader.Body(&p.batch, body, op, id); errors.Is(err, wire.ErrTooMany) {
		return nil, s.tooMany()
	} else if err != nil {
		return nil, rest.Refuse(http.StatusBadRequest, "%v", err)
	}
	if op == intent.Replace {
		if !p.doc.Single {
			return nil, rest.Refuse(http.StatusBadRequest, "items were given, and PUT takes one intent")
		}
		if no := p.named(id); no != nil {
			return nil, no
		}
	}
	return p, p.headers(r.Header, op)
}

// named refuses an id that is another than that of the path.
func (p *postedIntents) named(id string) *rest.Refusal {
	for i := range p.batch.Requests {
		if given := p.batch.Requests[i].Spec.ID; given != id {
			return rest.Refuse(http.StatusUnprocessableEntity, "id: %q given, want %q, as in the path, or none", given, id)
		}
	}
	return nil
}

// headers takes If-Match and Idempotency-Key. The key of a batch is one for each of its items.
func (p *postedIntents) headers(h http.Header, op intent.Op) *rest.Refusal {
	match, key := rest.ETag(h.Get("If-Match")), h.Get("Idempotency-Key")
	switch {
	case match != "" && op == intent.Create:
		return rest.Refuse(http.StatusBadRequest, "If-Match was given, and POST makes new intents: PUT replaces one")
	case len(match) > schema.MaxETag:
		return rest.Refuse(http.StatusBadRequest, "If-Match: %d bytes given, want at most %d", len(match), schema.MaxETag)
	case len(key) > schema.MaxKey:
		return rest.Refuse(http.StatusBadRequest, "Idempotency-Key: %d bytes given, want at most %d", len(key), schema.MaxKey)
	}
	for i := range p.batch.Requests {
		r := &p.batch.Requests[i]
		r.IfMatch = match
		if key != "" && op == intent.Create && r.Spec.ID == "" {
			r.Key = key
			if !p.doc.Single {
				sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", key, i))
				r.Key = hex.EncodeToString(sum[:16])
			}
		}
	}
	return nil
}

func wantJSON(r *http.Request) *rest.Refusal {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	switch strings.ToLower(strings.TrimSpace(kind)) {
	case "", "application/json":
		return nil
	}
	return rest.Refuse(http.StatusUnsupportedMediaType,
		"Content-Type %q was given: want application/json, or, for a stream to %s, %s or %s",
		rest.Truncate(kind), intentsPath, ndjson, intentpb.ContentType)
}

// tooMany refuses a body with more items than it may have, and counts it.
func (s *writer) tooMany() *rest.Refusal {
	most := s.limits.BatchItems
	s.limited("batch_items", fmt.Sprintf("a request with more than %d items was refused", most))
	return rest.Refuse(http.StatusRequestEntityTooLarge,
		"the body has more than %d items: send several, or a stream (%s, or %s), which may be as long as you like; limits.batch_items is the limit",
		most, ndjson, intentpb.ContentType)
}

// submit has the requests made durable, and answers.
func (s *writer) submit(w http.ResponseWriter, r *http.Request, p *postedIntents) *rest.Refusal {
	if p.doc.Atomic && len(p.batch.Requests) < len(p.batch.Slots) {
		for i := range p.batch.Slots {
			if slot := &p.batch.Slots[i]; slot.Request < 0 {
				return rest.Refuse(http.StatusUnprocessableEntity, "no request was accepted: %s: %s",
					itemName(i, slot.ID, slot.Line), slot.Reason)
			}
		}
	}
	var answers []intent.Answer
	var err error
	if len(p.batch.Requests) > 0 {
		if answers, err = s.makeDurable(r.Context(), p.batch.Requests, p.doc.Atomic); err != nil && !anyAccepted(answers) {
			return submitRefusal(err)
		}
	}
	list := make([]wire.Answer, len(p.batch.Slots))
	for i := range list {
		list[i] = wireAnswer(&p.batch.Slots[i], uint64(i), answers, err)
	}
	noteIntents(r.Context(), list)
	return s.answer(w, r, p, list)
}

// itemName names an item of a batch: "item 1 (web, line 5)".
func itemName(index int, id string, line int) string {
	if id == "" {
		return fmt.Sprintf("item %d (line %d)", index, line)
	}
	return fmt.Sprintf("item %d (%s, line %d)", index, id, line)
}

// anyAccepted reports whether some of a long list were taken before the store failed.
func anyAccepted(answers []intent.Answer) bool {
	return slices.ContainsFunc(answers, func(a intent.Answer) bool { return a.Status != 0 })
}

func (s *writer) answer(w http.ResponseWriter, r *http.Request, p *postedIntents, list []wire.Answer) *rest.Refusal {
	status := http.StatusAccepted
	if p.doc.Single {
		if itemStatus(&list[0]) != http.StatusAccepted {
			return refusedItem(&list[0])
		}
	} else if p.doc.Atomic {
		if i := slices.IndexFunc(list, func(a wire.Answer) bool {
			return itemStatus(&a) != http.StatusAccepted && intent.Status(a.Status) != intent.Abandoned
		}); i >= 0 {
			return rest.Refuse(itemStatus(&list[i]), "no request was accepted: %s: %s",
				itemName(i, list[i].ID, p.batch.Slots[i].Line), refusedItem(&list[i]).Detail)
		}
	}
	if p.wait > 0 && s.awaitInstalled(r.Context(), list, p.wait) {
		status = http.StatusOK
	}
	revision := s.revisions.Text()
	b := make([]byte, 0, 256)
	if p.doc.Single {
		list[0].Revision = revision
		w.Header().Set("ETag", `"`+list[0].ETag+`"`)
		b = list[0].AppendJSON(b)
	} else {
		b = appendAnswers(b, list, revision)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Weir-Revision", revision)
	w.WriteHeader(status)
	w.Write(append(b, '\n'))
	return nil
}

func appendAnswers(b []byte, list []wire.Answer, revision string) []byte {
	b = append(b, `{"items":[`...)
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = list[i].AppendJSON(b)
	}
	return append(append(append(b, `],"revision":"`...), revision...), `"}`...)
}

// settledStates are the states that a waiter for installation waits for.
var settledStates = []intent.State{intent.Installed, intent.Degraded, intent.Failed}

// awaitInstalled waits until all that was accepted is installed, or has failed, or the time is
// over. It is true where all is installed; the states are in the list.
func (s *writer) awaitInstalled(ctx context.Context, list []wire.Answer, most time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	all := true
	for i := range list {
		a := &list[i]
		if itemStatus(a) != http.StatusAccepted {
			all = false
			continue
		}
		in, err := s.engine.Wait(ctx, a.ID, settledStates...)
		if in.State != 0 {
			a.State, a.Detail = uint8(in.State), in.Text
		}
		all = all && err == nil && in.State == intent.Installed
	}
	return all
}

// noteIntents puts what became of a body into the audit record.
func noteIntents(ctx context.Context, list []wire.Answer) {
	var n tally
	for i := range list {
		n.count(&list[i])
	}
	c := rest.ChangeOf(ctx)
	c.Detail = n.String()
	if c.Object = "1 intent"; len(list) == 1 && list[0].ID != "" {
		c.Object = "intent " + list[0].ID
	} else if len(list) != 1 {
		c.Object = fmt.Sprintf("%d intents", len(list))
	}
}

// tally counts answers by status.
type tally [len(statusNames)]uint64

var statusNames = [...]string{"", "accepted", "existing", "not found", "conflicts", "invalid", "mismatched",
	"abandoned", "failed"}

func (n *tally) count(a *wire.Answer) { n[a.Status]++ }

// String returns "3 accepted, 1 invalid".
func (n *tally) String() string {
	var parts []string
	for i, count := range n {
		if count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count, statusNames[i]))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}
