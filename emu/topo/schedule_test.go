package topo

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func TestSchedule(t *testing.T) {
	n := must(t, "linear:3")
	events, err := ParseSchedule([]byte(`
- {at: 9s, link: h1-s1, loss: 5%, rate: 1M}
- {at: 1s, link: s1-s2, up: false, way: back, delay: 3ms}
- {at: 2s, port: "s2:1", up: true}
- {at: 2s, switch: s3, down: true, stalled: false, slow: 20ms, lying: true}
- {at: 2500us, switch: all, slow: 0s}
- {at: 3s, control: s2, controller: "127.0.0.1:6653", up: false}
- {at: 4s, control: all, stalled: true, every: 5s, times: 3}
- {at: 5s, host: h1, ping: h3, count: 3, interval: 200ms, ipv6: true}
- {at: 6s, host: h2, udp: h1, rate: 1000, size: 200, pattern: poisson, dst_port: 5001, duration: 10s}
- {at: 7s, host: h2, tcp: h1, bytes: 1000000}
`), n)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, e := range events {
		fmt.Fprintf(&got, "%d %v %v %d %s\n", e.Line, e.At, e.Every, e.Times, show(e.Do))
	}
	const want = `6 2.5ms 0s 0 switch -1 down=- stalled=- slow=0s lying=-
3 1s 0s 0 link s1-s2 up=false way=2 delay=3ms loss=- rate=-
4 2s 0s 0 port {1 1} up=true
5 2s 0s 0 switch 2 down=true stalled=false slow=20ms lying=true
7 3s 0s 0 control 1 "127.0.0.1:6653" up=false stalled=-
8 4s 5s 3 control -1 "" up=- stalled=true
9 5s 0s 0 traffic 0 2 {ping true 3 200ms 0 0 0  0s 0s 0 0s}
10 6s 0s 0 traffic 1 0 {udp false 0 0s 200 5001 1000 poisson 0s 0s 0 10s}
11 7s 0s 0 traffic 1 0 {tcp false 0 0s 0 0 0  0s 0s 1000000 0s}
2 9s 0s 0 link h1-s1 up=- way=0 delay=- loss=0.05 rate=1000000
`
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}

func show(a Action) string {
	switch a := a.(type) {
	case LinkAction:
		return fmt.Sprintf("link %s up=%s way=%d delay=%s loss=%s rate=%s", a.Link, opt(a.Up), a.Way,
			opt(a.Change.Delay), opt(a.Change.Loss), opt(a.Change.RateBPS))
	case PortAction:
		return fmt.Sprintf("port %v up=%v", a.At, a.Up)
	case SwitchAction:
		return fmt.Sprintf("switch %d down=%s stalled=%s slow=%s lying=%s", a.Switch, opt(a.Down), opt(a.Stalled),
			opt(a.Slow), opt(a.Lying))
	case ControlAction:
		return fmt.Sprintf("control %d %q up=%s stalled=%s", a.Switch, a.Controller, opt(a.Up), opt(a.Stalled))
	case TrafficAction:
		return fmt.Sprintf("traffic %d %d %v", a.From, a.To, a.Traffic)
	}
	return "?"
}

func opt[T any](v *T) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprint(*v)
}

