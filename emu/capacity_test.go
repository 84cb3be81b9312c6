package emu

import (
	"reflect"
	"slices"
	"testing"
	"time"
)

// forwarded has the first host send frames of some sizes at once, in turn to each of the others, and
// returns for each of those after how many microseconds its own came. Switches flood.
func forwarded(t *testing.T, hosts, text string, sizes ...int) (after [][]int64, lost uint64) {
	t.Helper()
	n, now := acting(t, hosts, text)
	*now = time.Second
	others := n.Hosts()[1:]
	for i, size := range sizes {
		send(n.Hosts()[0], frameBetween(n.Hosts()[0], others[i%len(others)], size))
	}
	run(n, now, 2*time.Second)
	for _, h := range others {
		var list []int64
		for _, at := range stationOf(h).times {
			list = append(list, (at - time.Second).Microseconds())
		}
		after = append(after, list)
	}
	return after, n.Totals().Drops[LostToForwarding]
}

// TestForwardingHasARate lets frames leave one after the other, each in the time of its length, and
// loses those that would wait for longer than they may.
func TestForwardingHasARate(t *testing.T) {
	const text = `forwarding: {port: {points: [{frame: 100, rate: 8M}, {frame: 1100, rate: 8M}], wait: 2ms}}`
	for _, c := range []struct {
		sizes []int
		at    []int64
		lost  uint64
	}{
		{[]int{100}, []int64{100}, 0},
		{[]int{600, 100, 1100}, []int64{600, 700, 1800}, 0},
		{[]int{1000, 1000, 1000, 1000, 1000}, []int64{1000, 2000, 3000}, 2},
	} {
		got, lost := forwarded(t, "linear:1,hosts=2", text, c.sizes...)
		if !slices.Equal(got[0], c.at) || lost != c.lost {
			t.Errorf("%v bytes arrive after %v us, %d lost; want %v and %d", c.sizes, got, lost, c.at, c.lost)
		}
	}
}

// TestSwitchForwardsForAllPorts floods two frames to two hosts: each port sends its two copies one
// after the other, a switch all four.
func TestSwitchForwardsForAllPorts(t *testing.T) {
	for _, c := range []struct {
		text string
		want [][]int64
		lost uint64
	}{
		{`forwarding: {port: {points: [{frame: 1000, rate: 8M}], wait: 10ms}}`, [][]int64{{1000}, {2000}}, 0},
		{`forwarding: {switch: {points: [{frame: 1000, rate: 8M}], wait: 10ms}}`, [][]int64{{1000}, {4000}}, 0},
		{`forwarding: {switch: {points: [{frame: 1000, rate: 8M}]}}`, [][]int64{{1000}, nil}, 3},
	} {
		got, lost := forwarded(t, "linear:1,hosts=3", c.text, 1000, 1000)
		if !reflect.DeepEqual(got, c.want) || lost != c.lost {
			t.Errorf("%s: frames arrive after %v us, %d lost; want %v and %d", c.text, got, lost, c.want, c.lost)
		}
	}
}

// TestForwardingIsPartOfTheLatency has the longer of both times count.
func TestForwardingIsPartOfTheLatency(t *testing.T) {
	const rate = `forwarding: {port: {points: [{frame: 1000, rate: 8M}], wait: 10ms}}`
	for latency, want := range map[string][]int64{"1ms": {1000, 2000}, "6ms": {3000, 3000}} {
		text := "path_latency: {points: [{payload: 1, delay: " + latency + "}]}\n" + rate
		if got, _ := forwarded(t, "linear:1,hosts=2", text, 1000, 1000); !slices.Equal(got[0], want) {
			t.Errorf("with a latency of %s frames arrive after %v us, want %v", latency, got, want)
		}
	}
}
