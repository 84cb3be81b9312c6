package rest

import (
	"strings"
	"testing"
)

// TestHiddenTellsTheRest: what is no secret stays in the log.
func TestHiddenTellsTheRest(t *testing.T) {
	s := newGate(Access{Tokens: []Token{{Role: RoleViewer, Secret: "viewer-token-of-the-tests"}}})
	for _, c := range [][2]string{
		{s.hideQuery("kind=switch&object=s1", false), "kind=switch&object=s1"},
		{s.hideQuery("kind=switch&token=x", false), "kind=switch&token=…"},
		{s.hideQuery("kind=switch&object=s1", true), "kind=…&object=…"},
		{s.hidePath("/v1/nothing/s1", true), "/v1/nothing/s1"},
		{string(redactText([]byte(`{"token":"a b", "name":"token"}`))), `{"token":…, "name":"token"}`},
		{string(redactText([]byte("api: {auth: token, tls_key: x}"))), "api: {auth: token, tls_key: x}"},
		{string(redactText([]byte("file: weir_" + strings.Repeat("x-", 21) + "_, weir_data"))), "file: …, weir_data"},
		{redactUser("http://a:b@c"), "http://…@c"}, {redactUser("a:b@c"), "…@c"}, {redactUser("127.0.0.1:1"), "127.0.0.1:1"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}
