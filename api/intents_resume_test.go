package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/revision"
)

// TestIntentEventsGoOn: every event of intents has an id, and who comes with it gets what came
// after, and nothing twice: also within one revision.
func TestIntentEventsGoOn(t *testing.T) {
	s, _ := newSmallWith(t)
	server := httptest.NewServer(openTo(s))
	defer server.Close()
	c, err := client.New(client.Config{Address: server.URL, Token: operatorToken})
	if err != nil {
		t.Fatal(err)
	}
	before := answerOf[client.Page[client.Intent]](t, s.get("/v1/intents"), 200).Revision
	const many = 5
	var items []string
	for i := range many {
		items = append(items, fmt.Sprintf(`{"id":"a%d",%s,"priority":%d}`, i, across, i))
	}
	body := `{"atomic":true,"items":[` + strings.Join(items, ",") + `]}`
	answerOf[client.IntentAnswers](t, s.post("POST", "/v1/intents?wait=installed&timeout=20s", body), 200)
	errEnough := errors.New("enough")
	listen := func(after string) (list []string) {
		t.Helper()
		if err := c.Watch(t.Context(), client.Watch{After: after, Kinds: []string{"intents"}}, func(e client.Event) error {
			var in client.Intent
			if err := json.Unmarshal(e.Data, &in); err != nil {
				return err
			}
			if e.ID == "" || e.Kind != "intent" {
				t.Fatalf("event %q of %s has id %q", e.Kind, e.Data, e.ID)
			}
			list = append(list, e.ID+" "+in.ID+" "+in.State)
			if in.ID == "a4" && in.State == "installed" {
				return errEnough
			}
			return nil
		}); err != errEnough {
			t.Fatal(err)
		}
		return list
	}
	all := listen(before)
	ids := map[string]bool{}
	for i, event := range all {
		id, _, _ := strings.Cut(event, " ")
		if ids[id] {
			t.Errorf("two events of id %s", id)
		}
		ids[id] = true
		if i+1 == len(all) {
			break
		}
		if rest := listen(id); !slices.Equal(rest, all[i+1:]) {
			t.Errorf("after %s:\n got %s\nwant %s", event, rest, all[i+1:])
		}
	}
	if len(all) <= many || !strings.Contains(fmt.Sprint(all), "-4 ") {
		t.Errorf("%d events, none of them the fourth of a revision of several: %s", len(all), all)
	}
	for _, wrong := range []string{"e.1.i5-", "e.1.i5-0", "e.1.i5-x", "e.1.i-3"} {
		if _, err := revision.Run("e").Parse(wrong); err == nil {
			t.Errorf("%s is taken for a position", wrong)
		}
	}
}
