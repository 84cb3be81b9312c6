package profile

import (
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/weirnet/weir/strictyaml"
)

// Measurement is how figures were taken: so that they can be taken again.
type Measurement struct {
	Date    string // "2026-11-23"
	Machine string // what measured, and where
	Command string
}

// text is the line of a file; empty of the zero value.
func (m *Measurement) text() string {
	var fields []string
	for _, f := range [][2]string{{"date", m.Date}, {"machine", m.Machine}, {"command", m.Command}} {
		if f[1] != "" {
			fields = append(fields, fmt.Sprintf("%s: %q", f[0], f[1]))
		}
	}
	if len(fields) == 0 {
		return ""
	}
	return "measurement: {" + strings.Join(fields, ", ") + "}\n"
}

// readMeasurement reads how figures were taken.
func (r *reader) readMeasurement(n *yaml.Node) {
	m := &r.Measurement
	*m = Measurement{}
	r.something(n, r.Mapping(n, measurementExample, []strictyaml.Field{
		strictyaml.Into("date", &m.Date, parseDate), strictyaml.Into("machine", &m.Machine, parseAbout),
		strictyaml.Into("command", &m.Command, parseAbout),
	}), measurementExample)
}

const measurementExample = "`measurement: {date: 2026-11-23, machine: lab-3, command: weir probe switch}`"

func parseDate(s string) (string, error) {
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return "", fmt.Errorf("%s given, want a day, such as 2026-11-23", strictyaml.Quote(s))
	}
	return s, nil
}

// Format is the number of the form that files have.
const Format = 1

// checkFormat refuses a file of another format, and reports whether it has: what else is wrong with
// it does not matter.
func (r *reader) checkFormat(root *yaml.Node) (refused bool) {
	value := valueOf(root, "format")
	if value == nil || value.Value == fmt.Sprint(Format) {
		return false
	}
	r.Wrong(value, fmt.Errorf("format: %s given, want %d: a later weir may have written the file", strictyaml.Given(value), Format))
	return true
}
