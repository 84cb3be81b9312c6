package schema_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protodelim"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/intents/wire"
	"github.com/weirnet/weir/cli"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/intent/schema"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/internal/schematest"
)

// plain is a request with no more than it has to say.
func plain() client.IntentRequest {
	return client.IntentRequest{ID: "a", Kind: client.PointToPoint,
		Src:      client.PointEnds(client.Point{DPID: "0000000000000001", Port: 1}),
		Dst:      client.PointEnds(client.Point{DPID: "0000000000000002", Port: 2}),
		Selector: client.Selector{"ipv4_src": "10.0.0.1"}}
}

// with is a request with another value in one field than plain has. Fields of one value need no
// words here, and no others do if they are of a form that has been here before.
func with(t *testing.T, row *schema.Row) client.IntentRequest {
	q := plain()
	switch row.Field {
	case schema.Kind: // that has the same ends
		q.Kind = client.MultipointToPoint
		return q
	case schema.IfMatch: // create has none
		q.Op = client.OpPut
	}
	if row.OneValue() {
		schematest.Say(t, &q, row)
		return q
	}
	switch row.Field {
	case schema.Src:
		q.Src.Points[0].Port = 7
	case schema.Dst:
		q.Dst.Points[0].Port = 7
	case schema.Hops:
		q.Kind, q.Src, q.Dst = client.ExplicitPath, client.IntentEnds{}, client.IntentEnds{}
		q.Hops = []client.IntentHop{{DPID: "0000000000000001", In: 1, Out: 2}, {DPID: "0000000000000002", In: 3, Out: 4}}
	case schema.Selector:
		q.Selector = client.Selector{"ipv4_src": "10.0.0.7"}
	default:
		t.Fatalf("%s has a form of which this test knows no value: say one here", row.Name)
	}
	return q
}

// also is a request that has the second field of protobuf that a row has.
func also(t *testing.T, row *schema.Row) client.IntentRequest {
	q := plain()
	switch row.Form {
	case schema.Ends:
		q.Kind, q.Selector = client.HostToHost, nil
		q.Src, q.Dst = client.HostEnd("00:00:00:00:00:01/5"), client.HostEnd("00:00:00:00:00:02/5")
	case schema.Match:
		q.Selector, q.OXM = nil, []byte{0x80, 0, 0x08, 6, 0, 0, 0, 0, 0, 1} // eth_src
	default:
		t.Fatalf("%s has a second number, and this test does not know of which form", row.Name)
	}
	return q
}

// readOne is the one request that a batch has read.
func readOne(t *testing.T, form string, b *wire.Batch) intent.Request {
	t.Helper()
	if len(b.Requests) != 1 {
		t.Fatalf("%s is refused: %s", form, b.Slots[0].Reason)
	}
	return b.Requests[0]
}

func fromLine(t *testing.T, q *client.IntentRequest) intent.Request {
	t.Helper()
	line, err := q.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	var b wire.Batch
	wire.NewJSON().Line(&b, line, string(line), 1)
	return readOne(t, string(line), &b)
}

func fromMessage(t *testing.T, q *client.IntentRequest) (intent.Request, *dynamicpb.Message) {
	t.Helper()
	framed, err := q.AppendMessage(nil)
	if err != nil {
		t.Fatal(err)
	}
	message, _, err := wire.Delimited(framed)
	if err != nil {
		t.Fatal(err)
	}
	var b wire.Batch
	b.Message(message, string(message))
	m := dynamicpb.NewMessage(schematest.File(t).Messages().ByName("IntentRequest"))
	if err := protodelim.UnmarshalFrom(bytes.NewReader(framed), m); err != nil || len(m.GetUnknown()) > 0 {
		t.Fatalf("%x: %v, unknown %x", framed, err, m.GetUnknown())
	}
	return readOne(t, m.String(), &b), m
}

// TestFieldsAreEverywhere: each row has its place in every form that a request has, from the client
// to the store. A field that one of them leaves out fails here, and so does one without a row.
func TestFieldsAreEverywhere(t *testing.T) {
	base := plain()
	before := fromLine(t, &base)
	for i := range schema.Rows {
		row := &schema.Rows[i]
		if row.Unserved != "" {
			refused(t, row)
			continue
		}
		q := with(t, row)
		line := fromLine(t, &q)
		if reflect.DeepEqual(line, before) != (row.Field == schema.Wide) { // which means nothing
			t.Errorf("%s: a line that says it is read like one that does not", row.Name)
		}
		sent(t, row, &q)
		body(t, row, &q)
		message, m := fromMessage(t, &q)
		if !reflect.DeepEqual(message, line) {
			t.Errorf("%s: a line is read as\n%+v\nand a message as\n%+v", row.Name, line, message)
		}
		numbered(t, row, m, row.Number)
		if row.AlsoNumber > 0 {
			q := also(t, row)
			_, m := fromMessage(t, &q)
			numbered(t, row, m, row.AlsoNumber)
		}
		if row.Part == schema.Content && row.Field != schema.Wide {
			stored(t, row, &before.Spec, &line.Spec)
		}
	}
}

// refused wants a field without effect refused, and its empty value taken.
func refused(t *testing.T, row *schema.Row) {
	empty, value := `{}`, `{"x":1}`
	if row.Form == schema.Flag {
		empty, value = "false", "true"
	}
	base := plain()
	line, err := base.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{empty: "", value: row.Unserved} {
		said := string(line[:len(line)-1]) + "," + row.Begin + text + "}"
		var b wire.Batch
		wire.NewJSON().Line(&b, []byte(said), said, 1)
		if got := b.Slots[0].Reason; (got == "") != (want == "") || !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q, want %q", said, got, want)
		}
	}
}

