package paper

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/weirnet/weir/bench/report"
)

// Figures of points, by the names that their results have.
const (
	FigurePath       = "path latency"
	FigurePing       = "ping"
	FigureSetup      = "flow set-up"
	FigureSetupPing  = "first ping"
	FigureThroughput = "throughput"
	FigureJitter     = "jitter"
	FigureLoss       = "lost"
)

// figures are those that the paper shows of each kind, in its order.
var figures = []struct {
	kind Kind
	name string
	text string
}{
	{Latency, FigurePath, "path latency"},
	{Setup, FigureSetup, "flow set-up"},
	{Setup, FigureSetupPing, "flow set-up, as ping reads it"},
	{TCP, FigureThroughput, "throughput of TCP"},
	{UDP, FigureThroughput, "throughput of UDP"},
	{UDP, FigureJitter, "jitter of UDP"},
	{UDP, FigureLoss, "loss of UDP"},
}

// stated is what the paper says in numbers of a row: of the two test beds, if it does, and of how
// one is to the other. Of all other rows it has only curves.
type stated struct {
	hardware, software string
	ratio              string
}

// inNumbers are the rows of which the paper has numbers, all without background.
var inNumbers = map[string]map[int]stated{
	FigurePath:      {1500: {"", "", "10"}, 10000: {"", "", "4"}, 65000: {"", "", "2"}},
	FigureSetup:     {1500: {"280 ms", "3 ms", "100"}, 65000: {"", "", "40"}},
	FigureSetupPing: {1500: {"400 ms", "3.5 ms", ""}},
}

const curvesOnly = "curves only"

// Row is a figure of both test beds, beside the paper's.
type Row struct {
	Name               string
	figure             string
	Paper              stated
	Hardware, Software *report.Measure // nil where there is none
	Rules              [2]Rules        // of the hardware's and the software's
	Missing            error           // why one is nil
}

// Ratio is the hardware's median to the software's; ok is false where there is none.
func (r *Row) Ratio() (ratio float64, ok bool) {
	if r.Missing != nil || r.Software.Median <= 0 {
		return 0, false
	}
	return r.Hardware.Median / r.Software.Median, true
}

// Comparison is the paper's rows, with those of two campaigns.
type Comparison struct {
	Hardware, Software *Campaign
	Rows               []*Row
}

// Compare puts what was measured of a hardware switch and of a software switch beside the paper.
func Compare(hardware, software *Campaign) *Comparison {
	c := &Comparison{Hardware: hardware, Software: software}
	for _, f := range figures {
		of := sizes
		if f.kind == TCP {
			of = tcpSizes
		}
		for _, background := range backgrounds {
			for _, size := range of {
				p := Point{Kind: f.kind, Background: background, Size: size}
				row := &Row{Name: f.text + ", " + p.Subject(), figure: f.text}
				if background == 0 {
					row.Paper = inNumbers[f.name][size]
				}
				var why [2]error
				row.Hardware, row.Rules[0], why[0] = hardware.figure(p, f.name, "hardware")
				row.Software, row.Rules[1], why[1] = software.figure(p, f.name, "software")
				row.Missing = joinLine(why[0], why[1])
				c.Rows = append(c.Rows, row)
			}
		}
	}
	return c
}

// joinLine is two errors in one line.
func joinLine(a, b error) error {
	if a != nil && b != nil {
		return fmt.Errorf("%w; %w", a, b)
	}
	return cmp.Or(a, b)
}

// preferred are the rules of which a figure is taken, the first that has one.
var preferred = []Rules{Installed, AsTheyAre, Reactive}

// figure is a figure of a point under the rules that are preferred, or why there is none.
func (c *Campaign) figure(p Point, name, bed string) (*report.Measure, Rules, error) {
	why := errors.New("not measured")
	for _, rules := range preferred {
		p.Rules = rules
		k := c.of(p)
		switch {
		case k == nil:
		case k.Result.Refused != "":
			why = errors.New(k.Result.Refused)
		case !c.over(p):
			why = fmt.Errorf("not measured to its end: %d of %d runs", k.Runs, c.Parameters.runs(p.Kind))
		default:
			if m := k.Result.Measure(name); m != nil {
				return m, rules, nil
			}
		}
	}
	return nil, "", fmt.Errorf("%s: %w", bed, why)
}

// finding is what the paper says in words, and the figures of ours that say whether it is so here.
type finding struct {
	paper string
	kind  Kind
	name  string
	ours  func(c *Campaign, kind Kind, name string) string
}

var findings = []finding{
	{"TCP on hardware is poor with small windows and best with large ones", TCP, FigureThroughput, bySize},
	{"UDP varies with the size of packets on hardware, and little on Open vSwitch", UDP, FigureThroughput, bySize},
	{"the throughput of TCP falls with background load on both", TCP, FigureThroughput, byBackground},
	{"the throughput of UDP falls with background load on both", UDP, FigureThroughput, byBackground},
	{"jitter is lower on Open vSwitch; hardware reacts more to the size of packets", UDP, FigureJitter, bySize},
	{"hardware's jitter reacts more to background load", UDP, FigureJitter, byBackground},
	{"loss is lower on Open vSwitch; hardware reacts more to the size of packets", UDP, FigureLoss, bySize},
	{"hardware's loss reacts more to background load", UDP, FigureLoss, byBackground},
}

// bySize is a figure without background at each size.
func bySize(c *Campaign, kind Kind, name string) string {
	of := sizes
	if kind == TCP {
		of = tcpSizes
	}
	var list []string
	for _, size := range of {
		p := Point{Kind: kind, Size: size}
		list = c.listed(list, p, name, "at "+report.Thousands(size)+" bytes")
	}
	return cmp.Or(strings.Join(list, ", "), notHere)
}

