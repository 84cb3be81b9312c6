package wire

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/client/intentpb"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/intent/schema"
	"github.com/weirnet/weir/intent/spec"
)

// TestLines: what each line is taken for, or why it is refused.
func TestLines(t *testing.T) {
	const ends = `"src":{"dpid":"a1","port":3},"dst":{"dpid":"0xb2","port":4}`
	for _, c := range []struct{ line, want string }{
		{`{"id":"a","wide":true,"kind":"point-to-point",` + ends + `}`,
			"create a: point-to-point 00000000000000a1/3 -> 00000000000000b2/4 {} priority 100 wide"},
		{`{"op":"put","id":"a","if_match":"e","wide":true,"kind":"point-to-point","priority":0,` + ends +
			`,"selector":{"tcp_dst":80,"ipv4_src":"10.0.0.0/8"}}`,
			"put a e: point-to-point 00000000000000a1/3 -> 00000000000000b2/4 {eth_type=0x0800,ip_proto=6,ipv4_src=10.0.0.0/8,tcp_dst=80} priority 0 wide"},
		{`{"op":"withdraw","id":"a"}`, "withdraw a"},
		{` {"kind":"host-to-host","src":"00:00:00:00:00:01/5","dst":"00:00:00:00:00:02/5","constraints":{},"protected":false,"key":"k"} `, "create k: host-to-host 00:00:00:00:00:01/5 -> 00:00:00:00:00:02/5 {} priority 100"},
		{`{"wide":true,"kind":"path","hops":[{"dpid":"1","in":1,"out":2},{"dpid":"2","in":3,"out":4}]}`,
			"create : path 0000000000000001 1>2 -> 0000000000000002 3>4 {} priority 100 wide"},
		{`{"wide":true,"kind":"multipoint-to-point","src":[{"dpid":"2","port":1},{"dpid":"1","port":1}],"dst":[{"dpid":"3","port":1}]}`, "create : multipoint-to-point 0000000000000001/1, 0000000000000002/1 -> 0000000000000003/1 {} priority 100 wide"},
		{`{"id":"\u0061","wide":true,"kind":"point-to-point",` + ends + `}`,
			"create a: point-to-point 00000000000000a1/3 -> 00000000000000b2/4 {} priority 100 wide"},

		{``, "not JSON: it ends too early"},
		{`{`, "not JSON: it ends too early"},
		{`{"id":"a"} x`, "not JSON: invalid character 'x' at start of value"},
		{`{"id":"a"}{}`, "body: a second value given, want one JSON value"},
		{`[]`, "body: [] given, want an intent"},
		{`{"id":"a","id":"b"}`, `not JSON: duplicate object member name`},
		{`{"id":5}`, "id: 5 given, want a string"},
		{`{"kind":"ring"}`,
			`kind: "ring" given, want host-to-host, point-to-point, multipoint-to-point, point-to-multipoint, path`},
		{`{"kind":"point-to-point",` + ends + `,"selector":{"ipv4_dst":"10.0.0.3/8"}}`,
			`selector.ipv4_dst: "10.0.0.3/8", which has bits outside its mask, given, want 10.0.0.0/8 or 10.0.0.3/32`},
		{`{"kind":"point-to-point",` + ends + `,"selector":{"ipv6_dst":"2001:db8::1/32"}}`,
			`selector.ipv6_dst: "2001:db8::1/32", which has bits outside its mask, given, want 2001:db8::/32 or 2001:db8::1/128`},
		{`{"kind":"point-to-point",` + ends + `,"selector":{"eth_dst":"01:00:00:00:00:01/01:00:00:00:00:00"}}`,
			`selector.eth_dst: "01:00:00:00:00:01/01:00:00:00:00:00", which has bits outside its mask, given, want 01:00:00:00:00:00/01:00:00:00:00:00 or 01:00:00:00:00:01`},
		{`{"kind":"point-to-point",` + ends + `,"selector":{"vlan_vid":"0x164/0x0ff"}}`,
			`selector.vlan_vid: "0x164/0x0ff", which has bits outside its mask, given, want 0x0064/0x00ff or 0x164`},
		{`{"wide":true,"kind":"point-to-point",` + ends + `,"selector":{"ipv4_dst":"10.0.0.3/32","ipv4_src":"10.0.0.0/8"}}`,
			"create : point-to-point 00000000000000a1/3 -> 00000000000000b2/4 {eth_type=0x0800,ipv4_src=10.0.0.0/8,ipv4_dst=10.0.0.3} priority 100 wide"},
		{`{"wide":true,"kind":"point-to-point",` + ends + `,"selector":{"vlan_vid":"0x64/0x0ff"}}`,
			"create : point-to-point 00000000000000a1/3 -> 00000000000000b2/4 {vlan_vid=0x0064/0x00ff} priority 100 wide"},
		{`{"kind":"multipoint-to-point","src":[{"dpid":"1","port":1},{"dpid":"x","port":1}]}`,
			`src[1].dpid: "x" given, want up to 16 hexadecimal digits, such as 00000000000000a1`},
		{`{"kind":"multipoint-to-point","src":[{"dpid":"1","port":1},{"dpid":"1","port":1}],"dst":{"dpid":"2","port":1}}`,
			"src[1]: 0000000000000001/1, which src[0] is too, given, want each once"},
		{`{"kind":"path","hops":[{"dpid":"1","in":1,"out":2},{"dpid":"2","in":"1","out":2}]}`,
			`hops[1].in: "1" given, want a whole number from 0 to 4294967295`},
		{`{"colour":1}`, "colour: a field that is not known given, want one of " + schema.Known(schema.Request)},
		{`{"id":"a"}`,
			"kind: nothing given, want one of host-to-host, point-to-point, multipoint-to-point, point-to-multipoint, path"},
		{`{"kind":"point-to-point","priority":-1,` + ends + `}`, "priority: -1 given, want a whole number from 0 to 19999"},
		{`{"kind":"point-to-point","priority":1.5,` + ends + `}`, "priority: 1.5 given, want a whole number from 0 to 19999"},
		{`{"kind":"point-to-point","priority":20000,` + ends + `}`, "priority: 20000 given, want a whole number from 0 to 19999"},
		{`{"kind":"point-to-point","constraints":["fast"],` + ends + `}`,
			`constraints: ["fast"] given, want {} or none: constraints are not served yet`},
		{`{"kind":"point-to-point","constraints":{"bandwidth_mbps":5},` + ends + `}`,
			"constraints.bandwidth_mbps: a constraint given, want none: constraints are not served yet"},
		{`{"kind":"point-to-point","protected":true,` + ends + `}`,
			"protected: true given, want false: protection is not served yet"},
		{`{"kind":"point-to-point","src":{"dpid":"x","port":1}}`,
			`src.dpid: "x" given, want up to 16 hexadecimal digits, such as 00000000000000a1`},
		{`{"kind":"point-to-point","src":{"port":"1"}}`, `src.port: "1" given, want a whole number from 0 to 4294967295`},
		{`{"kind":"point-to-point","src":{"mac":"1"}}`, `src.mac: a field that is not known given, want one of dpid and port`},
		{`{"kind":"point-to-point","src":"s1/3"}`, `src: "s1/3" given, want ` + wantEnd},
		{`{"kind":"point-to-point","src":null}`, `src: null given, want ` + wantEnd},
		{`{"kind":"point-to-point",` + ends + `,"selector":{"in_port":1}}`,
			"selector.in_port: a value given, want none: the port that packets come in by is that of src, or of the first hop"},
		{`{"kind":"point-to-point",` + ends + `,"selector":{"tcp":1}}`,
			"selector.tcp: a field that is not known given, want a match field of OpenFlow 1.3, such as eth_type or ipv4_dst"},
		{`{"kind":"point-to-point",` + ends + `,"selector":{"ipv4_src":"10.0.0.300"}}`,
			`selector.ipv4_src: "10.0.0.300" given, want an address like 10.0.0.1 or 10.0.0.0/8`},
		{`{"kind":"point-to-point",` + ends + `,"selector":{"tcp_dst":70000}}`,
			`selector.tcp_dst: "70000" given, want at most 65535`},
		{`{"kind":"point-to-point",` + ends + `,"selector":[]}`,
			`selector: [] given, want match fields such as {"ipv4_dst":"10.0.0.1","tcp_dst":80}`},
		{`{"key":"` + strings.Repeat("k", 256) + `"}`, "key: 256 bytes given, want text in UTF-8 of at most 255 bytes"},
		{`{"op":"withdraw","id":"a","if_match":"` + strings.Repeat("e", 256) + `"}`,
			"if_match: 256 bytes given, want text in UTF-8 of at most 255 bytes"},
		{`{"op":"withdraw"}`, "id: nothing given, want the id of the intent to withdraw"},
		{`{"op":"withdraw","id":"a","kind":"path"}`, "kind: path given, want nothing but an id with op withdraw"},
		{`{"op":"merge"}`, `op: "merge" given, want create, put, withdraw`},
		{"{\"id\":\"\xff\"}", "not JSON: invalid UTF-8"},
		{strings.Repeat("[", 20000), "not JSON: exceeded max depth"},
		{`{"selector":` + strings.Repeat("[", 20000), "not JSON: exceeded max depth"},
	} {
		var b Batch
		NewJSON().Line(&b, []byte(c.line), c.line, 7)
		if got := shown(&b); got != c.want {
			t.Errorf("%.80s\n got %.200s\nwant %s", c.line, got, c.want)
		}
	}
}

