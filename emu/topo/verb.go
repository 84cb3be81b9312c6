package topo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weirnet/weir/emu/strict"
)

func (to *targets) linkVerb() verb {
	a := &LinkAction{}
	return verb{
		name: "link", example: to.linkExample(), needs: "up, delay, jitter, loss, rate, queue",
		target: func(s string) error {
			if a.Link = s; !to.links[s] {
				return fmt.Errorf("%s given, want the id of a link of the network%s", strict.Quote(s), suchAs(to.aLink()))
			}
			return nil
		},
		fields: append([]field{
			{"up", strict.Maybe(&a.Up, parseBool)},
			{"way", strict.Into(&a.Way, ParseWay)},
		}, a.Change.fields()...),
		action: func() Action { return *a },
	}
}

// ParseWay reads "both", "forward" or "back".
func ParseWay(s string) (Way, error) {
	if i := slices.Index([]string{"both", "forward", "back"}, s); i >= 0 {
		return Way(i), nil
	}
	return Both, fmt.Errorf("%s given, want both, forward or back", strict.Quote(s))
}

func (to *targets) portVerb() verb {
	a := &PortAction{}
	return verb{
		name: "port", example: to.portExample(), needs: "up",
		target: func(s string) (err error) { a.At, err = to.port(s); return err },
		fields: []field{{"up", strict.Into(&a.Up, parseBool)}},
		action: func() Action { return *a },
	}
}

// port reads a port that there is: "s1:3".
func (to *targets) port(s string) (End, error) {
	name, number, _ := strings.Cut(s, ":")
	at, err := to.one(name)
	if err != nil {
		return End{}, err
	}
	n, err := strconv.ParseUint(number, 10, 32)
	e := End{at, uint32(n)}
	if err != nil || !to.hasPort(e) {
		return End{}, fmt.Errorf("%s given, want a port of the network%s", strict.Quote(s), suchAs(to.aPort(at)))
	}
	return e, nil
}

func (t *Topology) hasPort(e End) bool {
	return slices.ContainsFunc(t.Links, func(l Link) bool { return l.A == e || l.B == e }) ||
		slices.ContainsFunc(t.Hosts, func(h Host) bool { return h.At == e })
}

// one reads the name of a switch.
func (to *targets) one(s string) (int, error) {
	if i, ok := to.switches[s]; ok {
		return i, nil
	}
	return 0, fmt.Errorf("%s given, want a switch of the network, such as %s", strict.Quote(s), to.Switches[0].Name)
}

// oneOrAll reads the name of a switch, or "all".
func (to *targets) oneOrAll(s string) (int, error) {
	if s == "all" {
		return All, nil
	}
	return to.one(s)
}

func (to *targets) switchVerb() verb {
	a := &SwitchAction{}
	return verb{
		name: "switch", example: to.switchExample(), needs: "down, stalled, slow, lying",
		target: func(s string) (err error) { a.Switch, err = to.oneOrAll(s); return err },
		fields: []field{
			{"down", strict.Maybe(&a.Down, parseBool)},
			{"stalled", strict.Maybe(&a.Stalled, parseBool)},
			{"slow", strict.Maybe(&a.Slow, ParseSlow)},
			{"lying", strict.Maybe(&a.Lying, parseBool)},
		},
		action: func() Action { return *a },
	}
}

// ParseSlow reads by how much a switch is slower for each message; 0s is not slow.
func ParseSlow(s string) (time.Duration, error) { return strict.Time(s, MaxDelay) }

func (to *targets) controlVerb() verb {
	a := &ControlAction{}
	return verb{
		name: "control", example: to.controlExample(), needs: "up, stalled",
		target: func(s string) (err error) { a.Switch, err = to.oneOrAll(s); return err },
		fields: []field{
			{"controller", strict.Into(&a.Controller, func(s string) (string, error) { return s, nil })},
			{"up", strict.Maybe(&a.Up, parseBool)},
			{"stalled", strict.Maybe(&a.Stalled, parseBool)},
		},
		action: func() Action { return *a },
	}
}

func (to *targets) hostVerb() verb {
	a := &TrafficAction{}
	t := &a.Traffic
	var fields []field
	for _, kind := range []string{"ping", "udp", "tcp"} {
		fields = append(fields, field{kind, strict.Into(&a.To, func(s string) (int, error) {
			if t.Kind != "" {
				return 0, fmt.Errorf("given beside %s, want one of ping, udp, tcp", t.Kind)
			}
			t.Kind = kind
			return to.host(s)
		})})
	}
	return verb{
		name: "host", example: to.hostExample(), needs: "ping, udp, tcp",
		target: func(s string) (err error) { a.From, err = to.host(s); return err },
		fields: append(fields, t.fields()...),
		action: func() Action { return *a },
	}
}

func (to *targets) host(s string) (int, error) {
	if i, ok := to.hosts[s]; ok {
		return i, nil
	}
	first, _ := to.twoHosts()
	return 0, fmt.Errorf("%s given, want a host of the network%s", strict.Quote(s), suchAs(first))
}

func (t *Traffic) fields() []field {
	count := func(most int, example string) func(string) (int, error) {
		return func(s string) (int, error) { return strict.Number(s, 1, most, example) }
	}
	return []field{
		{"ipv6", strict.Into(&t.IPv6, parseBool)},
		{"count", strict.Into(&t.Count, count(1_000_000_000, "10"))},
		{"interval", strict.Into(&t.Interval, parsePositive)},
		{"size", strict.Into(&t.Size, count(9000, "64"))},
		{"dst_port", strict.Into(&t.Port, func(s string) (uint16, error) { v, err := strict.Number(s, 1, 65535, "5001"); return uint16(v), err })},
		{"rate", strict.Into(&t.Rate, parseFrequency)},
		{"pattern", strict.Into(&t.Pattern, parsePattern)},
		{"on", strict.Into(&t.On, parsePositive)},
		{"off", strict.Into(&t.Off, parsePositive)},
		{"bytes", strict.Into(&t.Bytes, func(s string) (uint64, error) { v, err := strict.Number(s, 1, 1<<50, "1000000"); return uint64(v), err })},
		{"duration", strict.Into(&t.Duration, parsePositive)},
	}
}

// parseFrequency reads how many a second, datagrams or bits: "100", "10M".
func parseFrequency(s string) (float64, error) {
	v, ok := strict.Scaled(s)
	if !ok || v <= 0 || v > MaxRate {
		return 0, fmt.Errorf("%s given, want how many a second, such as 100 or 10M", strict.Quote(s))
	}
	return v, nil
}

func parsePattern(s string) (string, error) {
	if !slices.Contains([]string{"constant", "poisson", "on-off"}, s) {
		return "", fmt.Errorf("%s given, want constant, poisson or on-off", strict.Quote(s))
	}
	return s, nil
}
