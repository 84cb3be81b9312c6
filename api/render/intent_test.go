package render

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/intents/wire"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/intent/schema"
	"github.com/weirnet/weir/internal/schematest"
)

// TestContentIsShown: every field of an intent's content is in the answer about it as it was asked
// for.
func TestContentIsShown(t *testing.T) {
	shown := map[string]bool{}
	for _, q := range []client.IntentRequest{withValues(t, client.IntentRequest{ID: "a", Kind: client.PointToPoint,
		Src:      client.PointEnds(client.Point{DPID: "0000000000000001", Port: 1}),
		Dst:      client.PointEnds(client.Point{DPID: "0000000000000002", Port: 2}),
		Selector: client.Selector{"eth_type": "0x0800", "ipv4_dst": "10.0.0.1"}}), // so it is wide
		{ID: "b", Kind: client.ExplicitPath, Wide: true,
			Hops: []client.IntentHop{{DPID: "0000000000000001", In: 1, Out: 2}, {DPID: "0000000000000002", In: 3, Out: 4}}},
		{ID: "c", Kind: client.HostToHost, Src: client.HostEnd("00:00:00:00:00:01/5"),
			Dst: client.HostEnd("00:00:00:00:00:02/5")},
	} {
		line, err := q.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		var b wire.Batch
		wire.NewJSON().Line(&b, line, string(line), 1)
		if len(b.Requests) != 1 {
			t.Fatalf("%s: %s", line, b.Slots[0].Reason)
		}
		item, err := json.Marshal(Intent(&intent.Intent{Spec: b.Requests[0].Spec}))
		if err != nil {
			t.Fatal(err)
		}
		var asked, answered map[string]json.RawMessage
		if err := json.Unmarshal(line, &asked); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(item, &answered); err != nil {
			t.Fatal(err)
		}
		for name, value := range asked {
			shown[name] = true
			if !sameJSON(t, value, answered[name]) {
				t.Errorf("%s of %s is asked for as %s and shown as %s", name, q.ID, value, answered[name])
			}
		}
	}
	for i := range schema.Rows {
		if row := &schema.Rows[i]; row.Part == schema.Content && row.Unserved == "" && !shown[row.Name] {
			t.Errorf("%s: no request of this test says it: add one", row.Name)
		}
	}
}

// withValues gives each field of one value that q does not say another value than it has then.
func withValues(t *testing.T, q client.IntentRequest) client.IntentRequest {
	t.Helper()
	for _, row := range schema.ContentValues {
		if row.Field == schema.ID || row.Field == schema.Kind {
			continue
		}
		schematest.Say(t, &q, row)
	}
	return q
}

// sameJSON reports whether two values are the same but for the order of members.
func sameJSON(t *testing.T, a, b json.RawMessage) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatal(err)
	}
	if json.Unmarshal(b, &y) != nil {
		return false
	}
	return reflect.DeepEqual(x, y)
}