// shown is a batch of one item in text.
func shown(b *Batch) string {
	if len(b.Slots) != 1 {
		return fmt.Sprintf("%d slots", len(b.Slots))
	}
	s := b.Slots[0]
	if s.Request < 0 {
		return s.Reason
	}
	r := b.Requests[s.Request]
	op := map[intent.Op]string{intent.Create: "create", intent.Replace: "put", intent.Withdraw: "withdraw"}[r.Op]
	if r.Op == intent.Withdraw {
		return op + " " + r.ID
	}
	text := r.Spec.String()
	id, rest, named := strings.Cut(text, ": ")
	if !named {
		id, rest = "", text
	}
	return strings.TrimSpace(op+" "+strings.TrimSpace(id+" "+r.IfMatch+r.Key)) + map[bool]string{true: ": ",
		false: " : "}[id+r.IfMatch+r.Key != ""] + rest
}

// TestBodies: one intent, or several; what is wrong with the whole has its line.
func TestBodies(t *testing.T) {
	const one = `{"wide":true,"kind":"point-to-point","src":{"dpid":"1","port":1},"dst":{"dpid":"2","port":2}}`
	for _, c := range []struct {
		body  string
		want  Document
		slots []string // what each is refused for; empty: taken
		err   string
	}{
		{one, Document{Single: true}, []string{""}, ""},
		{`{"items":[` + one + "," + one + `]}`, Document{}, []string{"", ""}, ""},
		{`{"items":[],"atomic":true}`, Document{Atomic: true}, nil, ""},
		{`{"atomic":true,"items":[` + one + `]}`, Document{Atomic: true}, []string{""}, ""},
		{"{\"items\":[\n" + one + ",\n{\"id\":7,\"selector\":{\"a\":[1,{}]}},\n" + one + "]}", Document{},
			[]string{"", "id: 7 given, want a string", ""}, ""},
		{`{"kind":"ring","x":[1,2,{"y":3}]}`, Document{Single: true}, []string{`kind: "ring" given`}, ""},
		{`{}`, Document{Single: true}, []string{"kind: nothing given"}, ""},
		{"{\"items\":[\n" + one + ",\n{\"id\":}]}", Document{}, nil, "line 3: not JSON: "},
		{"{\"items\":[\n" + one, Document{}, nil, "line 2: not JSON: it ends too early"},
		{one + one, Document{}, nil, "line 1: body: a second value"},
		{`{"items":{}}`, Document{}, nil, "line 1: items: {} given, want a list of intents"},
		{`{"items":[],"id":"a"}`, Document{}, nil, "fields of an intent beside items"},
		{`{"atomic":true}`, Document{}, nil, "atomic without items"},
		{`{"items":[{"op":"put"}]}`, Document{}, []string{"op: a field that is not known given"}, ""},
		{`"a"`, Document{Single: true}, []string{`body: "a" given, want an intent, or {"items":[…]}`}, ""},
		{``, Document{}, nil, "line 1: not JSON: it ends too early"},
	} {
		var b Batch
		doc, err := NewJSON().Body(&b, []byte(c.body), intent.Create, "")
		if c.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %s", c.body, err, c.err)
			}
			continue
		}
		if err != nil || doc != c.want || len(b.Slots) != len(c.slots) {
			t.Errorf("%s: %+v, %d slots, %v", c.body, doc, len(b.Slots), err)
			continue
		}
		for i, want := range c.slots {
			if got := b.Slots[i].Reason; want == "" && got != "" || !strings.HasPrefix(got, want) {
				t.Errorf("%s: item %d: %q, want %q", c.body, i, got, want)
			}
		}
	}
}

