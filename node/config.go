package node

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/app"
	"github.com/weirnet/weir/app/broadcast"
	"github.com/weirnet/weir/app/catalog"
	"github.com/weirnet/weir/app/forward"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/datadir"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/tenant/tenancy"
)

// Config is how an instance is set up. Begin with Defaults: a field that must not be empty is
// refused when it is.
type Config struct {
	// Config holds over ConfigFile, as far as it differs from that of Defaults; and so do its
	// fields whose flags are named in Given ("api", "lldp-period"). A negative period of Stats
	// means never.
	config.Config
	// ConfigFile is a configuration file, docs/config.md; empty for none.
	ConfigFile string
	Given      map[string]bool
	// Reload, if set, has ConfigFile read again whenever something comes.
	Reload <-chan os.Signal

	// Join are addresses of peer ports of a cluster that this instance is to be a member of: one of them takes it in, if
	// its data directory has no store yet.
	Join []string

	DataDir string // tokens, the store, what is remembered; one process a directory
	Store   string // what holds the inputs: datadir.Embedded, datadir.Memory, or URLs of an etcd with commas between them
	// PortSeries is up to how many ports all switches may have together for /metrics to show each;
	// with more it shows switches only. 0: 10,000; negative: switches only, always.
	PortSeries int

	// Extra are applications besides those of every instance (package app).
	Extra []app.Spec

	Log *slog.Logger // nil for none
	// Pipes, if set, is a second listener for switches: of those in the same process (package
	// session/pipe). What holds for other switches holds for them. The instance closes it.
	Pipes net.Listener
	// OpenStore, if set, opens the store in place of Store. The instance closes it.
	OpenStore func() (store.Store, error)
	// SharedStore: other instances may use what OpenStore opens: one of them owns it, and
	// the others stand by.
	SharedStore bool
	// HangAfter is how long a part may do nothing, though it is asked to, before /healthz fails
	// with its name; 0: a minute.
	HangAfter time.Duration
	// View, if set, is called once with the network view before anything runs, for what reads it in
	// the same process.
	View func(*netview.View)
	// Intents, if set, is called once with the intents before anything runs, for what asks for some
	// in the same process; nil with role hypervisor, which has none.
	Intents func(*intent.Engine)
	// Tenants, if set, is called once with what runs tenants before anything runs.
	Tenants func(*tenancy.Tenancies)
	// Ready, if set, is called once with the addresses when everything listens.
	Ready func(Addresses)

	Version, Commit string // of the program

	used bool // an instance has run in DataDir before
}

// Addresses are where an instance listens, and how it is to be called.
type Addresses struct {
	OpenFlow, API       string
	OpenFlowTLS, APITLS bool
	Open                bool   // no token is needed
	Name                string // of the instance
}

// Defaults returns what every instance needs: everything on loopback. What it leaves out has the
// defaults of package config.
func Defaults() Config {
	return Config{
		Config: config.Config{
			Name: "weir-1", Domain: 1, Role: config.RoleController, OpenFlow: config.OpenFlow{Listen: "127.0.0.1:6653"},
			API:       config.API{Listen: "127.0.0.1:8181", Auth: "token"},
			Peer:      config.Peer{Listen: "127.0.0.1:9876"},
			Discovery: config.Discovery{LLDPPeriod: 2 * time.Second},
			Forward:   config.Forward{Unknown: string(forward.UnknownController)},
		},
		DataDir: "./weir-data", Store: datadir.Embedded,
	}
}

// check finds what is wrong with a configuration, before anything is opened.
func (c *Config) check() error {
	if err := c.checkFields(); err != nil {
		return err
	}
	if err := c.checkPeer(); err != nil {
		return err
	}
	return rest.CheckExposure(rest.Exposure{
		Listen: c.API.Listen, TLS: c.API.TLSCert != "", Insecure: c.API.Insecure, Open: c.API.Auth == "none",
	})
}

