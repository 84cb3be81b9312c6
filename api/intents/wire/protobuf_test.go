package wire

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/encoding/protodelim"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/client/intentpb"
	"github.com/weirnet/weir/intent/schema"
	"github.com/weirnet/weir/internal/schematest"
)

// TestFieldNumbers: the constants are the numbers of the file, and every field has one.
func TestFieldNumbers(t *testing.T) {
	file := schematest.File(t)
	for message, want := range map[protoreflect.Name]map[protoreflect.Name]protoreflect.FieldNumber{
		"Point":         {"dpid": intentpb.PointDPID, "port": intentpb.PointPort},
		"Host":          {"mac": intentpb.HostMAC, "vlan": intentpb.HostVLAN},
		"Hop":           {"dpid": intentpb.HopDPID, "in": intentpb.HopIn, "out": intentpb.HopOut},
		"Field":         {"name": intentpb.FieldName, "value": intentpb.FieldValue},
		"IntentRequest": requestNumbers(),
		"IntentAnswer": {"index": intentpb.AnswerIndex, "id": intentpb.AnswerID, "status": intentpb.AnswerStatus,
			"state":  intentpb.AnswerState,
			"detail": intentpb.AnswerDetail, "etag": intentpb.AnswerETag, "revision": intentpb.AnswerRevision},
	} {
		fields := file.Messages().ByName(message).Fields()
		if fields.Len() != len(want) {
			t.Errorf("%s has %d fields, and %d constants", message, fields.Len(), len(want))
		}
		for name, number := range want {
			if f := fields.ByName(name); f == nil || f.Number() != number {
				t.Errorf("%s.%s is not number %d", message, name, number)
			}
		}
	}
	for enum, names := range map[protoreflect.Name][]string{"Kind": schema.KindNames, "Op": schema.Rows[schema.Op].Values,
		"Status": intentpb.StatusNames, "State": intentpb.StateNames} {
		if n := file.Enums().ByName(enum).Values().Len(); n != len(names) {
			t.Errorf("enum %s has %d values, and %d names", enum, n, len(names))
		}
	}
}

// requestNumbers are the numbers of the table.
func requestNumbers() map[protoreflect.Name]protoreflect.FieldNumber {
	all := map[protoreflect.Name]protoreflect.FieldNumber{}
	for i := range schema.Rows {
		row := &schema.Rows[i]
		for _, n := range []int{row.Number, row.AlsoNumber} {
			if n > 0 {
				all[protoreflect.Name(row.NameOf(n))] = protoreflect.FieldNumber(n)
			}
		}
	}
	return all
}

// TestAgainstProtobuf: what the client writes, a real implementation reads, and writes again so
// that it is read the same; and what is answered is read by it.
func TestAgainstProtobuf(t *testing.T) {
	file := schematest.File(t)
	request, answer := file.Messages().ByName("IntentRequest"), file.Messages().ByName("IntentAnswer")
	r := rand.New(rand.NewPCG(2, 2))
	for range 2000 {
		q := randomRequest(r)
		framed, err := q.AppendMessage(nil)
		if err != nil {
			t.Fatal(err)
		}
		m := dynamicpb.NewMessage(request)
		if err := protodelim.UnmarshalFrom(bytes.NewReader(framed), m); err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
		if len(m.GetUnknown()) > 0 {
			t.Fatalf("%+v: unknown fields %x", q, m.GetUnknown())
		}
		again, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		message, _, _ := Delimited(framed)
		var a, b Batch
		a.Message(message, string(message))
		b.Message(again, string(again))
		if a.Slots[0].Request >= 0 && shown(&a) != shown(&b) || a.Slots[0].Request != b.Slots[0].Request {
			t.Fatalf("%+v: %s\nby the library: %s", q, shown(&a), shown(&b))
		}
	}
	for _, a := range []Answer{{}, {Index: 1 << 40, ID: "a", Status: 8, State: 8, Detail: "why", ETag: "e", Revision: "r"}} {
		m := dynamicpb.NewMessage(answer)
		framed := a.AppendMessage(nil)
		if err := protodelim.UnmarshalFrom(bytes.NewReader(framed), m); err != nil || len(m.GetUnknown()) > 0 {
			t.Fatalf("%+v: %v, unknown %x", a, err, m.GetUnknown())
		}
		get := func(name protoreflect.Name) protoreflect.Value { return m.Get(answer.Fields().ByName(name)) }
		if get("index").Uint() != a.Index || get("id").String() != a.ID ||
			get("status").Enum() != protoreflect.EnumNumber(a.Status) ||
			get("state").Enum() != protoreflect.EnumNumber(a.State) || get("detail").String() != a.Detail ||
			get("etag").String() != a.ETag || get("revision").String() != a.Revision {
			t.Errorf("%+v is read as %v", a, m)
		}
	}
}

