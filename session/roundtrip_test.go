package session

import (
	"testing"
	"time"
)

func TestTheLeastRoundTripIsOfTheLastEight(t *testing.T) {
	var past roundTrips
	if past.shortest() != 0 {
		t.Errorf("%s before the first", past.shortest())
	}
	for i, c := range []struct{ trip, least time.Duration }{
		{5, 5}, {7, 5}, {3, 3}, {9, 3}, {9, 3}, {9, 3}, {9, 3}, {9, 3}, {9, 3}, {9, 3}, {9, 9}, {4, 4},
	} {
		if past.add(c.trip); past.shortest() != c.least {
			t.Errorf("after %d the least is %d, want %d", i+1, past.shortest(), c.least)
		}
	}
}