// checkFields finds what is wrong with single fields.
func (c *Config) checkFields() error {
	if c.Name == "" || c.DataDir == "" {
		return errors.New("--name and --data-dir: want a name and a directory, not nothing")
	}
	if !config.IsAddress(c.OpenFlow.Listen) {
		return fmt.Errorf("--openflow=%s: want HOST:PORT, such as 127.0.0.1:6653", c.OpenFlow.Listen)
	}
	if !config.IsAddress(c.API.Listen) {
		return fmt.Errorf("--api=%s: want HOST:PORT, such as 127.0.0.1:8181", c.API.Listen)
	}
	if c.API.Auth != "token" && c.API.Auth != "none" {
		return fmt.Errorf("--auth=%s: want token, or none (on loopback only)", c.API.Auth)
	}
	if (c.API.TLSCert == "") != (c.API.TLSKey == "") {
		return errors.New("--api-tls-cert and --api-tls-key: give both or neither")
	}
	dir := c.dataDir()
	if err := dir.Check(); err != nil {
		return err
	}
	if err := c.checkSwitchTLS(); err != nil {
		return err
	}
	if c.Domain == 0 || c.Domain > uint64(plan.DomainMax) {
		return fmt.Errorf("--domain=%d: want 1 to %d", c.Domain, plan.DomainMax)
	}
	if c.Role != config.RoleController && c.Role != config.RoleHypervisor {
		return fmt.Errorf("--role=%s: want %s or %s", c.Role, config.RoleController, config.RoleHypervisor)
	}
	if err := c.checkUnknown(); err != nil {
		return err
	}
	if p := c.Discovery.LLDPPeriod; p < 100*time.Millisecond || p > time.Minute {
		return fmt.Errorf("--lldp-period=%s: want 100ms to 1m", p)
	}
	if err := c.checkStats(); err != nil {
		return err
	}
	return catalog.Check(c.Extra, c.Apps.Disable)
}

// checkUnknown finds what is wrong with the treatment of packets that no rule matches.
func (c *Config) checkUnknown() error {
	disabled := func(app string) bool { return slices.Contains(c.Apps.Disable, app) }
	switch u := forward.Unknown(c.Forward.Unknown); {
	case u != forward.UnknownController && u != forward.UnknownFlood:
		return fmt.Errorf("--forward-unknown=%s: want controller or flood", u)
	case u == forward.UnknownFlood && disabled(broadcast.Owner) && !disabled(forward.Owner):
		return fmt.Errorf("--forward-unknown=%s (forward.unknown): packets are flooded along the tree of the application %s, "+
			"which is disabled: enable it (--disable-app, apps.disable), or want controller", u, broadcast.Owner)
	}
	return nil
}

// storeAnswer is how long a request waits for the store.
func (c *Config) storeAnswer() time.Duration {
	return cmp.Or(c.Limits.StoreAnswer, rest.DefaultLimits.StoreAnswer)
}

// checkSwitchTLS finds flags of TLS for switches of which others are missing.
func (c *Config) checkSwitchTLS() error {
	given := 0
	for _, file := range []string{c.OpenFlow.TLSCert, c.OpenFlow.TLSKey, c.OpenFlow.TLSCA} {
		if file != "" {
			given++
		}
	}
	switch {
	case given != 0 && given != 3:
		return errors.New(
			"--openflow-tls-cert, --openflow-tls-key and --openflow-tls-ca: give all three (weir cert makes them) or none")
	case given == 0 && c.OpenFlow.TLSUnnamed:
		return errors.New("--openflow-tls-unnamed: has a meaning only with --openflow-tls-cert, -key and -ca")
	}
	return nil
}

// checkPeer finds what is wrong with the port for other instances. They must reach it, and nobody
// else may.
func (c *Config) checkPeer() error {
	given := 0
	for _, file := range []string{c.Peer.TLSCert, c.Peer.TLSKey, c.Peer.TLSCA} {
		if file != "" {
			given++
		}
	}
	if given != 0 && given != 3 {
		return errors.New("--peer-tls-cert, --peer-tls-key and --peer-tls-ca: give all three (weir cert makes them) or none")
	}
	for _, address := range c.Join {
		if !config.IsAddress(address) {
			return fmt.Errorf("--join=%s: want HOST:PORT, the --peer of a member of the cluster, such as 127.0.0.1:9876", address)
		}
	}
	if len(c.Join) > 0 && c.Store != datadir.Embedded {
		return fmt.Errorf("--join=%s: a member of a cluster has a store of its own, and --store=%s says that it is elsewhere: "+
			"give one of the two", strings.Join(c.Join, ","), c.Store)
	}
	if c.Peer.Listen == config.PeerNone {
		if len(c.Join) > 0 {
			return fmt.Errorf("--join=%s needs a peer port, and --peer=%s says that there is none", strings.Join(c.Join, ","),
				config.PeerNone)
		}
		return nil
	}
	host, _, err := net.SplitHostPort(c.Peer.Listen)
	if err != nil || !config.IsAddress(c.Peer.Listen) {
		return fmt.Errorf("--peer=%s: want HOST:PORT, such as 127.0.0.1:9876, or %s", c.Peer.Listen, config.PeerNone)
	}
	addr, err := netip.ParseAddr(host)
	switch {
	case host == "" || err == nil && addr.Unmap().IsUnspecified():
		return fmt.Errorf("--peer=%s is every address of this machine, and other instances are told which one to connect to: "+
			"give that one", c.Peer.Listen)
	case given == 0 && !rest.IsLoopback(host):
		return fmt.Errorf("peer address %s, which other machines can reach, without TLS: give --peer-tls-cert, --peer-tls-key "+
			"and --peer-tls-ca (weir cert makes them), or a loopback address", c.Peer.Listen)
	}
	return nil
}