// TestRefusedMessages: what is wrong with messages, and with streams of them.
func TestRefusedMessages(t *testing.T) {
	good, err := (&client.IntentRequest{ID: "a", Kind: "point-to-point",
		Src: client.PointEnds(client.Point{DPID: "1", Port: 1}),
		Dst: client.PointEnds(client.Point{DPID: "2", Port: 1})}).AppendMessage(nil)
	if err != nil {
		t.Fatal(err)
	}
	message, _, _ := Delimited(good)
	for _, c := range []struct {
		b    []byte
		want string
	}{
		{append(bytes.Clone(message), 0xa0, 0x06, 0), "field 100: a value given, want none: no such field is known or served"},
		{append(bytes.Clone(message), 0x70, 2),
			"wide: the number 2 given, want true or false, as in intents.proto"},
		{append(bytes.Clone(message), 0x18, 9),
			"kind: the number 9 given, want one of host-to-host, point-to-point, multipoint-to-point, point-to-multipoint, path, as in intents.proto"},
		{append(bytes.Clone(message), 0x12, 1, 0xff),
			"id: 1 bytes given, want text in UTF-8 of at most 128 bytes, as in intents.proto"},
		{append(bytes.Clone(message), 0x2a, 2, 0x18, 1),
			"src: 2 bytes given, want a host or connect points, as in intents.proto"},
		{append(bytes.Clone(message), 0x39, 0, 0, 0, 0, 0, 0, 0, 0),
			"src_host: a fixed64 given, want a host or connect points, as in intents.proto"},
		{append(append(bytes.Clone(message), 0x5a, 0x81, 0x04), make([]byte, 513)...),
			"selector_oxm: 513 bytes given, want at most 512"},
		{append(bytes.Clone(message), 0x0b),
			"message: field 1 of a form that is not known, or cut off given, want a message as in intents.proto"},
		{append(bytes.Clone(message), 0xff), "message: bytes that are no protobuf given, want a message as in intents.proto"},
		{message[:len(message)-1],
			"message: field 6 of a form that is not known, or cut off given, want a message as in intents.proto"},
		{append(bytes.Clone(message), 0x5a, 4, 0x80, 0, 0, 0),
			"selector.in_port: a value given, want none: the port that packets come in by is that of src, or of the first hop"},
		{append(bytes.Clone(message), 0x5a, 3, 1, 2, 3),
			"selector: 3 bytes that are no match field given, want OXM TLVs of OpenFlow 1.3"},
		{append(bytes.Clone(message), 0x5a, 12, 0x80, 0, 0x19, 8, 10, 0, 0, 3, 255, 0, 0, 0),
			"selector.ipv4_dst: a value with bits outside its mask given, want none there"},
		{append(bytes.Clone(message), 0x5a, 1, 1, 0x5a, 1, 1),
			"selector_oxm: a value beside another selector given, want one selector"},
	} {
		var b Batch
		b.Message(c.b, string(c.b))
		if got := shown(&b); got != c.want {
			t.Errorf("%x\n got %s\nwant %s", c.b, got, c.want)
		}
	}
	for n := range good {
		if m, size, err := Delimited(good[:n]); size != 0 || err != nil {
			t.Errorf("%d of %d bytes: %x, %v", n, len(good), m, err)
		}
	}
	if _, _, err := Delimited([]byte{0x81, 0x80, 0x04, 1}); err != ErrLong {
		t.Errorf("a message of 64 KiB + 1: %v", err)
	}
	if _, _, err := Delimited(bytes.Repeat([]byte{0xff}, 12)); err != ErrLength {
		t.Errorf("a length of 12 bytes: %v", err)
	}
}
