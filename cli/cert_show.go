package cli

import (
	"crypto/x509"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/cert"
	"github.com/weirnet/weir/cli/command"
)

// certShown is a certificate as it is shown.
type certShown struct {
	File      string   `json:"file"`
	Subject   string   `json:"subject"`
	Issuer    string   `json:"issuer"`
	Authority bool     `json:"authority"`
	Peer      bool     `json:"peer"` // shown to other instances
	Datapaths []string `json:"datapaths"`
	Hosts     []string `json:"hosts"`
	NotBefore string   `json:"not_before"`
	NotAfter  string   `json:"not_after"`
	State     string   `json:"state"` // valid, or why it is not
}

func newCertShow() *cobra.Command {
	f := command.FormatTable
	cmd := &cobra.Command{
		Use:     "show FILE …",
		Short:   "Show what certificates say; exit code 1 if one is not valid now",
		Example: "  weir cert show tls/*.pem",
		Args:    command.WantArgs(1, command.NoBound, "FILE …, such as tls/instance.pem"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var all []certShown
			bad := false
			for _, file := range args {
				text, err := os.ReadFile(file)
				if err != nil {
					return command.RuntimeError(err)
				}
				if strings.HasSuffix(file, "-key.pem") { // of tls/*.pem
					continue
				}
				list, err := cert.Parse(text)
				if err != nil {
					return command.RuntimeError(fmt.Errorf("%s: %w", file, err))
				}
				for _, c := range list {
					s := showCert(file, c)
					bad = bad || s.State != "valid"
					all = append(all, s)
				}
			}
			if err := writeCerts(cmd, f, all); err != nil || !bad {
				return err
			}
			return &command.ExitError{}
		},
	}
	command.FormatFlag(cmd, &f, "table, json or yaml")
	return cmd
}

// showCert reads the fields that are shown.
func showCert(file string, c *x509.Certificate) certShown {
	s := certShown{
		File: file, Subject: c.Subject.CommonName, Issuer: c.Issuer.CommonName, Authority: c.IsCA, Peer: cert.IsPeer(c),
		State:     "valid",
		Datapaths: []string{}, Hosts: append([]string{}, c.DNSNames...),
		NotBefore: c.NotBefore.UTC().Format(time.RFC3339), NotAfter: c.NotAfter.UTC().Format(time.RFC3339),
	}
	for _, ip := range c.IPAddresses {
		s.Hosts = append(s.Hosts, ip.String())
	}
	ids, err := cert.Datapaths(c)
	for _, id := range ids {
		s.Datapaths = append(s.Datapaths, fmt.Sprintf("%016x", id))
	}
	if err == nil {
		err = cert.CheckTime(c, time.Now())
	}
	if err != nil {
		s.State = err.Error()
	}
	return s
}

// writeCerts prints certificates in a format.
func writeCerts(cmd *cobra.Command, f command.Format, all []certShown) error {
	rows := [][]string{{"FILE", "SUBJECT", "DATAPATHS", "HOSTS", "NOT_AFTER", "STATE"}}
	for _, s := range all {
		subject := s.Subject
		if s.Authority {
			subject += " (authority)"
		}
		if s.Peer {
			subject += " (peer)"
		}
		rows = append(rows, []string{s.File, subject, strings.Join(s.Datapaths, ","), strings.Join(s.Hosts, ","),
			s.NotAfter, s.State})
	}
	return f.Write(cmd.OutOrStdout(), all, func(w io.Writer) error { return command.WriteTable(w, rows) })
}
