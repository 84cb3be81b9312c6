package profile

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/weirnet/weir/strictyaml"
)

const example = "`path_latency: {points: [{payload: 1500, delay: 200us}]}`"

// reader is a profile's file while it is read.
type reader struct {
	strictyaml.Document
	Profile
	lines map[string]int // of the parts
}

// Parse reads a profile as YAML; name is its name where the file gives none. The error is
// strictyaml.Problems.
func Parse(name string, b []byte) (Profile, error) {
	root, err := strictyaml.Open(b, strictyaml.MaxBytes)
	if err != nil {
		return Profile{}, err
	}
	r := &reader{Profile: Profile{Name: name}, lines: map[string]int{}}
	if r.checkFormat(root) {
		return Profile{}, r.Err()
	}
	r.begin(root)
	seen := r.Mapping(root, example, []strictyaml.Field{
		{Name: "format", Read: strictyaml.Text(func(string) error { return nil })}, // checkFormat has read it
		strictyaml.Into("name", &r.Name, parseName),
		strictyaml.Into("about", &r.About, parseAbout),
		{Name: "from", Read: strictyaml.Text(func(string) error { return nil })}, // begin has read it
		{Name: "measurement", Read: func(n *yaml.Node) error { r.readMeasurement(n); return nil }},
		r.part("flow_setup", r.readSetup),
		r.part("path_latency", func(n *yaml.Node) { r.readLatency(n, &r.PathLatency, true) }),
		r.part("load", r.readLoad),
		r.part("forwarding", r.readForwarding),
		r.part("install", r.readInstall),
		r.part("packet_in", func(n *yaml.Node) { r.readRate(n, &r.PacketIn) }),
		r.part("packet_out", func(n *yaml.Node) { r.readRate(n, &r.PacketOut) }),
		r.part("statistics", r.readStatistics),
		r.part("tables", r.readTables),
	})
	if !seen["name"] && root.Kind == yaml.MappingNode && r.Name == "" {
		r.Wrong(root, errors.New("a profile without a name given, want one, such as `name: my-switch`"))
	}
	if r.Found() == 0 {
		r.tidy()
		r.addLines(root, r.Check())
	}
	if err := r.Err(); err != nil {
		return Profile{}, err
	}
	return r.Profile, nil
}

// valueOf is the value of a field of a mapping, nil if there is none.
func valueOf(root *yaml.Node, name string) *yaml.Node {
	for i := 0; root.Kind == yaml.MappingNode && i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == name {
			return root.Content[i+1]
		}
	}
	return nil
}

// begin starts with the profile that the file names with from, whatever its place in the file.
func (r *reader) begin(root *yaml.Node) {
	value := valueOf(root, "from")
	if value == nil || value.Kind != yaml.ScalarNode {
		return
	}
	base, err := Named(value.Value)
	if err != nil {
		r.Wrong(value, fmt.Errorf("from: %w", err))
		return
	}
	name := r.Name
	r.Profile = base
	r.Name, r.About, r.Measurement = name, "", Measurement{}
}

// part is a field whose problems its reader tells.
func (r *reader) part(name string, read func(n *yaml.Node)) strictyaml.Field {
	return strictyaml.Field{Name: name, Read: func(n *yaml.Node) error {
		r.lines[name] = n.Line
		read(n)
		return strictyaml.ErrReported
	}}
}

// addLines gives each problem of a whole profile the line of its part.
func (r *reader) addLines(root *yaml.Node, err error) {
	all, ok := err.(interface{ Unwrap() []error })
	if !ok {
		r.Wrong(root, err)
		return
	}
	for _, one := range all.Unwrap() {
		line := root.Line
		if part, _, ok := strings.Cut(one.Error(), ":"); ok && r.lines[part] != 0 {
			line = r.lines[part]
		}
		r.Add(strictyaml.Problem{Line: line, Text: one.Error()})
	}
}

// tidy forgets the sources of parts that promise nothing: zeros were given.
func (r *reader) tidy() {
	if (r.Install == Install{Source: r.Install.Source}) {
		r.Install = Install{}
	}
	for _, way := range []*Rate{&r.PacketIn, &r.PacketOut} {
		if (*way == Rate{Source: way.Source}) {
			*way = Rate{}
		}
	}
	if (r.Statistics == Statistics{Source: r.Statistics.Source}) {
		r.Statistics = Statistics{}
	}
	if (r.Tables == Tables{Source: r.Tables.Source}) {
		r.Tables = Tables{}
	}
}

func parseName(s string) (string, error) {
	if s == "" || len(s) > MaxName || strings.ContainsFunc(s, func(c rune) bool {
		return c > unicode.MaxASCII || !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("._-", c)
	}) {
		return "", fmt.Errorf("%s given, want 1 to %d letters, digits, '.', '_' and '-', such as aruba-3810m",
			strictyaml.Quote(s), MaxName)
	}
	return s, nil
}

func parseAbout(s string) (string, error) {
	if len(s) > MaxAbout ||
		strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsPrint(c) || c == unicode.ReplacementChar }) {
		return "", fmt.Errorf("%s given, want up to %d bytes of printed text on one line", strictyaml.Quote(s), MaxAbout)
	}
	return s, nil
}

func parseSource(s string) (Source, error) {
	switch src := Source(s); src {
	case Measured, Paper, Assumed:
		return src, nil
	}
	return "", fmt.Errorf("%s given, want measured, paper or assumed", strictyaml.Quote(s))
}

var parseDelay = strictyaml.Time(MaxDelay)

var parsePayload = strictyaml.Number(1, MaxPayload, "1500")

// parsePerSecond reads a rate: "500", "10k".
func parsePerSecond(s string) (float64, error) {
	v, ok := strictyaml.Scaled(s)
	if !ok || !(v > 0 && v <= MaxPerSecond) {
		return 0, fmt.Errorf("%s given, want a number above 0 and up to %d, such as 500 or 10k; for no limit leave it out", strictyaml.Quote(s), MaxPerSecond)
	}
	return v, nil
}

// parseTimes reads a factor, from least on.
func parseTimes(least float64) func(s string) (float64, error) {
	return func(s string) (float64, error) {
		v, ok := strictyaml.Decimal(s)
		if !ok || !(v >= least && v > 0 && v <= MaxTimes) || math.IsNaN(v) {
			return 0, fmt.Errorf("%s given, want a factor from %v to %d, such as 2.5", strictyaml.Quote(s), least, MaxTimes)
		}
		return v, nil
	}
}

// Find is a profile by its name, or from a file that ends in .yaml or .yml; what is wrong in it is
// a strictyaml.FileError.
func Find(arg string) (Profile, error) {
	ext := filepath.Ext(arg)
	if ext != ".yaml" && ext != ".yml" {
		p, err := Named(arg)
		if err != nil {
			err = fmt.Errorf("%w, or a file that ends in .yaml", err)
		}
		return p, err
	}
	b, err := strictyaml.ReadFile(arg)
	if err != nil {
		return Profile{}, err
	}
	name, err := parseName(strings.TrimSuffix(filepath.Base(arg), ext))
	if err != nil {
		name = ""
	}
	p, err := Parse(name, b)
	return p, strictyaml.InFile(arg, err)
}