func TestScheduleOfAFile(t *testing.T) {
	n := example(t, "two-sites.yaml")
	if e := n.Schedule[4]; e.At != 15*time.Second || e.Every != 2*time.Second || e.Times != 3 || e.Line != 23 {
		t.Errorf("%+v", e)
	}
	file := t.TempDir() + "/events.yaml"
	if err := os.WriteFile(file, []byte("- {at: 1s}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadSchedule(file, n); err == nil || !strings.HasPrefix(err.Error(), file+":1: an event of nothing given") {
		t.Error(err)
	}
}

func TestBadSchedule(t *testing.T) {
	n := must(t, "linear:2")
	for text, want := range map[string]string{
		"at: 5s":                                        "1: schedule: a mapping given, want a list, such as `- {at: 5s, link: s1-s2, up: false}`",
		"- 5s":                                          `1: "5s" given, want an event, such as`,
		"- {at: 5s}":                                    "1: an event of nothing given, want one of link, port, switch, control, host",
		"- {at: 5s, lnk: s1-s2, up: false}":             `1: unknown field "lnk" given, want one of link, port, switch, control, host, such as`,
		"- {at: 5, lnk: s1-s2}":                         `1: at: "5" given, want a time with a unit`,
		"- {at: 5s, link: s1-s2}":                       "1: an event of a link given that does nothing, want one of up, delay",
		"- {link: s1-s2, up: true}":                     "1: an event without a time given, want at:",
		"- {at: 5, link: s1-s2, up: true}":              `1: at: "5" given, want a time with a unit`,
		"- {at: -5s, link: s1-s2, up: true}":            `1: at: "-5s" given`,
		"-\n  at: 5s\n  link: s1-s9\n  up: true":        `3: link: "s1-s9" given, want the id of a link of the network, such as s1-s2`,
		"- {at: 5s, link: s1-s2, up: yes}":              `1: up: "yes" given, want true or false`,
		"- {at: 5s, link: s1-s2, up: 1}":                `1: up: "1" given, want true or false`,
		"- {at: 5s, link: s1-s2, loss: 2}":              `1: loss: "2" given, want a share`,
		"- {at: 5s, link: s1-s2, way: up}":              `1: way: "up" given, want both, forward or back`,
		"- {at: 5s, link: s1-s2, down: true}":           `1: unknown field "down" given, want at, every, times, link, up`,
		"- {at: 5s, link: s1-s2, switch: s1}":           "1: link and switch given, want one of them in an event",
		"- {at: 5s, port: s1, up: true}":                `1: port: "s1" given, want a port of the network, such as s1:1`,
		"- {at: 5s, port: 's1:9', up: true}":            `1: port: "s1:9" given`,
		"- {at: 5s, switch: s9, down: true}":            `1: switch: "s9" given, want a switch of the network, such as s1`,
		"- {at: 5s, switch: s1, slow: fast}":            `1: slow: "fast" given, want a time with a unit`,
		"- {at: 5s, host: h1}":                          "an event of a host given that does nothing, want one of ping, udp, tcp",
		"- {at: 5s, host: h1, ping: h9}":                `1: ping: "h9" given, want a host`,
		"- {at: 5s, host: h1, ping: h2, udp: h2}":       "1: udp: given beside ping",
		"- {at: 5s, host: h1, udp: h2, rate: -1}":       `1: rate: "-1" given, want how many a second`,
		"- {at: 5s, host: h1, udp: h2, pattern: wild}":  `1: pattern: "wild" given, want constant, poisson or on-off`,
		"- {at: 5s, control: s1, times: 3, up: false}":  "1: times: given without every:",
		"- {at: 5s, control: s1, every: 0s, up: false}": `1: every: "0s" given, want a time from 1ms on`,
	} {
		_, err := ParseSchedule([]byte(text), n)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n   gives %v\n   want  %s", text, err, want)
		}
	}
}

func FuzzParseSchedule(f *testing.F) {
	n := must(f, "linear:3")
	f.Add([]byte("- {at: 1s, link: s1-s2, up: false}\n- {at: 2s, host: h1, ping: h2, count: 3}\n"))
	f.Add([]byte("- {at: 1s, switch: all, slow: 20ms, every: 1s, times: 4}\n- {at: 1s, control: s1, stalled: true}\n- {at: 1s, port: 's1:1', up: false}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		events, err := ParseSchedule(b, n)
		for i, e := range events {
			if err != nil || e.Do == nil || e.At < 0 || i > 0 && events[i-1].At > e.At {
				t.Errorf("%v: %+v", err, e)
			}
		}
	})
}