// sent wants encoding/json and the client to say the same by the row's name.
func sent(t *testing.T, row *schema.Row, q *client.IntentRequest) {
	line, err := q.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	std, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	for who, text := range map[string][]byte{"the client": line, "encoding/json": std} {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(text, &members); err != nil || members[row.Name] == nil {
			t.Errorf("%s: %s does not write it: %s, %v", row.Name, who, text, err)
		}
		var again client.IntentRequest
		if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(again, *q) {
			t.Errorf("%s: %s writes %s, which is read back as %+v, %v", row.Name, who, text, again, err)
		}
	}
}

// body wants a field of the content in a body of one request, and no others.
func body(t *testing.T, row *schema.Row, q *client.IntentRequest) {
	one := *q
	if row.Part == schema.Content {
		one.Op = ""
	}
	text, err := one.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	var b wire.Batch
	_, err = wire.NewJSON().Body(&b, text, intent.Create, "")
	if taken := err == nil && len(b.Requests) == 1; taken != (row.Part == schema.Content) {
		t.Errorf("%s: taken: %t: %s, %v, %+v", row.Name, taken, text, err, b.Slots)
	}
}

// numbered wants a field of the message set that has a number of the row, and its name.
func numbered(t *testing.T, row *schema.Row, m *dynamicpb.Message, n int) {
	f := m.Descriptor().Fields().ByNumber(protoreflect.FieldNumber(n))
	if f == nil || string(f.Name()) != row.NameOf(n) || !m.Has(f) {
		t.Errorf("%s: field %d of intents.proto is %v, in message %v", row.Name, n, f, m)
	}
}

// stored wants the field in the durable bytes, and read back from them.
func stored(t *testing.T, row *schema.Row, before, s *spec.Spec) {
	form := s.Append(nil)
	if bytes.Equal(form, before.Append(nil)) {
		t.Errorf("%s: is not in the durable bytes %x", row.Name, form)
	}
	if read, err := spec.Parse(form); err != nil || !reflect.DeepEqual(read, *s) {
		t.Errorf("%s: %+v\nis read back as %+v, %v", row.Name, *s, read, err)
	}
	if read := spec.Read(string(form)); !reflect.DeepEqual(read, *s) {
		t.Errorf("%s: %+v\nis read back without a check as %+v", row.Name, *s, read)
	}
}

// TestNothingIsWithoutARow: message IntentRequest and the client's type have no field but the table's.
func TestNothingIsWithoutARow(t *testing.T) {
	fields := schematest.File(t).Messages().ByName("IntentRequest").Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if row := schema.Numbered(int(f.Number())); row == nil || row.NameOf(int(f.Number())) != string(f.Name()) {
			t.Errorf("field %s = %d of intents.proto has no row", f.Name(), f.Number())
		}
	}
	request := reflect.TypeFor[client.IntentRequest]()
	for i := range request.NumField() {
		name, _, _ := strings.Cut(request.Field(i).Tag.Get("json"), ",")
		if name != "-" && schema.Named(name) == nil {
			t.Errorf("field %s of client.IntentRequest has no row", request.Field(i).Name)
		}
	}
}

// TestDocument: the OpenAPI document has the fields of requests as the table has them, and those of
// the content in the answers about intents.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../../api/testdata/openapi.json") // a test of package api holds it to what is served
	if err != nil {
		t.Fatal(err)
	}
	type property struct {
		Description string
		Enum        []string
		Maximum     *float64
		MaxLength   int
	}
	var doc struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]property }
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	request, answer := doc.Components.Schemas["IntentRequest"].Properties, doc.Components.Schemas["Intent"].Properties
	for i := range schema.Rows {
		row := &schema.Rows[i]
		if row.Unserved != "" {
			continue
		}
		p, has := request[row.Name]
		delete(request, row.Name)
		if !has || p.Description != row.Doc || !slices.Equal(p.Enum, row.Names()) || p.MaxLength != row.MaxLength ||
			(p.Maximum != nil) != (row.Form == schema.Number) || p.Maximum != nil && *p.Maximum != float64(row.Max) {
			t.Errorf("%s of a request: %t, %+v", row.Name, has, p)
		}
		if _, has := answer[row.Name]; has != (row.Part == schema.Content) {
			t.Errorf("%s of an intent: %t", row.Name, has)
		}
	}
	if len(request) > 0 {
		t.Errorf("fields of requests without a row: %q", slices.Sorted(maps.Keys(request)))
	}
}

// TestCommandFlags: each row is said by a flag of weir intent add or replace, or by what these
// commands are.
func TestCommandFlags(t *testing.T) {
	help := map[string]string{}
	for _, command := range []string{"add", "replace"} {
		var out bytes.Buffer
		if code := cli.Main([]string{"intent", command, "--help"}, strings.NewReader(""), &out, io.Discard); code != 0 {
			t.Fatalf("weir intent %s --help: exit code %d", command, code)
		}
		help[command] = out.String()
	}
	for i := range schema.Rows {
		row := &schema.Rows[i]
		if row.Field == schema.Op || row.Field == schema.Kind || row.Unserved != "" {
			continue // op is the command, kind follows from its flags
		}
		if len(row.Flags) == 0 {
			t.Errorf("%s: no command can say it", row.Name)
		}
		for _, f := range row.Flags {
			for command, text := range help {
				has := strings.Contains(text, " --"+f.Name+" ") && strings.Contains(text, f.Usage)
				if want := f.Command == "" || f.Command == command; has != want {
					t.Errorf("%s: weir intent %s has --%s: %t, want %t", row.Name, command, f.Name, has, want)
				}
			}
		}
	}
}
