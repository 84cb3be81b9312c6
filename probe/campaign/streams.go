package campaign

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/nic"
	"github.com/weirnet/weir/probe/traffic"
)

// Streams measures what a path does to streams of UDP datagrams from one interface to another:
// throughput, jitter and loss. A zero value of a field is its default.
type Streams struct {
	From, To nic.Config
	Sizes    []int         // bytes of a datagram's payload; default DefaultStreamSizes
	Rate     float64       // bits of IP's payload a second; default 100 Mbit/s
	Time     time.Duration // of a transfer; default 10 s
	Runs     int           // transfers of each size; default 5
	Six      bool          // over IPv6
	VLAN     uint16        // id of the tag that packets have; 0: none
	Limits   probe.Limits  // of which Foreign counts
	Load     Load          // goes on beside the streams

	Note           func(format string, args ...any) // if set, is told what is being done
	Build, Command string                           // for the report
}

// DefaultStreamSizes are those of the paper, of which the first goes in one frame.
var DefaultStreamSizes = []int{1470, 10000, 65000}

// Limits of Streams.
const (
	maxRuns     = 1000
	maxTransfer = time.Hour
)

// MinRate and MaxRate bound a rate, in bits a second.
const (
	MinRate = 1000
	MaxRate = 1e12
)

// Transfer is one transfer, as it was measured.
type Transfer struct {
	Size, Run int
	Took      time.Duration
	traffic.Outcome
	// Unobserved are frames that passed an interface and were not seen.
	Unobserved int
	Load       float64 // bits of load a second that came
	Refused    error   // why it has no result
}

// Check fills in defaults and finds what is wrong.
func (c *Streams) Check() error {
	c.Rate, c.Time, c.Runs = cmp.Or(c.Rate, 100e6), cmp.Or(c.Time, 10*time.Second), cmp.Or(c.Runs, 5)
	if c.Sizes == nil {
		c.Sizes = DefaultStreamSizes
	}
	if c.Note == nil {
		c.Note = func(string, ...any) {}
	}
	for _, s := range c.Sizes {
		if s < traffic.MinSize || s > traffic.MaxSize {
			return fmt.Errorf("size %d given, want bytes from %d to %d", s, traffic.MinSize, traffic.MaxSize)
		}
	}
	switch {
	case len(c.Sizes) == 0:
		return errors.New("no sizes given, want one at least, such as 1470")
	case c.Runs < 1 || c.Runs > maxRuns:
		return fmt.Errorf("%d runs given, want 1 to %d", c.Runs, maxRuns)
	case c.Time < time.Millisecond || c.Time > maxTransfer:
		return fmt.Errorf("transfers of %v given, want 1ms to %v", c.Time, maxTransfer)
	case c.Rate < MinRate || c.Rate > MaxRate:
		return fmt.Errorf("a rate of %g bit/s given, want %g to %g", c.Rate, float64(MinRate), float64(MaxRate))
	case c.VLAN > 4094:
		return fmt.Errorf("VLAN %d given, want 1 to 4094", c.VLAN)
	case c.From == c.To:
		return fmt.Errorf("%s given twice, want two interfaces", c.From.String())
	}
	return c.Load.check(c.From, c.To)
}

// report is that of transfers, those of each size together.
func (c *Streams) report(stamps nic.Stamps, transfers []Transfer) *report.Report {
	r := &report.Report{Format: report.Format, Scenario: "probe stream", Command: c.Command, Build: c.Build,
		Title:   fmt.Sprintf("UDP at %s, %v stamps, %s", traffic.Shown(c.Rate), stamps, c.Load.String()),
		Machine: report.ThisMachine(), Load: report.Load{Topology: c.From.String() + " to " + c.To.String(), Runs: c.Runs,
			Seconds: c.Time.Seconds()}}
	for _, size := range c.Sizes {
		x := r.Add(fmt.Sprintf("%d bytes", size))
		var refused error
		for i := range transfers {
			if t := &transfers[i]; t.Size == size {
				t.add(x, len(c.Load.From) > 0)
				if t.Refused != nil && refused == nil {
					refused = fmt.Errorf("run %d: %w", t.Run+1, t.Refused)
				}
			}
		}
		if refused != nil {
			x.Refuse(refused)
		}
	}
	r.Finish()
	return r
}

// add adds a transfer's figures to those of its size.
func (t *Transfer) add(x *report.Result, loaded bool) {
	share := func(n int) float64 { return 100 * float64(n) / float64(max(t.Sent, 1)) }
	x.Take("throughput", "Mbit/s", t.Throughput/1e6)
	x.Take("jitter", "µs", report.Microseconds(t.Jitter))
	x.Take("lost", "%", share(t.Lost))
	x.Take("reordered", "%", share(t.Reordered))
	x.Take("doubled", "%", share(t.Doubled))
	x.Take("offered", "Mbit/s", t.offered()/1e6)
	if loaded {
		x.Take("load that came", "Mbit/s", t.Load/1e6)
	}
	if t.Unobserved+t.Unmatched+t.Stray > 0 {
		x.Notes = append(x.Notes, fmt.Sprintf("run %d: %d frames were not observed; %d datagrams are not in the jitter; %d came late "+
			"from a run before", t.Run+1, t.Unobserved, t.Unmatched, t.Stray))
	}
}

// offered is the rate at which datagrams were handed to the interface, in bits of IP's payload a
// second.
func (t *Transfer) offered() float64 { return float64(t.Offered*(t.Size+8)*8) / t.Took.Seconds() }

// WriteTransfers writes transfers as a table, one line each.
func WriteTransfers(w io.Writer, transfers []Transfer) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"size", "run", "took_ns", "throughput_bps", "jitter_ns", "offered", "left", "came", "lost",
		"doubled", "reordered", "unobserved", "load_bps", "refused"}); err != nil {
		return err
	}
	for i := range transfers {
		t := &transfers[i]
		line := []string{strconv.Itoa(t.Size), strconv.Itoa(t.Run + 1), strconv.FormatInt(t.Took.Nanoseconds(), 10),
			fmt.Sprintf("%.0f", t.Throughput), strconv.FormatInt(t.Jitter.Nanoseconds(), 10)}
		for _, n := range []int{t.Offered, t.Sent, t.Received, t.Lost, t.Doubled, t.Reordered, t.Unobserved} {
			line = append(line, strconv.Itoa(n))
		}
		line = append(line, fmt.Sprintf("%.0f", t.Load), "")
		if t.Refused != nil {
			line[len(line)-1] = t.Refused.Error()
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
