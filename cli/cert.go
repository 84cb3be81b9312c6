package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/cert"
	"github.com/weirnet/weir/cli/command"
)

// certFlags are the flags of the commands that make certificates.
type certFlags struct {
	dir   string
	days  int
	force bool
}

func (c *certFlags) add(cmd *cobra.Command, days int) {
	f := cmd.Flags()
	f.StringVar(&c.dir, "dir", "tls", "directory of the authority and of what it signs")
	f.IntVar(&c.days, "days", days, "how long the certificate is valid; never longer than the authority's")
	f.BoolVar(&c.force, "force", false, "replace files that are there")
}

func (c *certFlags) validity() (time.Duration, error) {
	const most = 36500
	if c.days < 1 || c.days > most {
		return 0, fmt.Errorf("--days=%d given, want 1 to %d", c.days, most)
	}
	return time.Duration(c.days) * 24 * time.Hour, nil
}

// write writes a certificate and its key into the directory.
func (c *certFlags) write(name string, p cert.Pair) error {
	err := cert.Write(c.dir, name, p, c.force)
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%w: --force replaces it, or choose another --dir", err)
	}
	return err
}

func newCert() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cert",
		Short: "Certificates for TLS between instances and switches, and among instances",
		Long: `Make what TLS between an instance and its switches needs: an authority of your own, the instance's certificate, and one for each
switch that names its datapath ids, so that no other machine can claim them; and, for instances of one cluster, the certificates
that they show to each other. Keys are written for their owner's eyes only and
never replaced unless told. Keep the authority's key (ca-key.pem) off the switches: they need ca.pem and their own two files.`,
		Example: `  weir cert init --host 192.0.2.1,weir.example
  weir cert switch 00000000000000a1
  weir cert show tls/switch-00000000000000a1.pem`,
		Args: command.WantCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCertInit(), newCertInstance(), newCertPeer(), newCertSwitch(), newCertShow())
	return cmd
}

func newCertInit() *cobra.Command {
	var flags certFlags
	var hosts []string
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Make an authority, and an instance's certificate signed by it",
		Long: `Make an authority (DIR/ca.pem, DIR/ca-key.pem) and an instance's certificate signed by it (DIR/instance.pem,
DIR/instance-key.pem), which is valid for two years at most.`,
		Example: `  weir cert init --host 192.0.2.1,weir.example
  weir cert init --dir /etc/weir/tls --days 1825`,
		Args: command.WantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			life, err := flags.validity()
			if err != nil {
				return err
			}
			now := time.Now()
			a, pair, err := cert.New("Weir authority", now, life)
			if err == nil {
				err = flags.write(cert.CAName, pair)
			}
			if err == nil {
				err = flags.instance(a, "instance", hosts, min(life, instanceDays*24*time.Hour))
			}
			if err != nil {
				return command.RuntimeError(err)
			}
			at := func(name string) string { return filepath.Join(flags.dir, name) }
			fmt.Fprintf(cmd.OutOrStdout(), "made %s, %s, %s, %s; now, for each switch, and to start:\n",
				at("ca.pem"), at("ca-key.pem"), at("instance.pem"), at("instance-key.pem"))
			fmt.Fprintf(cmd.OutOrStdout(), "  weir cert switch DATAPATH-ID --dir %s\n", flags.dir)
			fmt.Fprintf(cmd.OutOrStdout(),
				"  weir node --openflow-tls-cert %s --openflow-tls-key %s --openflow-tls-ca %s\n",
				at("instance.pem"), at("instance-key.pem"), at("ca.pem"))
			return nil
		},
	}
	flags.add(cmd, 3650)
	cmd.Flags().StringSliceVar(&hosts, "host", defaultHosts, "addresses and names by which switches reach the instance")
	return cmd
}

// instanceDays is how long an instance's or a switch's certificate is valid.
const instanceDays = 730

// defaultHosts are those of an instance that listens on loopback.
var defaultHosts = []string{"127.0.0.1", "::1", "localhost"}

// instance makes an instance's certificate.
func (c *certFlags) instance(a *cert.Authority, name string, hosts []string, life time.Duration) error {
	pair, err := a.Instance(name, hosts, time.Now(), life)
	if err != nil {
		return err
	}
	return c.write(name, pair)
}

