package schematest

import (
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/client/intentpb"
	"github.com/weirnet/weir/intent/schema"
)

// File is intents.proto as a protobuf compiler reads it.
func File(t *testing.T) protoreflect.FileDescriptor {
	t.Helper()
	c := protocompile.Compiler{Resolver: &protocompile.SourceResolver{
		Accessor: protocompile.SourceAccessorFromMap(map[string]string{"intents.proto": intentpb.File})}}
	files, err := c.Compile(t.Context(), "intents.proto")
	if err != nil {
		t.Fatal(err)
	}
	return files[0]
}

// Say gives a field of one value another value than a request has that does not say it.
func Say(t *testing.T, q *client.IntentRequest, row *schema.Row) {
	t.Helper()
	text := map[schema.Form]string{schema.Text: "value", schema.Number: "7", schema.Flag: "true"}[row.Form]
	if row.Form == schema.Enum {
		text = row.Names()[1]
	}
	if err := q.SetText(row, text); err != nil {
		t.Fatalf("%s=%s: %v", row.Name, text, err)
	}
}