// randomRequest is a request that the client can say in both forms.
func randomRequest(r *rand.Rand) client.IntentRequest {
	point := func() client.Point {
		return client.Point{DPID: client.FormatDPID(r.Uint64N(5)), Port: uint32(r.IntN(4))}
	}
	q := client.IntentRequest{Op: []string{"", "create", "put", "withdraw"}[r.IntN(4)],
		ID: []string{"", "a", "b-7", "x/y"}[r.IntN(4)]}
	if q.Op == "withdraw" {
		return q
	}
	q.Kind, q.Wide = spec.KindNames()[r.IntN(5)], r.IntN(3) > 0
	if r.IntN(2) == 0 {
		p := uint16(r.IntN(21000))
		q.Priority = &p
	}
	switch q.Kind {
	case client.HostToHost:
		q.Src, q.Dst = client.HostEnd("00:00:00:00:00:0"+fmt.Sprint(r.IntN(3))), client.HostEnd("00:00:00:00:00:05")
		if r.IntN(2) == 0 {
			q.Src.Host, q.Dst.Host = q.Src.Host+"/7", q.Dst.Host+"/7"
		}
	case client.ExplicitPath:
		for range r.IntN(4) {
			q.Hops = append(q.Hops, client.IntentHop{DPID: client.FormatDPID(r.Uint64N(5)), In: uint32(r.IntN(3)),
				Out: uint32(3 + r.IntN(3))})
		}
	default:
		q.Src, q.Dst = client.PointEnds(point()), client.PointEnds(point(), point())
		if r.IntN(2) == 0 {
			q.Src, q.Dst = q.Dst, q.Src
		}
	}
	fields := [][2]string{{"tcp_dst", "80"}, {"ipv4_src", "10.0.0.0/8"}, {"eth_type", "0x86dd"}, {"vlan_vid", "5"},
		{"in_port", "3"}, {"nonsense", "1"}, {"udp_src", "x"}}
	for range r.IntN(3) {
		if q.Selector == nil {
			q.Selector = client.Selector{}
		}
		f := fields[r.IntN(len(fields))]
		q.Selector[f[0]] = f[1]
	}
	if q.Op == "put" && r.IntN(2) == 0 {
		q.IfMatch = "e1"
	}
	return q
}