func newCertInstance() *cobra.Command {
	var flags certFlags
	var hosts []string
	cmd := &cobra.Command{
		Use:     "instance [NAME]",
		Short:   "Make a certificate for one more instance, or a new one for the first",
		Example: "  weir cert instance --host 192.0.2.1,weir.example --force\n  weir cert instance weir-2 --host 192.0.2.2",
		Args:    command.WantArgs(0, 1, "at most one NAME, such as weir-2"),
		RunE: func(cmd *cobra.Command, args []string) error {
			life, err := flags.validity()
			if err != nil {
				return err
			}
			name := "instance"
			if len(args) > 0 {
				name = args[0]
			}
			if err := checkFileName(name); err != nil {
				return err
			}
			a, err := flags.authority()
			if err == nil {
				err = flags.instance(a, name, hosts, life)
			}
			if err != nil {
				return command.RuntimeError(err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "made %s, %s\n", cert.CertFile(flags.dir, name), cert.KeyFile(flags.dir, name))
			return nil
		},
	}
	flags.add(cmd, instanceDays)
	cmd.Flags().StringSliceVar(&hosts, "host", defaultHosts, "addresses and names by which switches reach the instance")
	return cmd
}

// checkFileName reports whether a name is good for files.
func checkFileName(name string) error {
	if name == cert.CAName || name != filepath.Base(name) || strings.HasPrefix(name, ".") {
		return fmt.Errorf("name %q given, want a name for files, other than %s", name, cert.CAName)
	}
	return nil
}

func newCertPeer() *cobra.Command {
	var flags certFlags
	var hosts []string
	cmd := &cobra.Command{
		Use:   "peer NAME",
		Short: "Make the certificate that an instance shows to other instances of its cluster",
		Long: `Make the certificate that the instance NAME shows to other instances of its cluster: DIR/peer-NAME.pem and DIR/peer-NAME-key.pem.
It is good for servers and for clients, and of no use as a switch's; the hosts must be those by which the other instances reach
this one. Each instance needs its own two files, and ca.pem. New files are used from the next connection on, without a restart.`,
		Example: "  weir cert peer weir-1 --host 192.0.2.1\n  weir cert peer weir-2 --host 192.0.2.2,weir-2.example",
		Args:    command.WantArgs(1, 1, "NAME, such as weir-2"),
		RunE: func(cmd *cobra.Command, args []string) error {
			life, err := flags.validity()
			if err == nil {
				err = checkFileName(args[0])
			}
			if err != nil {
				return err
			}
			name := "peer-" + args[0]
			a, err := flags.authority()
			var pair cert.Pair
			if err == nil {
				pair, err = a.Peer(args[0], hosts, time.Now(), life)
			}
			if err == nil {
				err = flags.write(name, pair)
			}
			if err != nil {
				return command.RuntimeError(err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "made %s, %s\n", cert.CertFile(flags.dir, name), cert.KeyFile(flags.dir, name))
			return nil
		},
	}
	flags.add(cmd, instanceDays)
	cmd.Flags().StringSliceVar(&hosts, "host", defaultHosts, "addresses and names by which other instances reach this one")
	return cmd
}

// authority reads the authority of the directory.
func (c *certFlags) authority() (*cert.Authority, error) {
	a, err := cert.Load(c.dir, time.Now())
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: weir cert init makes an authority", err)
	}
	return a, err
}

func newCertSwitch() *cobra.Command {
	var flags certFlags
	cmd := &cobra.Command{
		Use:   "switch DATAPATH-ID …",
		Short: "Make a switch's certificate, which names its datapath ids",
		Long: `Make a switch's certificate, which names its datapath ids in hexadecimal: DIR/switch-ID.pem and DIR/switch-ID-key.pem, with
the first id. An Open vSwitch has one certificate for all its bridges: name the datapath ids of all of them.`,
		Example: `  weir cert switch 00000000000000a1
  weir cert switch a1 a2 a3 --dir /etc/weir/tls
  ovs-vsctl get bridge br0 datapath-id                 tells the id`,
		Args: command.WantArgs(1, command.NoBound, "DATAPATH-ID …, such as 00000000000000a1"),
		RunE: func(cmd *cobra.Command, args []string) error {
			life, err := flags.validity()
			if err != nil {
				return err
			}
			ids := make([]uint64, len(args))
			for i, arg := range args {
				if ids[i], err = parseDatapath(arg); err != nil {
					return err
				}
			}
			name := fmt.Sprintf("switch-%016x", ids[0])
			a, err := flags.authority()
			var pair cert.Pair
			if err == nil {
				pair, err = a.Switch(ids, time.Now(), life)
			}
			if err == nil {
				err = flags.write(name, pair)
			}
			if err != nil {
				return command.RuntimeError(err)
			}
			key, crt, ca := cert.KeyFile(flags.dir, name), cert.CertFile(flags.dir, name), cert.CertFile(flags.dir, cert.CAName)
			fmt.Fprintf(cmd.OutOrStdout(),
				"made %s, %s; with them and %s on the switch, for Open vSwitch:\n  ovs-vsctl set-ssl %s %s %s\n",
				crt, key, ca, key, crt, ca)
			return nil
		},
	}
	flags.add(cmd, instanceDays)
	return cmd
}

// parseDatapath reads a datapath id of up to 16 hexadecimal digits, with or without 0x.
func parseDatapath(s string) (uint64, error) {
	id, err := strconv.ParseUint(strings.Trim(strings.TrimPrefix(s, "0x"), `"`), 16, 64)
	if err != nil {
		return 0, fmt.Errorf("datapath id %q given, want up to 16 hexadecimal digits, such as 00000000000000a1", s)
	}
	return id, nil
}
