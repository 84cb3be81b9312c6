package plan

import (
	"strings"
	"testing"
)

// Each firm kind is selected once; soft kinds, marks, and other domains are not selected at all.
func TestFirmSelectorsSelectTheFirmEntriesOnce(t *testing.T) {
	for k := Kind(0); k < 16; k++ {
		want := 1
		if k.Soft() || k == KindMark || strings.HasPrefix(k.String(), "reserved-") {
			want = 0
		}
		cookie := Cookie{Domain: 7, Kind: k, Owner: 0xffffffff, Version: 0xffff}
		foreign := Cookie{Domain: 8, Kind: k}
		got := 0
		for _, s := range FirmSelectors(7) {
			if s.Has(cookie.Encode()) {
				got++
			}
			if s.Has(foreign.Encode()) {
				t.Errorf("%v selects domain 8", s)
			}
		}
		if got != want {
			t.Errorf("kind %s is selected %d times, want %d", k, got, want)
		}
	}
}