// byBackground is a figure at the greatest size that all kinds have, under each background.
func byBackground(c *Campaign, kind Kind, name string) string {
	var list []string
	for _, background := range backgrounds {
		p := Point{Kind: kind, Background: background, Size: sizes[len(sizes)-1]}
		list = c.listed(list, p, name, "with "+p.background())
	}
	return cmp.Or(strings.Join(list, ", "), notHere)
}

const notHere = "not measured"

// listed adds a figure of a point to a list of texts, if there is one.
func (c *Campaign) listed(list []string, p Point, name, where string) []string {
	if m, _, _ := c.figure(p, name, ""); m != nil {
		list = append(list, shown(m)+" "+where)
	}
	return list
}

// shown is a figure in text; a dash where there is none.
func shown(m *report.Measure) string {
	if m == nil {
		return "–"
	}
	if m.Unit == "µs" {
		return report.FormatMicros(m.Median)
	}
	return report.ThreeDigits(m.Median) + " " + m.Unit
}

// Print writes the rows as a table, then what has no figure, and the paper's findings in words with
// the figures that belong to them.
func (c *Comparison) Print(w io.Writer) error {
	fmt.Fprintf(w, "hardware: %s\nsoftware: %s\nratios are hardware ÷ software\n\n", c.Hardware.about(), c.Software.about())
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "\tthe paper\t\t\tours\n\thardware\tsoftware\tratio\thardware\tsoftware\tratio\n")
	for _, r := range c.Rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Name, cmp.Or(r.Paper.hardware, "–"), cmp.Or(r.Paper.software, "–"),
			r.Paper.ratioText(), shown(r.Hardware), shown(r.Software), r.ratioText())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	c.printNotes(w)
	fmt.Fprint(w, "\nWhat the paper says in words, and our medians:\n")
	for _, f := range findings {
		if _, err := fmt.Fprintf(w, "- %s: hardware %s; software %s\n", f.paper, f.ours(c.Hardware, f.kind, f.name),
			f.ours(c.Software, f.kind, f.name)); err != nil {
			return err
		}
	}
	return nil
}

// printNotes writes why rows have no ratio, and which are not of the same rules: each reason once.
func (c *Comparison) printNotes(w io.Writer) {
	var reasons []string
	rows := map[string]map[string]int{} // by reason and figure
	for _, r := range c.Rows {
		reason := r.note()
		if r.Missing != nil {
			reason = "no ratio: " + r.Missing.Error()
		}
		if reason == "" {
			continue
		}
		if rows[reason] == nil {
			rows[reason] = map[string]int{}
			reasons = append(reasons, reason)
		}
		rows[reason][r.figure]++
	}
	for _, reason := range reasons {
		var list []string
		for _, f := range figures {
			if n := rows[reason][f.text]; n > 0 {
				list = append(list, fmt.Sprintf("%s (%s)", f.text, report.Plural(n, "row", "rows")))
			}
		}
		fmt.Fprintf(w, "\n%s: %s\n", strings.Join(list, ", "), reason)
	}
}

// about says what a campaign is of.
func (c *Campaign) about() string {
	p := &c.Parameters
	return fmt.Sprintf("%s; %d probes a point, transfers %d × %g s; %s", cmp.Or(c.Switch, "a switch that was not asked"),
		p.Probes, p.Transfers, p.Seconds, c.Machine)
}

// ratioText is the paper's ratio; where it has a number of neither, what it has instead.
func (s *stated) ratioText() string {
	switch {
	case s.ratio != "":
		return s.ratio
	case s.hardware != "":
		return "–"
	}
	return curvesOnly
}

func (r *Row) ratioText() string {
	ratio, ok := r.Ratio()
	if !ok {
		return "–"
	}
	return report.ThreeDigits(ratio)
}

// note says where the two are not of the same rules.
func (r *Row) note() string {
	if r.Missing != nil || r.Rules[0] == r.Rules[1] {
		return ""
	}
	return fmt.Sprintf("hardware with %s, software with %s", rulesText[r.Rules[0]], rulesText[r.Rules[1]])
}

// Report is the comparison in the shape of all reports: a result for each row.
func (c *Comparison) Report() *report.Report {
	r := &report.Report{Format: report.Format, Scenario: "paper latency",
		Title:   "the paper's rows beside ours: a hardware switch to a software switch",
		Machine: c.Software.Machine,
		Load: report.Load{Topology: "hardware: " + c.Hardware.about() + "; software: " + c.Software.about(), Switches: 2,
			Runs: c.Hardware.Parameters.Probes}}
	for _, row := range c.Rows {
		x := r.Add(row.Name)
		if row.Missing != nil {
			x.Refuse(fmt.Errorf("%w; the paper: %s", row.Missing, row.Paper.text()))
			continue
		}
		ratio, ok := row.Ratio()
		if ok {
			x.Take("hardware ÷ software", "×", ratio)
		}
		x.Take("hardware", row.Hardware.Unit, row.Hardware.Median)
		x.Take("software", row.Software.Unit, row.Software.Median)
		x.Notes = append(x.Notes, "the paper: "+row.Paper.text())
		if note := row.note(); note != "" {
			x.Notes = append(x.Notes, note)
		}
	}
	r.Finish()
	plain(r)
	return r
}

// text is what the paper says of a row, in a line.
func (s *stated) text() string {
	var list []string
	if s.hardware != "" {
		list = append(list, s.hardware+" and "+s.software)
	}
	if s.ratio != "" {
		list = append(list, s.ratio+" ×")
	}
	return cmp.Or(strings.Join(list, ", "), curvesOnly)
}
