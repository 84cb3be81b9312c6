package nic

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Config{
		"eth1":                         {Interface: "eth1"},
		"eth1,netns=h1":                {Interface: "eth1", Namespace: "h1"},
		"eth1,netns=/proc/1234/ns/net": {Interface: "eth1", Namespace: "/proc/1234/ns/net"},
	} {
		got, err := Parse(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"":                    `"" given, want INTERFACE[,netns=NAME]`,
		"a-name-of-too-many":  "given, want INTERFACE",
		"a/b":                 "given, want INTERFACE",
		"eth0,":               `"" given, want netns=`,
		"eth0,ns=h1":          `"ns=h1" given, want netns=`,
		"eth0,netns=":         `"netns=" given, want netns= and a name`,
		"eth0,netns=..":       "want netns= and a name",
		",netns=h1":           "given, want INTERFACE",
		"eth0=x,netns=h1":     "given, want INTERFACE",
		"two words,netns=one": "given, want INTERFACE",
	} {
		if c, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, want %q", text, c, err, want)
		}
	}
}

func TestParseStamps(t *testing.T) {
	for _, s := range []Stamps{Software, Hardware, Best} {
		if got, err := ParseStamps(s.String()); err != nil || got != s {
			t.Errorf("%v: %v, %v", s, got, err)
		}
	}
	if s, err := ParseStamps("sundial"); err == nil || !strings.Contains(err.Error(), "software, hardware, best") {
		t.Errorf("%v, %v", s, err)
	}
}
