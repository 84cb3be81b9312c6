package intents

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/client/intentpb"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/intent/schema"
)

// The types of this file describe the requests and answers that write.go reads and writes; of a
// request it is given the IntentOptions.

// IntentOptions are the parameters of requests that take intents.
type IntentOptions struct {
	Wait    string `query:"wait" enum:"installed" doc:"Answer when all is installed (200), has failed, or the time is over (202)."`
	Timeout string `query:"timeout" doc:"How long to wait: 5s if nothing is said."`
	DryRun  bool   `query:"dry_run" doc:"Not served yet: true is refused with 501, and no request is accepted."`
}

type createIntents struct {
	IntentOptions
	IdempotencyKey string `header:"Idempotency-Key" doc:"Makes a request without ids the same each time it is sent."`
	Body           oneOf[client.IntentRequest, client.IntentBatch]
}

type replaceIntent struct {
	ID string `path:"id"`
	IntentOptions
	IfMatch string `header:"If-Match" doc:"The etag that it must have; 412 if it has another."`
	Body    client.IntentRequest
}

type oneAnswer struct {
	Revision string `header:"Weir-Revision" doc:"Opaque."`
	ETag     string `header:"ETag" doc:"Of the content; If-Match takes it."`
	Body     client.IntentAnswer
}

type oneOrMoreAnswers struct {
	Revision string `header:"Weir-Revision" doc:"Opaque."`
	ETag     string `header:"ETag" doc:"Of the content of one; If-Match takes it."`
	Body     oneOf[client.IntentAnswer, client.IntentAnswers]
}

// oneOf is an A or a B.
type oneOf[A, B any] struct{}

// Schema implements huma.SchemaProvider.
func (oneOf[A, B]) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{r.Schema(reflect.TypeFor[A](), true, ""), r.Schema(reflect.TypeFor[B](), true, "")}}
}

// Describe says in the description of the interface what types do not: what client.IntentEnds reads and
// writes; what the table says of the fields of client.IntentRequest, and what they say into that of client.Intent, where that
// has no description of its own.
func Describe(doc *huma.OpenAPI) {
	point := rest.SchemaOf(doc, client.Point{})
	schemas := doc.Components.Schemas.Map()
	*schemas["IntentEnds"] = huma.Schema{
		Description: "A host's id; a connect point; or a list of connect points.",
		OneOf:       []*huma.Schema{{Type: huma.TypeString}, point, {Type: huma.TypeArray, Items: point}}}
	request, answer := schemas["IntentRequest"].Properties, schemas["Intent"].Properties
	for i := range schema.Rows {
		row := &schema.Rows[i]
		if row.Unserved != "" { // of the others a test wants those that have to be there
			continue
		}
		if p := request[row.Name]; p != nil {
			describeField(p, row)
		}
		if p := answer[row.Name]; p != nil && p.Description == "" {
			p.Description = row.Doc
		}
	}
}

func describeField(p *huma.Schema, row *schema.Row) {
	p.Description = row.Doc
	for _, name := range row.Names() {
		p.Enum = append(p.Enum, name)
	}
	if row.Form == schema.Number {
		most := float64(row.Max)
		p.Maximum = &most
	}
	if n := row.MaxLength; n > 0 {
		p.MaxLength = &n
	}
}

// protoFile shows the protobuf form of a stream.
func protoFile(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Write([]byte(intentpb.File))
}
