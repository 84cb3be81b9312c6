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
	"github.com/weirnet/weir/probe/controller"
	"github.com/weirnet/weir/probe/nic"
	"github.com/weirnet/weir/probe/traffic"
)

// Proto is the protocol of streams.
type Proto string

// The protocols.
const (
	UDP Proto = "udp" // numbered datagrams of a station's, at a set rate
	TCP Proto = "tcp" // of Linux's own stack, over IPv4, as fast as a window lets it
)

// Streams measures what a path does to streams from one interface to another: throughput, jitter and
// loss. A zero value of a field is its default.
type Streams struct {
	From, To nic.Config
	Proto    Proto // default UDP
	// Sizes are bytes of a datagram's payload, or of TCP's window: as many are written at a time, and
	// under way at most. Default DefaultStreamSizes or DefaultWindows.
	Sizes  []int
	Rate   float64       // of UDP, bits of IP's payload a second; default 100 Mbit/s
	Time   time.Duration // of a transfer; default 10 s
	Runs   int           // transfers of each size; default 5
	Six    bool          // over IPv6
	VLAN   uint16        // id of the tag that packets have; 0: none
	Limits probe.Limits  // of which Foreign counts
	Load   Load          // goes on beside the streams
	// Controller and Rules are Latency's. With rules that are reactive, flows of the two ends are
	// forgotten before each transfer.
	Controller *controller.Controller
	Rules      Rules

	Note           func(format string, args ...any) // if set, is told what is being done
	Build, Command string                           // for the report
}

// DefaultStreamSizes are the paper's, of which the first is what goes in one frame; DefaultWindows
// are the paper's.
var (
	DefaultStreamSizes = []int{1470, 10000, 65000}
	DefaultWindows     = []int{1500, 10000, 65000, 150000}
)

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
	// Outcome is what both interfaces saw. Of TCP the throughput is that of what it carries, as the
	// receiver had it.
	traffic.Outcome
	Retransmitted int           // of TCP: segments that Linux sent again
	Segments      int           // of TCP: all that Linux counted, until all was acknowledged
	Underway      int           // of TCP: bytes that had left and were not acknowledged, at most
	Handshake     time.Duration // of TCP: from the SYN-ACK to its ACK at the far interface; 0: not seen
	// Unobserved are frames that passed an interface and were not seen.
	Unobserved int
	Load       float64 // bits of load a second that came
	Refused    error   // why it has no result
}

// Check fills in defaults and finds what is wrong.
func (c *Streams) Check() error {
	c.Rate, c.Time, c.Runs = cmp.Or(c.Rate, 100e6), cmp.Or(c.Time, 10*time.Second), cmp.Or(c.Runs, 5)
	c.Proto = cmp.Or(c.Proto, UDP)
	if c.Sizes == nil && c.Proto == TCP {
		c.Sizes = DefaultWindows
	}
	if c.Sizes == nil {
		c.Sizes = DefaultStreamSizes
	}
	if c.Note == nil {
		c.Note = func(string, ...any) {}
	}
	least, most := traffic.MinSize, traffic.MaxSize
	if c.Proto == TCP {
		least, most = traffic.MinWindow, traffic.MaxWindow
	}
	if err := cmp.Or(checkSizes(c.Sizes, least, most), c.Limits.Sound()); err != nil {
		return err
	}
	switch {
	case c.Runs < 1 || c.Runs > maxRuns:
		return fmt.Errorf("%d runs given, want 1 to %d", c.Runs, maxRuns)
	case c.Time < time.Millisecond || c.Time > maxTransfer:
		return fmt.Errorf("transfers of %v given, want 1ms to %v", c.Time, maxTransfer)
	case c.Rate < MinRate || c.Rate > MaxRate:
		return fmt.Errorf("a rate of %g bit/s given, want %g to %g", c.Rate, float64(MinRate), float64(MaxRate))
	case c.VLAN > 4094:
		return fmt.Errorf("VLAN %d given, want 1 to 4094", c.VLAN)
	case c.Proto != UDP && c.Proto != TCP:
		return fmt.Errorf("protocol %q given, want %s or %s", c.Proto, UDP, TCP)
	case c.Proto == TCP && c.Six:
		return errors.New("TCP over IPv6 given, want IPv4: its identification is what tells segments apart")
	case c.Proto == TCP && c.VLAN != 0:
		return errors.New("TCP with a tag given, want none: hosts of Linux's own have no tags here")
	case c.From == c.To:
		return fmt.Errorf("%s given twice, want two interfaces", c.From.String())
	}
	return c.Load.check(c.From, c.To)
}

