package revision

import "github.com/weirnet/weir/api/client"

// Answer is an answer that is one item.
type Answer[T any] struct {
	Revision string `header:"Weir-Revision" doc:"The revision of the view that it was read at. Opaque."`
	Body     T
}

// NewAnswer returns an answer of one item, read at a revision.
func NewAnswer[T any](revision string, body T) *Answer[T] {
	return &Answer[T]{Revision: revision, Body: body}
}

// Page is an answer of one page.
type Page[T any] struct {
	Body client.Page[T]
}

// NoContent is an answer without a body.
type NoContent struct {
	Revision string `header:"Weir-Revision" doc:"The revision of the view that shows it. Opaque."`
}
