package api

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/client/intentpb"
)

// addIntents adds the routes of intents. Those that take JSON are not huma's: a body is read in one
// pass, strictly.
func (s *Server) addIntents() {
	get(s, "intents", intentsPath, "All intents, in the order of their numbers", s.intents)
	get(s, "intent", intentPath, "One intent", s.oneIntent)
	get(s, "intent-traffic", trafficPath,
		"What an intent's rules have counted where its packets come in: the switches are asked", s.intentTraffic)
	huma.Register(s.huma, huma.Operation{
		OperationID: "withdraw-intent", Method: http.MethodDelete, Path: intentPath, MaxBodyBytes: s.cfg.Limits.BodyBytes,
		Summary: "Withdraw an intent", DefaultStatus: http.StatusNoContent,
		Description: "Answered when it is durable. The intent vanishes when its rules are gone from the switches: 404 then, and its id is free. Again, or of an id that is not there: 204.",
	}, s.deleteIntent)
	huma.Register(s.huma, huma.Operation{
		OperationID: "withdraw-intents", Method: http.MethodPost, Path: withdrawPath, MaxBodyBytes: s.cfg.Limits.IntentBytes,
		Summary: "Withdraw several intents", DefaultStatus: http.StatusAccepted,
		Description: "Each has an answer of its own, in their order. Answered when they are durable.",
	}, s.withdrawIntents)
	s.router.HandleFunc("POST "+intentsPath, s.postIntents)
	s.router.HandleFunc("PUT "+intentPath, s.putIntent)
	s.router.HandleFunc("GET /intents.proto", s.protoFile)
}

// protoFile shows the protobuf form of a stream.
func (s *Server) protoFile(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Write([]byte(intentpb.File))
}

// documentIntents describes the routes that huma does not serve.
func (s *Server) documentIntents() {
	api := s.huma.OpenAPI()
	schema := func(v any) *huma.Schema {
		return api.Components.Schemas.Schema(reflect.TypeOf(v), true, "")
	}
	request, answer, answers, problem := schema(client.IntentRequest{}), schema(client.IntentAnswer{}),
		schema(client.IntentAnswers{}), schema(client.Problem{})
	batch := &huma.Schema{Type: huma.TypeObject, Required: []string{"items"}, Properties: map[string]*huma.Schema{
		"items":  {Type: huma.TypeArray, Items: request},
		"atomic": {Type: huma.TypeBoolean, Description: "All are taken, or none."},
	}}
	text := &huma.Schema{Type: huma.TypeString}
	query := func(name, doc string, of *huma.Schema) *huma.Param {
		return &huma.Param{Name: name, In: "query", Description: doc, Schema: of}
	}
	header := func(name, doc string) *huma.Param {
		return &huma.Param{Name: name, In: "header", Description: doc, Schema: text}
	}
	wait := []*huma.Param{
		query("wait", "Answer when all is installed (200), has failed, or the time is over (202).",
			&huma.Schema{Type: huma.TypeString, Enum: []any{"installed"}}),
		query("timeout", "How long to wait: 5s if nothing is said.", text),
		query("dry_run", "Not served yet: true is refused with 501, and nothing is taken.", &huma.Schema{Type: huma.TypeBoolean}),
	}
	answered := func(one ...*huma.Schema) map[string]*huma.Response {
		of := one[0]
		if len(one) > 1 {
			of = &huma.Schema{OneOf: one}
		}
		content := map[string]*huma.MediaType{"application/json": {Schema: of}}
		refused := map[string]*huma.MediaType{"application/problem+json": {Schema: problem}}
		return map[string]*huma.Response{
			"200": {Description: "Installed (?wait=installed); or the answers of a stream.", Content: content},
			"202": {Description: "Durable. Of several: each has a status of its own.", Content: content},
			"409": {Description: "The id has another content, or another intent has the same packets at the same place; the problem names it.", Content: refused},
			"422": {Description: "Refused: the field, what was given, what was expected.", Content: refused},
			"429": {Description: "Too much waits; Retry-After says when to try again. Nothing was taken.", Content: refused},
			"503": {Description: "The store cannot be written, or does not say whether it was; the problem says which.", Content: refused},
			"507": {Description: "The store is full. Nothing was taken.", Content: refused},
		}
	}
	api.AddOperation(&huma.Operation{OperationID: "create-intents", Method: http.MethodPost, Path: intentsPath,
		Summary: "Ask for intents: one, a batch, or a stream",
		Description: "One intent, or {\"items\":[…]}, in JSON; or, with Content-Type " + ndjson +
			", a stream of lines, or, with " + intentpb.ContentType +
			", of delimited IntentRequest messages (/intents.proto). A stream is answered in its own form, one answer for each request, in their order, while requests " +
			"still come; what is refused disturbs nothing else. Requests of a stream may create, put and withdraw (op).",
		Parameters: append(wait, header("Idempotency-Key", "Makes a request without ids the same each time it is sent.")),
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/json": {Schema: &huma.Schema{OneOf: []*huma.Schema{request, batch}}},
			ndjson:             {Schema: request}, intentpb.ContentType: {Schema: text}}},
		Responses: answered(answer, answers)})
	api.AddOperation(&huma.Operation{OperationID: "replace-intent", Method: http.MethodPut, Path: intentPath,
		Summary: "Give an intent another content, without loss; or make it",
		Parameters: append([]*huma.Param{{Name: "id", In: "path", Required: true, Schema: text},
			header("If-Match", "The etag that it must have; 412 if it has another.")}, wait...),
		RequestBody: &huma.RequestBody{Required: true,
			Content: map[string]*huma.MediaType{"application/json": {Schema: request}}},
		Responses: answered(answer)})
	point := schema(client.Point{})
	*api.Components.Schemas.Map()["IntentEnds"] = huma.Schema{
		Description: "A host's id; a connect point; or a list of connect points.",
		OneOf:       []*huma.Schema{text, point, {Type: huma.TypeArray, Items: point}}}
}
