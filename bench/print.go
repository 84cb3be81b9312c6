package bench

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Print writes the report as text. Of a controller without a result it says why, and no figure.
func (r *Report) Print(w io.Writer) error {
	r.head(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "controller\tanswered/s (least - greatest)\tp50\tp90\tp99\tp99.9\tmax µs\tCPU µs\tgenerator µs\tmessages\tMiB\tto bare\tto ovs\n")
	for _, x := range r.Results {
		if x.Refused != "" {
			continue
		}
		q := x.Latency
		fmt.Fprintf(t, "%s\t%s (%s - %s)\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.2f\t%.2f\t%.2f\t%.0f\t%s\t%s\n", x.Controller,
			thousands(x.Answered.Median), thousands(x.Answered.Least), thousands(x.Answered.Greatest),
			q.P50, q.P90, q.P99, q.P999, q.Max, x.CPU.Median, x.Generator.Median, x.Messages.Median, x.RSS.Median,
			ratio(x.ToBare), ratio(x.ToOVS))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, x := range r.Results {
		if x.Refused != "" {
			fmt.Fprintf(w, "%s: no result: %s\n", x.Controller, x.Refused)
		} else if r.Load.Hops > 0 {
			fmt.Fprintf(w, "%s: second packet-ins %d; released before a barrier behind the rules: %d of %d looked at\n",
				x.Controller, x.Second, x.Unordered, x.Checked)
		}
	}
	return nil
}

func (r *Report) head(w io.Writer) {
	l, m := r.Load, r.Machine
	buffered := "unbuffered"
	if l.Buffered {
		buffered = "buffered"
	}
	load := fmt.Sprintf("%d outstanding a switch", l.Outstanding)
	if l.Rate > 0 {
		load = fmt.Sprintf("%d packet-ins/s", l.Rate)
	}
	fmt.Fprintf(w, "%s: OpenFlow %s, %s, %d hosts a switch, %s, %s, %d runs of %g s, seed %d\n", r.Scenario, l.OpenFlow, l.Topology,
		l.Hosts, buffered, load, l.Runs, l.Seconds, l.Seed)
	fmt.Fprintf(w, "%s\n%s, %d cores, Linux %s, %s, %s, load average %s\n%s\n\n", r.Command, m.CPU, m.Cores, m.Kernel, m.Go, m.Date, m.LoadAvg, r.Build)
}

// ratio prints a ratio, or that there is none.
func ratio(v float64) string {
	if v == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", v)
}
