package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/node"
)

func newNode() *cobra.Command {
	cfg := node.Defaults()
	level := "info"
	cmd := &cobra.Command{
		Use:   "node",
		Short: "Start an instance: it controls the switches that connect to it",
		Long: `Start an instance. It listens for switches (OpenFlow 1.0 and 1.3) and serves the API until SIGTERM or an
interrupt. The first start writes an admin token to DIR/token, an operator token to DIR/token-operator and a viewer token to
DIR/token-viewer, which only you can read. The configuration of weir apply and the drains are kept over restarts:
what is of the network in the store, the instance's own part in DIR (docs/config.md). It listens on loopback unless told otherwise.`,
		Example: `  weir node
  weir node --config weir.yaml
  weir node --openflow 0.0.0.0:6653 --data-dir /var/lib/weir
  weir node --role hypervisor                                      tenants alone (docs/tenants.md)
  weir node --api 0.0.0.0:8181 --api-tls-cert cert.pem --api-tls-key key.pem
  weir node --openflow 0.0.0.0:6653 --openflow-tls-cert tls/instance.pem --openflow-tls-key tls/instance-key.pem \
    --openflow-tls-ca tls/ca.pem                                   with certificates of weir cert`,
		Args: command.WantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if cfg.Log, err = newLogger(cmd.ErrOrStderr(), level); err != nil {
				return err
			}
			cfg.Ready = func(at node.Addresses) { announce(cmd.OutOrStdout(), &cfg, at) }
			cfg.Version, cfg.Commit = command.Version, command.Commit()
			cfg.Given = map[string]bool{}
			cmd.Flags().Visit(func(f *pflag.Flag) { cfg.Given[f.Name] = true })
			if cfg.ConfigFile != "" {
				hup := make(chan os.Signal, 1)
				signal.Notify(hup, syscall.SIGHUP)
				defer signal.Stop(hup)
				cfg.Reload = hup
			}
			if err = nodeError(node.Run(cmd.Context(), cfg)); err == nil {
				cfg.Log.Info("instance ended", "name", cfg.Name)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&cfg.ConfigFile, "config", "", "configuration file (docs/config.md); read again on SIGHUP; flags override it")
	f.StringVar(&cfg.Name, "name", cfg.Name, "name of the instance")
	f.Var(command.Enum(&cfg.Role, config.RoleController, config.RoleHypervisor), "role",
		"what the instance is for: to forward packets and serve intents and tenants, or tenants alone")
	f.StringVar(&cfg.DataDir, "data-dir", cfg.DataDir,
		"directory of tokens, the store and what was learned; one process a directory")
	f.StringVar(&cfg.Store, "store", cfg.Store, storeUsage)
	f.StringVar(&cfg.OpenFlow.Listen, "openflow", cfg.OpenFlow.Listen, "address that switches connect to, HOST:PORT")
	f.StringVar(&cfg.API.Listen, "api", cfg.API.Listen, "address of the API, HOST:PORT")
	f.StringVar(&cfg.API.Auth, "auth", cfg.API.Auth,
		"who may use the API: those with a token, or (none, on loopback only) everybody")
	f.BoolVar(&cfg.API.Insecure, "insecure", cfg.API.Insecure, "allow the API off loopback without TLS")
	f.StringVar(&cfg.API.TLSCert, "api-tls-cert", "", "certificate of the API, a PEM file")
	f.StringVar(&cfg.API.TLSKey, "api-tls-key", "", "key of the certificate, a PEM file")
	f.StringVar(&cfg.OpenFlow.TLSCert, "openflow-tls-cert", "",
		"certificate shown to switches, a PEM file; with it, -key and -ca switches speak TLS (weir cert makes all of them)")
	f.StringVar(&cfg.OpenFlow.TLSKey, "openflow-tls-key", "", "key of the certificate, a PEM file")
	f.StringVar(&cfg.OpenFlow.TLSCA, "openflow-tls-ca", "",
		"certificates of those who sign the switches' certificates, a PEM file")
	f.BoolVar(&cfg.OpenFlow.TLSUnnamed, "openflow-tls-unnamed", false, "also accept switches' certificates without datapath ids")
	f.StringVar(&cfg.Peer.Listen, "peer", cfg.Peer.Listen,
		"address that other instances of the cluster connect to, HOST:PORT, or none")
	f.StringSliceVar(&cfg.Join, "join", nil,
		"--peer of one or more instances of a cluster, which this one is to be a member of; its data directory is to be empty")
	f.StringVar(&cfg.Peer.TLSCert, "peer-tls-cert", "",
		"certificate shown to other instances, a PEM file; with it, -key and -ca they speak TLS")
	f.StringVar(&cfg.Peer.TLSKey, "peer-tls-key", "", "key of the certificate, a PEM file")
	f.StringVar(&cfg.Peer.TLSCA, "peer-tls-ca", "",
		"certificates of those who sign the other instances' certificates, a PEM file")
	f.StringSliceVar(&cfg.API.Hosts, "api-host", nil, "further host names of the API")
	f.Uint64Var(&cfg.Domain, "domain", cfg.Domain,
		"number of this Weir in the cookies of its rules, 1 to 4095; two that share a switch need different ones")
	f.StringSliceVar(&cfg.Apps.Disable, "disable-app", nil, "built-in applications that are not to run, such as forward")
	f.Var(command.Enum(&cfg.Forward.Unknown, "controller", "flood"), "forward-unknown",
		"where a unicast packet without a matching rule goes")
	f.DurationVar(&cfg.Discovery.LLDPPeriod, "lldp-period", cfg.Discovery.LLDPPeriod, "how often each port is probed for links")
	f.StringVar(&level, "log-level", level, "what is logged: debug, info, warn or error")
	return cmd
}

// storeUsage is the help of --store.
const storeUsage = "where accepted intents, the network's configuration and drains are stored: embedded (in --data-dir), memory (lost at the end), or URLs of an etcd, with commas between them"

// newLogger makes a log of what is of a level of --log-level or above.
func newLogger(w io.Writer, level string) (*slog.Logger, error) {
	var min slog.Level
	if err := min.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("--log-level=%s given, want debug, info, warn or error", level)
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: min})), nil
}

