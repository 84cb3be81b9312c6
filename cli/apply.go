package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/strictyaml"
)

// configFlags are the flags of apply and diff.
type configFlags struct {
	command.AnswerFlags
	file string
}

func (a *configFlags) addFlags(cmd *cobra.Command) {
	a.AnswerFlags.AddFlags(cmd)
	cmd.Flags().StringVarP(&a.file, "file", "f", "", "the configuration file; - is standard input")
}

func newApply() *cobra.Command {
	var a configFlags
	cmd := &cobra.Command{
		Use:   "apply -f FILE",
		Short: "Apply a configuration to a running instance",
		Long: `Apply a configuration to a running instance. FILE is the whole configuration (docs/config.md): of the network, and,
if it says something of that, of the instance that is asked. If it has errors, all of them are
listed with their lines, nothing is changed, and the command exits with 2. Otherwise it shows what changed, and which changes
take effect at the next start only. The command returns when it is kept, the network's part in the store and the instance's on its
disk: it survives a restart.`,
		Example: `  weir diff -f weir.yaml
  weir apply -f weir.yaml`,
		Args: command.WantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := a.run(cmd, false)
			return err
		},
	}
	a.addFlags(cmd)
	return cmd
}

func newDiff() *cobra.Command {
	var a configFlags
	var code bool
	cmd := &cobra.Command{
		Use:   "diff -f FILE",
		Short: "Show what applying a configuration would change",
		Long: `Show what applying a configuration would change, and change nothing. FILE is as for weir apply. A token of role viewer is enough;
changes that only role admin can apply are marked. With --exit-code the command exits with 1 if anything would change.`,
		Example: `  weir diff -f weir.yaml
  weir diff -f weir.yaml --exit-code && echo "nothing to do"`,
		Args: command.WantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			n, err := a.run(cmd, true)
			if err == nil && code && n > 0 {
				return errReported
			}
			return err
		},
	}
	a.addFlags(cmd)
	cmd.Flags().BoolVar(&code, "exit-code", false, "exit with 1 if anything would change")
	return cmd
}

// run applies the file, and returns the number of changes.
func (a *configFlags) run(cmd *cobra.Command, dryRun bool) (int, error) {
	if a.file == "" {
		return 0, fmt.Errorf("no file given, want a configuration: %s -f weir.yaml", cmd.CommandPath())
	}
	text, err := readConfig(a.file, cmd.InOrStdin())
	if err != nil {
		return 0, fmt.Errorf("-f: %w", err)
	}
	c, err := a.Client()
	if err != nil {
		return 0, err
	}
	defer c.Close()
	r, err := c.Apply(cmd.Context(), text, dryRun)
	if err != nil {
		return 0, configError(a.file, err)
	}
	return len(r.Changes), a.Format.Write(cmd.OutOrStdout(), r, func(w io.Writer) error { return writeChanges(w, r) })
}

// readConfig reads a configuration of at most config.MaxBytes.
func readConfig(file string, in io.Reader) ([]byte, error) {
	text, err := readFile(file, in, config.MaxBytes)
	if err != nil {
		return nil, err
	}
	switch len(text) {
	case 0:
		return nil, fmt.Errorf("%s is empty, want a configuration: {} goes back to the defaults", file)
	case config.MaxBytes + 1:
		return nil, fmt.Errorf("%s is too long, want at most %d bytes", file, config.MaxBytes)
	}
	return text, nil
}

// readFile reads a file, or in where the file is "-": at most one byte more than max.
func readFile(file string, in io.Reader, max int64) ([]byte, error) {
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	return io.ReadAll(io.LimitReader(in, max+1))
}

// configError lists the problems of a file as compilers do, with lines.
func configError(file string, err error) error {
	var p *client.Problem
	if !errors.As(err, &p) || len(p.Problems) == 0 {
		return command.Explained(err)
	}
	var list strictyaml.Problems
	for _, one := range p.Problems {
		list = append(list, strictyaml.Problem{Line: one.Line, Path: one.Path, Text: one.Text})
	}
	return &strictyaml.FileError{File: file, Problems: list}
}

func writeChanges(w io.Writer, r *client.ConfigResult) error {
	if len(r.Changes) == 0 {
		_, err := fmt.Fprintln(w, "nothing changes")
		return err
	}
	rows := [][]string{{"FIELD", "OLD", "NEW", "HOLDS"}}
	for _, c := range r.Changes {
		holds := map[string]string{"now": "at once", "restart": "from the next start", "never": "never"}[c.Holds]
		if c.Flag != "" {
			holds += ": " + c.Flag + " is given"
		}
		rows = append(rows, []string{c.Path, c.Old, c.New, holds})
	}
	if err := command.WriteTable(w, rows); err != nil {
		return err
	}
	var own []string
	for _, c := range r.Changes {
		if c.Note != "" {
			fmt.Fprintf(w, "warning: %s\n", c.Note)
		}
		if c.Scope == string(config.OfInstance) {
			own = append(own, c.Path)
		}
	}
	if len(own) > 0 {
		fmt.Fprintf(w, "of this instance only: %s\n", strings.Join(own, ", "))
	}
	if !r.DryRun {
		return nil
	}
	var admin []string
	for _, c := range r.Changes {
		if c.Needs == "admin" {
			admin = append(admin, c.Path)
		}
	}
	if len(admin) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "applying it needs a token of role admin, for %s\n", strings.Join(admin, ", "))
	return err
}
