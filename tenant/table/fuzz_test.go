package table

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/weirnet/weir/api/client"
)

// FuzzRecord: what is read as a record reads the same when it is written, and is a definition that passes.
func FuzzRecord(f *testing.F) {
	for _, q := range []client.TenantDefinition{shape("blue", 7), {Name: "blue", Ports: []string{"1/2", "3/*"}}} {
		q.Number = 3
		value, err := (&record{TenantDefinition: q, ID: strings.Repeat("0a", idBytes), Created: noon, By: "anna"}).encode()
		if err != nil {
			f.Fatal(err)
		}
		_, body, _ := bytes.Cut(value, []byte("\n"))
		f.Add("blue", value, true)
		f.Add("blue", body, false)
	}
	for _, body := range []string{"", "{}", "null", `{"name":"blue","number":1,"ports":["*"],"limit":1}`, `{"name":"blue"} x`} {
		f.Add("blue", []byte(body), false)
	}
	f.Fuzz(func(t *testing.T, name string, value []byte, whole bool) {
		if !whole { // with the head that fits it
			value = headed(recordHead, value)
		}
		r, err := decodeRecord(name, value)
		if err != nil {
			return
		}
		if err := r.def.Check(); err != nil || r.def.Name != name {
			t.Fatalf("%q is read as %+v: %v", value, r.def, err)
		}
		if r.Created.Year() < 0 || r.Created.Year() > 9999 { // JSON has none of these
			return
		}
		again, err := r.encode()
		if err != nil {
			t.Fatal(err)
		}
		if len(again) > maxRecord { // some characters are longer as they are written
			return
		}
		q, err := decodeRecord(name, again)
		if err != nil || !reflect.DeepEqual(q.def, r.def) || q.ID != r.ID || !q.Created.Equal(r.Created) || q.etag() != r.etag() {
			t.Fatalf("%q: %v, %+v, want %+v", value, err, q, r)
		}
	})
}

// FuzzDefinition: what Parse takes, Format writes so that it is read as the same.
func FuzzDefinition(f *testing.F) {
	for _, text := range []string{
		`{"name":"blue","ports":["0000000000000001/1","2/*"],"space":[{"priority":10,"match":{"vlan_vid":100}}]}`,
		`{"name":"blue","ports":["*"],"space":[{"priority":1,"match":{"ipv4_dst":"10.0.0.0/8","tcp_dst":"80"}}]}`,
		`{"name":"blue","ports":["*"],"space":[{"priority":1,"match":{"ipv4_dst":"10.0.0.5-10.0.0.9","tcp_dst":"0x50-90"}}]}`,
		`{"name":"blue","ports":["*"],"space":[{"priority":1,"match":{"vlan_vid":"100-199"}},{"priority":1,"match":{"tcp_dst":"5-5"}}]}`,
		`{"name":"blue","ports":["*"],"space":[{"read_only":true,"match":{"vlan_vid":"7"}},{"read_only":true,"match":{"tcp_dst":"5-9"}}]}`,
		`{"name":"b","number":9,"ports":["a:1/7"],"controllers":["tcp:127.0.0.1:6653","ssl:[2001:db8::1]:6653"]}`,
		`{"name":"b","ports":["1/4294967295"],"space":[{"priority":1,"match":{"vlan_vid":"any","vlan_pcp":"3"}},{}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var q client.TenantDefinition
		if json.Unmarshal(text, &q) != nil {
			return
		}
		d, err := Parse(&q)
		if err != nil {
			return
		}
		shape := Format(d)
		b, err := json.Marshal(&shape)
		if err != nil {
			t.Fatal(err)
		}
		var read client.TenantDefinition
		if err := json.Unmarshal(b, &read); err != nil {
			t.Fatal(err)
		}
		again, err := Parse(&read)
		if err != nil || !reflect.DeepEqual(again, d) {
			t.Fatalf("%s is read as %+v, want %+v: %v", b, again, d, err)
		}
	})
}

// FuzzNumbers: numbers that are read are each of one tenant, or free.
func FuzzNumbers(f *testing.F) {
	for _, body := range []string{`{"taken":{"a":1,"b":2},"freed":[3,9]}`, `{"taken":{"a":1,"b":1}}`, `{"freed":[1024]}`, `{}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		n, err := decodeNumbers(headed(numbersHead, body))
		if err != nil {
			return
		}
		n = n.clone()
		free := len(n.Freed)
		if number, err := n.assign("the new one", 0); err == nil && (number == 0 || number > 1023) {
			t.Fatalf("%s: %d", body, number)
		}
		for name := range n.clone().Taken {
			n.free(name)
		}
		if len(n.Taken) > 0 || len(n.Freed) < free {
			t.Fatalf("%s: %+v", body, n)
		}
		text, err := encode(numbersHead, n)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := decodeNumbers(text); err != nil || !reflect.DeepEqual(again.Freed, n.Freed) {
			t.Fatalf("%s: %+v, %v", body, again, err)
		}
	})
}
