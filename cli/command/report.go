package command

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

// ReportFiles are the files that a report is written to, if any.
type ReportFiles struct{ JSON, HTML string }

// AddFlags adds --json and --html.
func (o *ReportFiles) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&o.JSON, "json", "", "file for the report as JSON, which weir bench report reads")
	f.StringVar(&o.HTML, "html", "", "file for the report as a page with plots, which refers to nothing outside of it")
}

// Show prints a report and writes its files. Where something has no result, the command fails.
func (o *ReportFiles) Show(cmd *cobra.Command, r *report.Report) error {
	if err := r.Print(cmd.OutOrStdout()); err != nil {
		return RuntimeError(err)
	}
	return o.Write(r)
}

// Write writes a report's files. Where something has no result, the command fails.
func (o *ReportFiles) Write(r *report.Report) error {
	if o.JSON != "" {
		b, err := json.MarshalIndent(r, "", " ")
		if err == nil {
			err = os.WriteFile(o.JSON, append(b, '\n'), 0o644)
		}
		if err != nil {
			return RuntimeError(err)
		}
	}
	if o.HTML != "" {
		if err := WriteReports(o.HTML, []*report.Report{r}, report.WriteHTML); err != nil {
			return RuntimeError(err)
		}
	}
	if r.Refused() {
		return &ExitError{} // the report has said why
	}
	return nil
}

// WriteReports writes reports to a file, as a page or as Markdown.
func WriteReports(file string, reports []*report.Report, write func(io.Writer, []*report.Report) error) error {
	var b bytes.Buffer
	if err := write(&b, reports); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// Check finds a report's file that could not be written, before hours of measuring. A file that is
// there stays as it is until there is a report, and one that is not there is not left behind.
func (o *ReportFiles) Check() error {
	if o.JSON != "" && o.JSON == o.HTML {
		return fmt.Errorf("--json %s and --html %s given, want two files", o.JSON, o.HTML)
	}
	for _, name := range []string{o.JSON, o.HTML} {
		if name == "" {
			continue
		}
		if err := Writable(name); err != nil {
			return RuntimeError(err)
		}
	}
	return nil
}
