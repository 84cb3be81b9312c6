package client

import (
	"encoding/json"
	"testing"
	"time"
)

// FuzzAuditRecord: a record says what encoding/json has it say, whatever its strings are.
func FuzzAuditRecord(f *testing.F) {
	f.Add(int64(0), "", "", 0)
	f.Add(int64(1795387200123456789), "admin", `{"id":"p1","src":{"dpid":"1","port":2}}`, 202)
	f.Add(int64(-1), "a\\\"b\"", "two\nlines\x00\x7fé\xff \u2028 <b>&", -7)
	f.Fuzz(func(t *testing.T, ns int64, who, detail string, status int) {
		for _, r := range []AuditRecord{
			{Time: time.Unix(0, ns).UTC(), Who: who, Detail: detail, Status: status},
			{Time: time.Unix(0, ns).UTC(), ID: who, Role: detail, From: who, What: detail, Object: who, Result: detail},
		} {
			b, err := r.AppendJSON([]byte("before "))
			if err != nil || string(b[:7]) != "before " {
				t.Fatalf("%q, %v", b, err)
			}
			plain, err := json.Marshal(&r)
			if err != nil {
				t.Fatal(err)
			}
			var got, want AuditRecord
			if err := json.Unmarshal(b[7:], &got); err != nil {
				t.Fatalf("%q: %v", b[7:], err)
			}
			if err := json.Unmarshal(plain, &want); err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Fatalf("%s: %+v, want %+v", b[7:], got, want)
			}
		}
	})
}

// TestAuditRecordTime: a time that RFC 3339 cannot say is an error, as it is of encoding/json; and
// a record of a request allocates nothing.
func TestAuditRecordTime(t *testing.T) {
	r := AuditRecord{Time: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}
	if b, err := r.AppendJSON(nil); err == nil {
		t.Errorf("%s, want an error", b)
	}
	r = AuditRecord{Time: time.Unix(1795387200, 5).UTC(), Who: "admin", What: "POST /v1/intents",
		Detail: `{"id":"p1"}`, Status: 202}
	room := make([]byte, 0, 512)
	if n := testing.AllocsPerRun(100, func() { _, _ = r.AppendJSON(room) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
