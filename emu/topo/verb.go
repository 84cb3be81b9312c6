package topo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weirnet/weir/strictyaml"
)

func (to *targets) linkVerb() verb {
	a := &LinkAction{}
	return verb{
		name: "link", example: to.linkExample(), needs: "up, delay, jitter, loss, rate, queue",
		target: func(s string) error {
			if a.Link = s; !to.links[s] {
				return fmt.Errorf("%s given, want the id of a link of the network%s", strictyaml.Quote(s), exampleText(to.aLink()))
			}
			return nil
		},
		fields: append([]strictyaml.Field{
			strictyaml.Maybe("up", &a.Up, parseBool),
			strictyaml.Into("way", &a.Way, ParseWay),
		}, a.Change.fields()...),
		action: func() Action { return *a },
	}
}

// ParseWay reads "both", "forward" or "back".
func ParseWay(s string) (Direction, error) {
	if i := slices.Index([]string{"both", "forward", "back"}, s); i >= 0 {
		return Direction(i), nil
	}
	return Both, fmt.Errorf("%s given, want both, forward or back", strictyaml.Quote(s))
}

func (to *targets) portVerb() verb {
	a := &PortAction{}
	return verb{
		name: "port", example: to.portExample(), needs: "up",
		target: into(&a.At, to.port),
		fields: []strictyaml.Field{strictyaml.Into("up", &a.Up, parseBool)},
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
		return End{}, fmt.Errorf("%s given, want a port of the network%s", strictyaml.Quote(s), exampleText(to.aPort(at)))
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
	return 0, fmt.Errorf("%s given, want a switch of the network, such as %s", strictyaml.Quote(s), to.Switches[0].Name)
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
		target: into(&a.Switch, to.oneOrAll),
		fields: []strictyaml.Field{
			strictyaml.Maybe("down", &a.Down, parseBool),
			strictyaml.Maybe("stalled", &a.Stalled, parseBool),
			strictyaml.Maybe("slow", &a.Slow, strictyaml.Time(MaxDelay)),
			strictyaml.Maybe("lying", &a.Lying, parseBool),
		},
		action: func() Action { return *a },
	}
}

func (to *targets) controlVerb() verb {
	a := &ControlAction{}
	return verb{
		name: "control", example: to.controlExample(), needs: "up, stalled",
		target: into(&a.Switch, to.oneOrAll),
		fields: []strictyaml.Field{
			strictyaml.Into("controller", &a.Controller, func(s string) (string, error) { return s, nil }),
			strictyaml.Maybe("up", &a.Up, parseBool),
			strictyaml.Maybe("stalled", &a.Stalled, parseBool),
		},
		action: func() Action { return *a },
	}
}

func (to *targets) hostVerb() verb {
	a := &TrafficAction{}
	t := &a.Traffic
	var fields []strictyaml.Field
	for _, kind := range []string{"ping", "udp", "tcp"} {
		fields = append(fields, strictyaml.Into(kind, &a.To, func(s string) (int, error) {
			if t.Kind != "" {
				return 0, fmt.Errorf("given beside %s, want one of ping, udp, tcp", t.Kind)
			}
			t.Kind = kind
			return to.host(s)
		}))
	}
	return verb{
		name: "host", example: to.hostExample(), needs: "ping, udp, tcp",
		target: into(&a.From, to.host),
		fields: append(fields, t.fields()...),
		action: func() Action { return *a },
	}
}

func (to *targets) host(s string) (int, error) {
	if i, ok := to.hosts[s]; ok {
		return i, nil
	}
	first, _ := to.twoHosts()
	return 0, fmt.Errorf("%s given, want a host of the network%s", strictyaml.Quote(s), exampleText(first))
}

func (t *Traffic) fields() []strictyaml.Field {
	return []strictyaml.Field{
		strictyaml.Into("ipv6", &t.IPv6, parseBool),
		strictyaml.Into("count", &t.Count, strictyaml.Number(1, 1_000_000_000, "10")),
		strictyaml.Into("interval", &t.Interval, parsePositive),
		strictyaml.Into("size", &t.Size, strictyaml.Number(1, 9000, "64")),
		strictyaml.Into("dst_port", &t.Port, strictyaml.Number[uint16](1, 65535, "5001")),
		strictyaml.Into("rate", &t.Rate, parseFrequency),
		strictyaml.Into("pattern", &t.Pattern, parsePattern),
		strictyaml.Into("on", &t.On, parsePositive),
		strictyaml.Into("off", &t.Off, parsePositive),
		strictyaml.Into("bytes", &t.Bytes, strictyaml.Number[uint64](1, 1<<50, "1000000")),
		strictyaml.Into("duration", &t.Duration, parsePositive),
	}
}

// parseFrequency reads how many a second, datagrams or bits: "100", "10M".
func parseFrequency(s string) (float64, error) {
	v, ok := strictyaml.Scaled(s)
	if !ok || v <= 0 || v > MaxRate {
		return 0, fmt.Errorf("%s given, want how many a second, such as 100 or 10M", strictyaml.Quote(s))
	}
	return v, nil
}

func parsePattern(s string) (string, error) {
	if !slices.Contains([]string{"constant", "poisson", "on-off"}, s) {
		return "", fmt.Errorf("%s given, want constant, poisson or on-off", strictyaml.Quote(s))
	}
	return s, nil
}
