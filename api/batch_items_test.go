package api

import (
	"runtime"
	"strings"
	"testing"
)

// TestBatchItems: a body with more items than it may have is refused whole, while it is read: it
// costs little more than its bytes.
func TestBatchItems(t *testing.T) {
	const most, given = 1000, 1 << 20
	told := ""
	f := newSmall(t, func(c *Config) {
		c.Intents = newWishes(t, c.View)
		c.Limits.BatchItems = most
		c.LimitReached = func(field, _ string) { told = field }
	})
	for path, item := range map[string]string{"/v1/intents": "{}", "/v1/intents/withdraw": `"x"`} {
		name := map[string]string{"/v1/intents": "items", "/v1/intents/withdraw": "ids"}[path]
		body := func(n int) string { return `{"` + name + `":[` + strings.Repeat(item+",", n-1) + item + `]}` }
		if code := f.post("POST", path, body(most)).Code; code != 202 {
			t.Errorf("%s: %d items: %d", path, most, code)
		}
		if code := f.post("POST", path, body(most+1)).Code; code != 413 {
			t.Errorf("%s: %d items: %d, want 413", path, most+1, code)
		}
		long := body(given)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		code := f.post("POST", path, long).Code
		runtime.ReadMemStats(&after)
		if spent := after.TotalAlloc - before.TotalAlloc; code != 413 || spent > uint64(16*len(long)) {
			t.Errorf("%s: %d items: %d, %d bytes allocated for %d", path, given, code, spent, len(long))
		}
	}
	if text := f.get("/metrics").Body.String(); told != "limits.batch_items" ||
		!strings.Contains(text, `weir_api_limited_total{limit="batch_items"} 4`) {
		t.Errorf("told of %q, not counted: %s", told, text)
	}
}