// report is that of transfers, those of each size together.
func (c *Streams) report(stamps nic.Stamps, transfers []Transfer) *report.Report {
	r := &report.Report{Format: report.Format, Scenario: "probe stream", Command: c.Command, Build: c.Build,
		Title:   fmt.Sprintf("%s, %v stamps, %s", c.stream(), stamps, c.Load.String()),
		Machine: report.ThisMachine(), Load: report.Load{Topology: c.From.String() + " to " + c.To.String(), Runs: c.Runs,
			Seconds: c.Time.Seconds()}}
	for _, size := range c.Sizes {
		x := r.Add(c.subject(size))
		var refused error
		for i := range transfers {
			if t := &transfers[i]; t.Size == size {
				c.add(x, t)
				if t.Refused != nil && refused == nil {
					refused = fmt.Errorf("%s%w", c.ofRun(t), t.Refused)
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

// stream says what goes.
func (c *Streams) stream() string {
	if c.Proto == TCP {
		return "TCP"
	}
	return "UDP at " + traffic.Shown(c.Rate)
}

// subject is what is measured at a size.
func (c *Streams) subject(size int) string {
	if c.Proto == TCP {
		return fmt.Sprintf("window of %d bytes", size)
	}
	return fmt.Sprintf("%d bytes", size)
}

// add adds a transfer's figures to those of its size.
func (c *Streams) add(x *report.Result, t *Transfer) {
	share := func(n int) float64 { return 100 * float64(n) / float64(max(t.Sent, 1)) }
	x.Take("throughput", "Mbit/s", t.Throughput/1e6)
	x.Take("jitter", "µs", report.Microseconds(t.Jitter))
	x.Take("lost", "%", share(t.Lost))
	x.Take("reordered", "%", share(t.Reordered))
	x.Take("doubled", "%", share(t.Doubled))
	if c.Proto == UDP {
		x.Take("offered", "Mbit/s", t.Left(t.Size)/1e6)
	} else {
		x.Take("sent again", "%", share(t.Retransmitted))
		if t.Handshake > 0 {
			x.Take("SYN-ACK to ACK", "µs", report.Microseconds(t.Handshake))
		}
		x.Take("under way at most", "bytes", float64(t.Underway))
	}
	if len(c.Load.From) > 0 {
		x.Take("load that came", "Mbit/s", t.Load/1e6)
	}
	if t.Unobserved+t.Unmatched+t.Stray > 0 {
		x.Notes = append(x.Notes, fmt.Sprintf("%s%d frames were not observed; %d packets are not in the jitter; %d came late "+
			"from a run before", c.ofRun(t), t.Unobserved, t.Unmatched, t.Stray))
	}
}

// ofRun begins what is said of one of several runs.
func (c *Streams) ofRun(t *Transfer) string {
	if c.Runs == 1 {
		return ""
	}
	return fmt.Sprintf("run %d: ", t.Run+1)
}

// WriteTransfers writes transfers as a table, one line each.
func WriteTransfers(w io.Writer, transfers []Transfer) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"size", "run", "took_ns", "throughput_bps", "jitter_ns", "offered", "left", "came", "lost",
		"doubled", "reordered", "unobserved", "sent_again", "underway", "handshake_ns", "load_bps", "refused"}); err != nil {
		return err
	}
	for i := range transfers {
		t := &transfers[i]
		line := []string{strconv.Itoa(t.Size), strconv.Itoa(t.Run + 1), strconv.FormatInt(t.Took.Nanoseconds(), 10),
			fmt.Sprintf("%.0f", t.Throughput), strconv.FormatInt(t.Jitter.Nanoseconds(), 10)}
		for _, n := range []int{t.Offered, t.Sent, t.Received, t.Lost, t.Doubled, t.Reordered, t.Unobserved} {
			line = append(line, strconv.Itoa(n))
		}
		line = append(line, strconv.Itoa(t.Retransmitted), strconv.Itoa(t.Underway),
			strconv.FormatInt(t.Handshake.Nanoseconds(), 10), fmt.Sprintf("%.0f", t.Load), "")
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
