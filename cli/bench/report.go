package bench

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/cli/command"
)

// newReport makes one page of several reports.
func newReport() *cobra.Command {
	page, table, joined := "", "", ""
	cmd := &cobra.Command{
		Use:     "report FILE...",
		Short:   "Print reports that were written with --json, or make one page with plots of them",
		Example: "  weir bench report p1.json p2.json --html benchmarks.html",
		Args:    command.WantArgs(1, command.NoBound, "FILE … that --json wrote, such as p1.json"),
		RunE: func(cmd *cobra.Command, files []string) error {
			var reports []*report.Report
			for _, name := range files {
				f, err := os.Open(name)
				if err != nil {
					return command.RuntimeError(err)
				}
				r, err := report.Read(f)
				f.Close()
				if err != nil {
					return command.RuntimeError(fmt.Errorf("%s: %w", name, err))
				}
				reports = append(reports, r)
			}
			switch {
			case joined != "":
				r, err := report.Merge(reports)
				if err != nil {
					return command.RuntimeError(err)
				}
				return (&command.ReportFiles{JSON: joined}).Show(cmd, r)
			case page != "":
				return command.RuntimeError(command.WriteReports(page, reports, report.WriteHTML))
			case table != "":
				return command.RuntimeError(command.WriteReports(table, reports, report.Markdown))
			}
			for _, r := range reports {
				if err := r.Print(cmd.OutOrStdout()); err != nil {
					return command.RuntimeError(err)
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