// TestFormsAgree: a request means the same as a line that the client writes, as encoding/json
// writes it, and in protobuf.
func TestFormsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	taken := 0
	for range 3000 {
		q := randomRequest(r)
		own, err := q.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		std, err := json.Marshal(&q)
		if err != nil {
			t.Fatal(err)
		}
		framed, err := q.AppendMessage(nil)
		if err != nil {
			t.Fatal(err)
		}
		message, n, err := Delimited(framed)
		if err != nil || n != len(framed) {
			t.Fatalf("%s: delimited: %d of %d bytes, %v", own, n, len(framed), err)
		}
		var a, b, c Batch
		j := NewJSON()
		j.Line(&a, own, string(own), 1)
		j.Line(&b, std, string(std), 1)
		c.Message(message, string(message))
		if shown(&a) != shown(&b) && (a.Slots[0].Request >= 0 || b.Slots[0].Request >= 0) {
			t.Fatalf("%s: %s\n%s: %s", own, shown(&a), std, shown(&b))
		}
		same := shown(&a) == shown(&c)
		if a.Slots[0].Request < 0 { // several things may be wrong
			same = c.Slots[0].Request < 0
		} else {
			taken++
		}
		if !same {
			t.Fatalf("%s: %s\nin protobuf: %s", own, shown(&a), shown(&c))
		}
	}
	if taken < 300 {
		t.Errorf("%d requests were taken: too few to say anything", taken)
	}
}

