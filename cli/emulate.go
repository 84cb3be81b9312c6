package cli

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/cert"
	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/emu/attach"
	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

// emulateFlags are the flags of weir emulate.
type emulateFlags struct {
	controllers       []string
	version           openflow.Version
	seed              uint64
	hosts             int
	silent            bool
	schedule          string
	captures          []string
	localPort         bool
	captureDir        string
	api               string
	auth              string
	insecure          bool
	apiHosts          []string
	apiCert, apiKey   string
	dataDir           string
	cert, key, ca     string // of switches' TLS
	tlsName           string
	topology          *topo.Topology
	events            []topo.Event
	apiTLS, switchTLS *tls.Config
	attached          []string
	devices           []attach.Spec
	profileName       string
	profile           profile.Profile
}

func newEmulate() *cobra.Command {
	f := &emulateFlags{}
	cmd := &cobra.Command{
		Use:   "emulate TOPOLOGY",
		Short: "Start an emulated network, for any controller",
		Long: `Start an emulated network, without root: OpenFlow switches that connect to a controller, links with delay, loss and rate, and hosts. It
runs until SIGTERM or an interrupt. While it runs, its API shows and changes it: it cuts links, makes switches
fail, has hosts send, and captures ports (docs/emulator.md).

With --profile the switches are as slow as real ones, and their tables as small (docs/profiles.md). A line tells when this machine is too
slow to keep the delays that are configured.

TOPOLOGY is ` + strings.Join(topo.Forms(), ", ") + `; a YAML file; or a GraphML file, as of the Topology Zoo. Options follow it:
,hosts=H (at each switch; default 1), ,edgehosts=H (at leaves of a tree and edge switches of a fat-tree only), and for all links between
switches ,delay=5ms ,jitter=1ms ,loss=1% ,rate=100M ,queue=50.`,
		Example: `  weir emulate linear:4,hosts=2 --controller 127.0.0.1:6653
  weir emulate wan:206,delay=2ms --seed 7 --controller 127.0.0.1:6653,127.0.0.1:6654
  weir emulate examples/backbone.graphml --openflow-version 1.0 --pcap Berlin:1=berlin.pcap --pcap all=control.pcap
  sudo weir emulate single:1 --attach s1=tap1,address=10.0.0.100/8
  weir emulate linear:4 --profile aruba-3810m --controller 127.0.0.1:6653
  weir emulate examples/two-sites.yaml --schedule examples/events.yaml --api 127.0.0.1:8182`,
		Args: command.WantArgs(1, 1, "TOPOLOGY, such as linear:4"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(args[0]); err != nil {
				return err
			}
			return command.RuntimeError(f.run(cmd.Context(), cmd.OutOrStdout()))
		},
	}
	f.add(cmd)
	return cmd
}

func (f *emulateFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringSliceVar(&f.controllers, "controller", []string{"127.0.0.1:6653"},
		"addresses of controllers, HOST:PORT; each switch connects to all of them")
	command.VersionFlag(fs, &f.version, "that the switches speak")
	fs.Uint64Var(&f.seed, "seed", 1, "of the mesh, and of all random events")
	fs.IntVar(&f.hosts, "hosts", 1, "hosts at each switch, as ,hosts=H behind TOPOLOGY")
	fs.BoolVar(&f.silent, "silent", false, "hosts do not announce their addresses when their switch has connected")
	fs.BoolVar(&f.localPort, "local-port", true,
		"each switch has a port OFPP_LOCAL, which is down, as a bridge of Open vSwitch has")
	fs.StringVar(&f.schedule, "schedule", "", "YAML file of scheduled events; their times count from the start")
	fs.StringArrayVar(&f.captures, "pcap", nil,
		"AT=FILE: write frames to a new pcap file; AT is SWITCH:PORT, SWITCH for its control channels, or all for those of all switches")
	fs.StringArrayVar(&f.attached, "attach", nil, attachUsage)
	fs.StringVar(&f.profileName, "profile", "", command.ProfileUsage)
	fs.StringVar(&f.captureDir, "capture-dir", ".", "folder of captures that are asked for over the API")
	fs.StringVar(&f.api, "api", "127.0.0.1:8182", "address of the API, HOST:PORT; empty for none")
	fs.StringVar(&f.dataDir, "data-dir", "weir-emulate-data",
		"directory of the API's tokens, which are made if they are not there")
	fs.StringVar(&f.auth, "auth", "token", "who may use the API: those with a token, or (none, on loopback only) everybody")
	fs.BoolVar(&f.insecure, "insecure", false, "allow the API off loopback without TLS")
	fs.StringSliceVar(&f.apiHosts, "api-host", nil, "further host names of the API")
	fs.StringVar(&f.apiCert, "api-tls-cert", "", "certificate of the API, a PEM file")
	fs.StringVar(&f.apiKey, "api-tls-key", "", "key of the certificate, a PEM file")
	fs.StringVar(&f.cert, "openflow-tls-cert", "",
		"certificate of all switches, a PEM file; with it, -key and -ca they speak TLS (weir cert switch makes one)")
	fs.StringVar(&f.key, "openflow-tls-key", "", "key of the certificate, a PEM file")
	fs.StringVar(&f.ca, "openflow-tls-ca", "", "certificates of those who sign the controllers' certificates, a PEM file")
	fs.StringVar(&f.tlsName, "openflow-tls-name", "",
		"name in the controllers' certificates; the host of the first one if none is given")
}

