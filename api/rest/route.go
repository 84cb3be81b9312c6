package rest

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/danielgtaylor/huma/v2/queryparam"

	"github.com/weirnet/weir/api/client"
)

// Route declares an operation of an interface. All that knows of it is made from this: the router,
// the gate, the limits, the audit log, and the description in /openapi.json.
type Route struct {
	Method, Path string // as net/http's ServeMux takes them; "/" is that path alone
	ID           string // of the operation in the description
	Summary      string
	Description  string
	Handler      Handler

	Role     Role // that it needs; RoleNone: viewer to read, operator for anything else
	Public   bool // needs no token
	DryRun   Role // that ?dry_run=true needs, which changes nothing; RoleNone: there is no dry run
	Endless  bool // has an answer without end, whose duration says nothing
	Instance bool // tells of the instance and not of its network, so that a standby serves it

	BodyBytes int64 // longest body; 0: Limits.BodyBytes
	// Keyed: with an Idempotency-Key it may be asked again without being done twice.
	Keyed bool
	// MaxItems bounds a list of ids in the body; 0: no limit. TooMany refuses a longer one.
	MaxItems int
	TooMany  func() *Refusal
	// AuditInStore: the store keeps what becomes of it, so that its audit record is written to the
	// disk while it is done, and not before.
	AuditInStore bool

	Status   int            // of success; 0: 200, or 204 without a body
	Statuses map[int]string // further statuses, and what they mean
	Content  string         // media type of the answer; empty: JSON
	// Stream, if set, serves requests of the media types of Streams, each with a value of the type of
	// its items. It is false, and has done nothing, for a request of another one.
	Stream  func(w http.ResponseWriter, r *http.Request, by Actor) bool
	Streams map[string]any

	repeatable map[string]bool // query parameters that may be given more than once
}

// Handler adds the operation of a route to a stack.
type Handler func(s *Stack, op huma.Operation)

// Typed returns a Handler whose parameters and body are read into an I, and whose answer is an O, as
// huma maps them.
func Typed[I, O any](h func(context.Context, *I) (*O, error)) Handler {
	return func(s *Stack, op huma.Operation) { huma.Register(s.huma, op, h) }
}

// Provided is Typed where the instance has what h needs; else every request is refused.
func Provided[I, O any](has bool, lacking *Refusal, h func(context.Context, *I) (*O, error)) Handler {
	if !has {
		h = func(context.Context, *I) (*O, error) { return nil, lacking }
	}
	return Typed(h)
}

// Described returns a Handler whose query is read into a Q as Typed reads it, and which reads the body
// and writes the answer by itself. I, with the query, and O describe these.
func Described[I, O, Q any](h func(http.ResponseWriter, *http.Request, *Q)) Handler {
	return func(s *Stack, op huma.Operation) {
		huma.Register[I, O](undispatched{s.huma}, op, nil)
		served := huma.Operation{OperationID: op.OperationID, Method: op.Method, Path: op.Path, Hidden: true}
		huma.Register(s.huma, served, func(_ context.Context, q *Q) (*huma.StreamResponse, error) {
			return &huma.StreamResponse{Body: func(ctx huma.Context) {
				r, w := humago.Unwrap(ctx)
				h(w, r, q)
			}}, nil
		})
	}
}

// Plain returns a Handler that reads no parameters and writes by itself.
func Plain(h http.HandlerFunc) Handler {
	return func(s *Stack, op huma.Operation) {
		s.huma.OpenAPI().AddOperation(&op)
		s.router.mux.HandleFunc(muxPattern(op.Method, op.Path), h)
	}
}

// undispatched is an API that describes operations and serves none.
type undispatched struct{ huma.API }

// Adapter implements huma.API.
func (u undispatched) Adapter() huma.Adapter { return undispatchedAdapter{u.API.Adapter()} }

type undispatchedAdapter struct{ huma.Adapter }

// Handle implements huma.Adapter.
func (undispatchedAdapter) Handle(*huma.Operation, func(huma.Context)) {}