// TestAnswers: the client reads what is written, in both forms.
func TestAnswers(t *testing.T) {
	for _, a := range []Answer{{}, {Index: 300, ID: "a", Status: 1, State: 4, ETag: "e", Revision: "e.i7"},
		{Index: 1, Line: 2, Status: 5, Detail: "tab\t \"quoted\" ü"}} {
		var fromJSON client.IntentAnswer
		if err := json.Unmarshal(a.AppendJSON(nil), &fromJSON); err != nil {
			t.Fatal(err)
		}
		want := client.IntentAnswer{Index: int(a.Index), Line: a.Line, ID: a.ID,
			Status: intentpb.StatusNames[a.Status], State: intentpb.StateNames[a.State], Detail: a.Detail,
			ETag: a.ETag, Revision: a.Revision}
		if !reflect.DeepEqual(fromJSON, want) {
			t.Errorf("%s is %+v, want %+v", a.AppendJSON(nil), fromJSON, want)
		}
	}
}

// TestNumbersAgree: the engine's states and statuses are those of the protobuf form.
func TestNumbersAgree(t *testing.T) {
	for i, name := range intentpb.StateNames {
		if i > 0 && intent.State(i).String() != name {
			t.Errorf("state %d is %s, and %s in protobuf", i, intent.State(i), name)
		}
	}
	for i, name := range intentpb.StatusNames {
		if i > 0 && i != intentpb.StatusFailed && intent.Status(i).String() != name {
			t.Errorf("status %d is %s, and %s in protobuf", i, intent.Status(i), name)
		}
	}
}

// TestLinesOfItems: an item is on the line that it begins on, whatever stands before it.
func TestLinesOfItems(t *testing.T) {
	item := func(id string) string {
		return `{"id":"` + id + `","kind":"host-to-host","src":"00:00:00:00:00:01","dst":"00:00:00:00:00:02"}`
	}
	var b Batch
	body := "{\"items\":[" + item("a") + "\n,\n " + item("b") + ",\n{\"id\":\"c\",\n\"kind\":\"none\"\n}\n\n,{\"colour\":1}\n]}"
	if _, err := NewJSON().Body(&b, []byte(body), intent.Create, ""); err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, s := range b.Slots {
		lines = append(lines, s.Line)
	}
	if want := []int{1, 3, 4, 8}; !slices.Equal(lines, want) {
		t.Errorf("items are on lines %d, want %d", lines, want)
	}
}
