package bench

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/bench/report"
)

func TestLongestGap(t *testing.T) {
	at := func(ms ...int) (list []time.Time) {
		for _, m := range ms {
			list = append(list, time.UnixMilli(int64(m)))
		}
		return list
	}
	for _, c := range []struct {
		answers []time.Time
		after   int
		want    int
	}{
		{at(), 0, 0},
		{at(5), 0, 0},
		{at(0, 900, 910, 1000), 905, 90}, // the longest ended before
		{at(910, 0, 900, 1000), 899, 900},
		{at(0, 10, 500), 500, 0},
	} {
		if got := longestGap(c.answers, time.UnixMilli(int64(c.after))); got != time.Duration(c.want)*time.Millisecond {
			t.Errorf("%v after %d: %v, want %d ms", c.answers, c.after, got, c.want)
		}
	}
}

// TestNoFailoverWithoutProof: what must not happen makes a run invalid, and only a late one is done again.
func TestNoFailoverWithoutProof(t *testing.T) {
	c := &Failover{}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		change func(k *failoverRun)
		want   error
	}{
		{func(*failoverRun) {}, nil},
		{func(k *failoverRun) { k.otherLost, k.refused = 3, 3 }, nil},
		{func(k *failoverRun) { k.lost = 1 }, report.ErrMisforwarded},
		{func(k *failoverRun) { k.stale = 1 }, report.ErrStale},
		{func(k *failoverRun) { k.missing = 1 }, report.ErrMissing},
		{func(k *failoverRun) { k.entries, k.entriesMissing = 10, 1 }, report.ErrMissing},
		{func(k *failoverRun) { k.tenantRestarts = 1 }, nil},
		{func(k *failoverRun) { k.sent = 0 }, report.ErrNothing},
		{func(k *failoverRun) { k.lateness, k.lost = time.Second, 1 }, report.ErrLate},
	} {
		k := &failoverRun{sent: 10, writes: 10, acceptedIntents: 10}
		x.change(k)
		if err := k.check(c); !errors.Is(err, x.want) || (err == nil) != (x.want == nil) {
			t.Errorf("%+v: %v, want %v", k, err, x.want)
		}
	}
}

func TestFailoverIsRefused(t *testing.T) {
	for want, c := range map[string]*Failover{
		"3 to 7":              {Instances: 2},
		"each once":           {Kill: []Victim{Owner, Owner}},
		"owner, leader":       {Kill: []Victim{"king"}},
		"four hosts":          {Topology: "linear:3"},
		"1 ms or more":        {Interval: time.Microsecond},
		"intents a second or": {Rate: maxOffered + 1},
		"from the beginning":  {Intents: -1},
	} {
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", c, err, want)
		}
	}
}
