package profile

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Part is one thing that a profile promises.
type Part struct {
	Name   string // as in a file: "flow_setup"
	Text   string // as a file has it, without the source: "{points: [{payload: 56, delay: 280ms}], p90: 1.2}"
	Source Source
}

// Parts are what a profile promises, in a fixed order; an ideal one promises nothing.
func (p *Profile) Parts() []Part {
	var parts []Part
	add := func(name string, source Source, fields ...string) {
		var given []string
		for _, f := range fields {
			if f != "" {
				given = append(given, f)
			}
		}
		if len(given) > 0 {
			parts = append(parts, Part{name, "{" + strings.Join(given, ", ") + "}", source})
		}
	}
	if len(p.FlowSetup.Points) > 0 {
		add("flow_setup", p.FlowSetup.Source, append(p.FlowSetup.fields(), duration("controller", p.FlowSetup.Controller))...)
	}
	if len(p.PathLatency.Points) > 0 {
		add("path_latency", p.PathLatency.Source, p.PathLatency.fields()...)
	}
	add("load", p.Load.Source, p.Load.fields()...)
	add("forwarding", p.Forwarding.Source, p.Forwarding.fields()...)
	add("install", p.Install.Source, number("per_second", p.Install.PerSecond),
		number("batch", float64(p.Install.Batch)), duration("delay", p.Install.Delay))
	add("packet_in", p.PacketIn.Source, number("per_second", p.PacketIn.PerSecond), number("queue", float64(p.PacketIn.Queue)))
	add("packet_out", p.PacketOut.Source, number("per_second", p.PacketOut.PerSecond),
		number("queue", float64(p.PacketOut.Queue)))
	add("statistics", p.Statistics.Source, duration("delay", p.Statistics.Delay), duration("entry", p.Statistics.Entry))
	var tables []string
	for _, f := range p.Tables.fields() {
		tables = append(tables, number(f.name, float64(*f.to)))
	}
	add("tables", p.Tables.Source, tables...)
	return parts
}

// YAML is the profile as a file that Parse reads again.
func (p *Profile) YAML() string {
	b := new(strings.Builder)
	fmt.Fprintf(b, "format: %d\n", Format)
	if p.Name != "" {
		fmt.Fprintf(b, "name: %q\n", p.Name)
	}
	if p.About != "" {
		fmt.Fprintf(b, "about: %q\n", p.About)
	}
	b.WriteString(p.Measurement.text())
	for _, part := range p.Parts() {
		fmt.Fprintf(b, "%s: %s, source: %s}\n", part.Name, strings.TrimSuffix(part.Text, "}"), part.Source)
	}
	return b.String()
}

// Guessed are the names of the parts that are assumed: whoever shows a result says so with it.
func (p *Profile) Guessed() []string {
	names := []string{}
	for _, part := range p.Parts() {
		if part.Source == Assumed {
			names = append(names, part.Name)
		}
	}
	return names
}

func (l *Latency) fields() []string {
	fields := []string{"points: " + curve(l.Points), number("p90", l.P90)}
	if len(l.Devices) > 0 {
		fields = append(fields, "devices: "+curve(l.Devices))
	}
	return fields
}

func curve(list []Point) string {
	points := make([]string, len(list))
	for i, p := range list {
		points[i] = fmt.Sprintf("{payload: %d, delay: %v}", p.Payload, p.Delay)
	}
	return "[" + strings.Join(points, ", ") + "]"
}

func (l *Load) fields() []string {
	if len(l.Points) == 0 {
		return nil
	}
	points := make([]string, len(l.Points))
	for i, p := range l.Points {
		points[i] = fmt.Sprintf("{rate: %d, times: %s%s", p.RateBPS, decimal(p.Times), p.sizes())
		if len(p.Devices) > 0 {
			points[i] += ", devices: " + curve(p.Devices)
		}
		points[i] += "}"
	}
	fields := []string{"points: [" + strings.Join(points, ", ") + "]"}
	if l.Switch {
		return append([]string{"of: " + ofSwitch}, fields...)
	}
	return fields
}

// sizes are the factors of a point at payloads, as they follow its other fields.
func (p *LoadPoint) sizes() string {
	var list []string
	for _, f := range p.Sizes {
		list = append(list, fmt.Sprintf("{payload: %d, times: %s}", f.Payload, decimal(f.Times)))
	}
	if len(list) == 0 {
		return ""
	}
	return ", sizes: [" + strings.Join(list, ", ") + "]"
}

// decimal writes a number without exponent.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// number is a field that is not 0.
func number(name string, v float64) string {
	if v == 0 {
		return ""
	}
	return name + ": " + decimal(v)
}

func duration(name string, d time.Duration) string {
	if d == 0 {
		return ""
	}
	return name + ": " + d.String()
}