// check reads the flags and files before anything starts. Its errors are of usage.
func (f *emulateFlags) check(spec string) error {
	if f.hosts != 1 {
		spec += fmt.Sprintf(",hosts=%d", f.hosts)
	}
	var err error
	if f.topology, err = topo.Load(spec, f.seed); err != nil {
		return err
	}
	f.events = f.topology.Schedule
	if f.schedule != "" {
		more, err := topo.LoadSchedule(f.schedule, f.topology)
		if err != nil {
			return err
		}
		f.events = append(f.events, more...)
	}
	for _, c := range f.controllers {
		if _, port, err := net.SplitHostPort(c); err != nil || port == "" {
			return fmt.Errorf("--controller=%s given, want HOST:PORT, such as 127.0.0.1:6653", c)
		}
	}
	for _, c := range f.captures {
		if at, file, ok := strings.Cut(c, "="); !ok || at == "" || file == "" {
			return fmt.Errorf("--pcap=%s given, want AT=FILE, such as s1:1=s1.pcap or all=control.pcap", c)
		}
	}
	if f.profile, err = command.ReadProfile(f.profileName); err != nil {
		return err
	}
	if f.devices, err = readAttached(f.attached); err != nil {
		return err
	}
	if f.auth != "token" && f.auth != "none" {
		return fmt.Errorf("--auth=%s given, want token or none", f.auth)
	}
	if f.api != "" {
		if (f.apiCert == "") != (f.apiKey == "") {
			return errors.New("one of --api-tls-cert and --api-tls-key given, want both or none")
		}
		if err := rest.CheckExposure(rest.Exposure{Listen: f.api, TLS: f.apiCert != "", Insecure: f.insecure,
			Open: f.auth == "none"}); err != nil {
			return err
		}
	}
	return f.checkSwitchTLS()
}

func (f *emulateFlags) checkSwitchTLS() error {
	given := 0
	for _, file := range []string{f.cert, f.key, f.ca} {
		if file != "" {
			given++
		}
	}
	if given != 0 && given != 3 {
		return errors.New(
			"--openflow-tls-cert, --openflow-tls-key and --openflow-tls-ca: give all three (weir cert makes them) or none")
	}
	return nil
}

// loadTLS reads certificates.
func (f *emulateFlags) loadTLS() error {
	if f.api != "" && f.apiCert != "" {
		pair, err := tls.LoadX509KeyPair(f.apiCert, f.apiKey)
		if err != nil {
			return fmt.Errorf("certificate of the API %s: %w", f.apiCert, err)
		}
		f.apiTLS = cert.Config(pair)
	}
	if f.cert == "" {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return fmt.Errorf("certificate of switches %s: %w", f.cert, err)
	}
	pem, err := os.ReadFile(f.ca)
	if err != nil {
		return err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return fmt.Errorf("%s given, want a PEM file with a certificate", f.ca)
	}
	name := f.tlsName
	if name == "" {
		name, _, _ = net.SplitHostPort(f.controllers[0])
	}
	f.switchTLS = cert.Config(pair)
	f.switchTLS.RootCAs, f.switchTLS.ServerName = pool, name
	return nil
}
