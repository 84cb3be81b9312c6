package netlab

import "testing"

func TestParsePing(t *testing.T) {
	for text, want := range map[string]Count{
		"5 packets transmitted, 5 received, 0% packet loss, time 81ms":                 {5, 5, 0},
		"3 packets transmitted, 3 received, +2 duplicates, 0% packet loss, time 41ms":  {3, 3, 2},
		"4 packets transmitted, 0 received, 100% packet loss, time 3061ms":             {4, 0, 0},
		"1 packets transmitted, 0 received, +1 errors, 100% packet loss, time 0ms\n\n": {1, 0, 0},
	} {
		if got, err := parsePing(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
	if _, err := parsePing("ping: unknown host"); err == nil {
		t.Error("no summary is no error")
	}
}
