package command

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/api/client"
)

// APIFlags are the flags of commands that use an instance's API.
type APIFlags struct {
	api, token, dataDir, ca string
	given                   func(flag string) bool
}

// AddFlags adds them.
func (r *APIFlags) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	r.given = f.Changed
	f.StringVar(&r.api, "api", "127.0.0.1:8181", "address of the instance's API: HOST:PORT, or a URL with http or https")
	f.StringVar(&r.token, "token", "", "access token; '' sends none (default: WEIR_TOKEN, else the file token of --data-dir)")
	f.StringVar(&r.dataDir, "data-dir", "./weir-data", "data directory of the instance, for its token")
	f.StringVar(&r.ca, "api-tls-ca", "", "certificate authority of an https API, a PEM file (default: the system's)")
}

// AnswerFlags are the flags of commands that show an answer of the API.
type AnswerFlags struct {
	APIFlags
	Format Format
}

// AddFlags adds them; the answer is shown as a table by default.
func (r *AnswerFlags) AddFlags(cmd *cobra.Command) {
	r.APIFlags.AddFlags(cmd)
	r.Format = cmp.Or(r.Format, FormatTable)
	FormatFlag(cmd, &r.Format, "how to write the answer")
}

// Client makes the client of the flags. Its errors are of usage.
func (r *APIFlags) Client() (*client.Client, error) {
	cfg := client.Config{Address: r.api, Token: r.token}
	if !r.given("token") {
		cfg.Token = client.FindToken("", r.dataDir)
	}
	if r.ca != "" {
		pem, err := os.ReadFile(r.ca)
		if err != nil {
			return nil, fmt.Errorf("--api-tls-ca: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("--api-tls-ca: %s has no PEM certificate", r.ca)
		}
		cfg.TLS = &tls.Config{RootCAs: pool}
	}
	c, err := client.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("--api: %w", err)
	}
	return c, nil
}

// WithClient makes a command's RunE of f, which gets the client of the flags and does not keep it.
func (r *APIFlags) WithClient(
	f func(cmd *cobra.Command, args []string, c *client.Client) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c, err := r.Client()
		if err != nil {
			return err
		}
		defer c.Close()
		return f(cmd, args, c)
	}
}

// Explained adds what to do about an error of a client, and marks it as one at run time.
func Explained(err error) error {
	var p *client.Problem
	switch {
	case err == nil:
		return nil
	case errors.Is(err, client.ErrUnreachable):
		err = fmt.Errorf("%w: start an instance with weir node, or give its address with --api", err)
	case errors.Is(err, client.ErrOther), errors.As(err, &p) && p.Status == http.StatusNotFound &&
		strings.HasPrefix(p.Detail, `there is no "/`):
		err = fmt.Errorf("%w: --api wants the address of an instance's API (an emulated network's own API is at another one): weir node and weir up print it", err)
	case errors.As(err, &p) && p.Status == http.StatusUnauthorized:
		err = fmt.Errorf("%w: give it by --token, WEIR_TOKEN or --data-dir", err)
	}
	return RuntimeError(err)
}