// add adds a route to the router and to the description.
func (s *Stack) add(r Route) {
	r.BodyBytes = cmp.Or(r.BodyBytes, s.cfg.Limits.BodyBytes)
	if r.Role == RoleNone && !r.Public {
		if r.Role = RoleOperator; r.Method == http.MethodGet {
			r.Role = RoleViewer
		}
	}
	op := huma.Operation{OperationID: r.ID, Method: r.Method, Path: r.Path, Summary: r.Summary, Description: r.Description,
		DefaultStatus: r.Status, MaxBodyBytes: r.BodyBytes, Responses: s.responses(&r), RequestBody: s.streamBody(&r)}
	if r.Public {
		op.Security = []map[string][]string{}
	}
	s.huma.OpenAPI().OnAddOperation = []huma.AddOpFunc{func(_ *huma.OpenAPI, op *huma.Operation) { r.complete(op) }}
	r.Handler(s, op)
	s.router.add(&r)
}

// responses describes the statuses that a route declares.
func (s *Stack) responses(r *Route) map[string]*huma.Response {
	responses := make(map[string]*huma.Response)
	for code, text := range r.Statuses {
		response := &huma.Response{Description: text}
		if code >= 400 {
			response.Content = map[string]*huma.MediaType{problemType: {Schema: SchemaOf(s.huma.OpenAPI(), client.Problem{})}}
		}
		responses[strconv.Itoa(code)] = response
	}
	if r.Content != "" {
		media := &huma.MediaType{}
		if strings.HasPrefix(r.Content, "text/") {
			media.Schema = &huma.Schema{Type: huma.TypeString}
		}
		responses["200"] = &huma.Response{Description: cmp.Or(r.Statuses[200], r.Summary),
			Content: map[string]*huma.MediaType{r.Content: media}}
	}
	return responses
}

// streamBody describes the media types of a route's streams.
func (s *Stack) streamBody(r *Route) *huma.RequestBody {
	if r.Stream == nil {
		return nil
	}
	body := &huma.RequestBody{Content: make(map[string]*huma.MediaType)}
	for mediaType, item := range r.Streams {
		body.Content[mediaType] = &huma.MediaType{Schema: SchemaOf(s.huma.OpenAPI(), item)}
	}
	return body
}

// complete takes note of the operation that huma made of the route's types: every status of success
// has the same body.
func (r *Route) complete(op *huma.Operation) {
	for _, p := range op.Parameters {
		if p.In == "query" && p.Schema.Type == huma.TypeArray {
			r.repeatable = map[string]bool{p.Name: true}
		}
	}
	success := op.Responses[strconv.Itoa(op.DefaultStatus)]
	for code := range r.Statuses {
		if response := op.Responses[strconv.Itoa(code)]; code < 400 && response.Content == nil {
			response.Content = success.Content
		}
	}
}

// pattern returns the route as audit records and net/http's ServeMux name it; empty for nil.
func (r *Route) pattern() string {
	if r == nil {
		return ""
	}
	return muxPattern(r.Method, r.Path)
}

func muxPattern(method, path string) string {
	if path == "/" {
		path = "/{$}"
	}
	return method + " " + path
}

// changes reports whether a request to the route is to change something.
func (r *Route) changes(req *http.Request) bool {
	return req.Method != http.MethodGet && req.Method != http.MethodHead && !r.isDryRun(req)
}

// isDryRun reads the parameter as huma reads it for the handler: net/http leaves out what is
// malformed, and a request could be a dry run for one of them only.
func (r *Route) isDryRun(req *http.Request) bool {
	return r.DryRun != RoleNone && queryparam.Get(req.URL.RawQuery, "dry_run") == "true"
}

// needs returns the role that a request needs. What does not exist needs a token too: without one
// nobody learns what does.
func (r *Route) needs(req *http.Request) Role {
	switch {
	case r == nil:
		return RoleViewer
	case r.isDryRun(req):
		return r.DryRun
	}
	return r.Role
}

// SchemaOf returns the schema of a value's type, by reference.
func SchemaOf(doc *huma.OpenAPI, v any) *huma.Schema {
	return doc.Components.Schemas.Schema(reflect.TypeOf(v), true, "")
}

// streams reports whether the body of a request may be a stream of items: it says that it is not JSON.
func (r *Route) streams(q *http.Request) bool {
	kind, _, _ := strings.Cut(q.Header.Get("Content-Type"), ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	return r.Stream != nil && kind != "" && kind != "application/json"
}
