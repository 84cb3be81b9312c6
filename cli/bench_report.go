package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weirnet/weir/bench/report"
)

// reportFiles are the files that a report is written to, if any.
type reportFiles struct{ json, html string }

func (o *reportFiles) flags(f *pflag.FlagSet) {
	f.StringVar(&o.json, "json", "", "file for the report as JSON, which weir bench report reads")
	f.StringVar(&o.html, "html", "", "file for the report as a page with plots, which refers to nothing outside of it")
}

// show prints a report and writes its files. Where something has no result, the command fails.
func (o *reportFiles) show(cmd *cobra.Command, r *report.Report) error {
	if err := r.Print(cmd.OutOrStdout()); err != nil {
		return runtimeError(err)
	}
	return o.write(r)
}

// write writes a report's files. Where something has no result, the command fails.
func (o *reportFiles) write(r *report.Report) error {
	if o.json != "" {
		b, err := json.MarshalIndent(r, "", " ")
		if err == nil {
			err = os.WriteFile(o.json, append(b, '\n'), 0o644)
		}
		if err != nil {
			return runtimeError(err)
		}
	}
	if o.html != "" {
		if err := writeReports(o.html, []*report.Report{r}, report.WriteHTML); err != nil {
			return runtimeError(err)
		}
	}
	if r.Refused() {
		return &exitError{} // the report has said why
	}
	return nil
}

// writeReports writes reports to a file, as a page or as Markdown.
func writeReports(file string, reports []*report.Report, write func(io.Writer, []*report.Report) error) error {
	var b bytes.Buffer
	if err := write(&b, reports); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// newBenchReport makes one page of several reports.
func newBenchReport() *cobra.Command {
	page, table, joined := "", "", ""
	cmd := &cobra.Command{
		Use:     "report FILE...",
		Short:   "Print reports that were written with --json, or make one page with plots of them",
		Example: "  weir bench report p1.json p2.json --html benchmarks.html",
		Args:    wantArgs(1, noBound, "FILE … that --json wrote, such as p1.json"),
		RunE: func(cmd *cobra.Command, files []string) error {
			var reports []*report.Report
			for _, name := range files {
				f, err := os.Open(name)
				if err != nil {
					return runtimeError(err)
				}
				r, err := report.Read(f)
				f.Close()
				if err != nil {
					return runtimeError(fmt.Errorf("%s: %w", name, err))
				}
				reports = append(reports, r)
			}
			switch {
			case joined != "":
				r, err := report.Merge(reports)
				if err != nil {
					return runtimeError(err)
				}
				return (&reportFiles{json: joined}).show(cmd, r)
			case page != "":
				return runtimeError(writeReports(page, reports, report.WriteHTML))
			case table != "":
				return runtimeError(writeReports(table, reports, report.Markdown))
			}
			for _, r := range reports {
				if err := r.Print(cmd.OutOrStdout()); err != nil {
					return runtimeError(err)
				}
				fmt.Fprintln(cmd.OutOrStdout())
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&page, "html", "", "file for a page of all of them")
	cmd.Flags().StringVar(&table, "markdown", "", "file for all of them as Markdown tables")
	cmd.Flags().StringVar(&joined, "together", "",
		"file for one report as JSON, with the runs of all, which have to be of one scenario and load")
	return cmd
}