// curlTarget returns the URL of an API and, unless it is open, the option of curl that gives its
// token from a data directory.
func curlTarget(address string, tls, open bool, dataDir string) (url, token string) {
	url = "http://" + address
	if tls {
		url = "https://" + address
	}
	if !open {
		token = fmt.Sprintf("-H \"Authorization: Bearer $(cat %s)\" ", filepath.Join(dataDir, client.TokenFile))
	}
	return url, token
}

// announce prints the addresses and commands to use the instance.
func announce(out io.Writer, cfg *node.Config, at node.Addresses) {
	url, token := curlTarget(at.API, at.APITLS, at.Open, cfg.DataDir)
	fmt.Fprintf(out, "weir %s: instance %s is ready\n", command.Version, at.Name)
	fmt.Fprintf(out, "  API       %s\n", url)
	fmt.Fprintf(out, "  call it   curl %s%s/v1/switches\n", token, url)
	fmt.Fprintf(out, "            %s get switches --api %s --data-dir %s\n", os.Args[0], url, cfg.DataDir)
	transport := "tcp"
	if at.OpenFlowTLS {
		transport = "ssl"
	}
	fmt.Fprintf(out, "  switches  %s, OpenFlow 1.0 and 1.3; of Open vSwitch:\n", at.OpenFlow)
	fmt.Fprintf(out, "            ovs-vsctl set-controller BRIDGE %s:%s -- set-fail-mode BRIDGE secure\n", transport, at.OpenFlow)
}

// nodeError tells errors of the configuration from those at run time. The end by a signal is no
// error.
func nodeError(err error) error {
	var bad *node.ConfigError
	switch {
	case errors.As(err, &bad):
		return bad.Err
	case errors.Is(err, context.Canceled):
		return nil
	}
	return command.RuntimeError(err)
}
